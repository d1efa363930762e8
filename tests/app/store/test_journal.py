from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from app.store import commits as commits_module
from app.store.errors import UnreadableEvent
from app.store.journal import StoredTable
from app.store.opening import Store
from app.store.reading import Kept
from app.store.tables import PLAY
from engine.limits import MAX_ANSWERS_PER_TABLE, MAX_ANSWERS_TAKEN_UP
from engine.rules.events import HandEnded, HandId, HandStarted, PlayerId
from engine.table.commands import CancelHand
from engine.table.errors import CommitFailed, CommitRefused, StaleOwner
from engine.table.events import TableId
from engine.table.ports import Answer, TableCommit
from engine.table.recovery import recover
from tests.app.store.flaky import Flaw, Flaws, disk_broken, disk_full
from tests.app.store.house import CONFIG, SqlTable, add_player, opened_with
from tests.app.store.journal_contract import CHIPS, JournalContract, fingerprint
from tests.app.store.places import Place, SqlitePlace
from tests.fakes import MemoryJournal, VirtualClock

T1 = TableId("t1")


class SqlDesk:
    def __init__(self, store: Store, clock: VirtualClock, place: Place) -> None:
        self.journal = store.journal
        self.epoch = store.writer.epoch
        self.clock = clock
        self._place = place

    async def load(self, table: str) -> StoredTable:
        return await self.journal.load(TableId(table))

    async def wallet(self, player: str) -> int:
        return self._place.balances().get(f"wallet:PLAY:{player}", 0)

    async def seat(self, player: str, table: str) -> int:
        return self._place.balances().get(f"seat:PLAY:{table}:{player}", 0)


@pytest.fixture
async def desk(store: Store, clock: VirtualClock, place: Place) -> SqlDesk:
    for player in ("ann", "bob", "cid"):
        await add_player(store, player, chips=CHIPS)
    return SqlDesk(store, clock, place)


async def open_table(desk: SqlDesk, name: str = "t1", **fields: Any) -> SqlTable:
    return await SqlTable.open(desk.journal, epoch=desk.epoch, clock=desk.clock, table=name, **fields)


async def seated(desk: SqlDesk, *players: str) -> SqlTable:
    table = await open_table(desk)
    for player in players or ("ann", "bob", "cid"):
        await table.sit(player)
    return table


class TestSqlJournal(JournalContract):
    """The contract, over SQL."""


class MemoryDesk:
    """The fake that the tables' own tests stand on."""

    def __init__(self) -> None:
        self.journal = MemoryJournal(dict.fromkeys(("ann", "bob", "cid"), CHIPS), epoch=3)
        self.epoch = 3
        self.clock = VirtualClock()

    async def load(self, table: str) -> StoredTable:
        return StoredTable(
            table=TableId(table),
            epoch=self.epoch,
            last_seq=len(self.journal.rows),
            checkpoint=self.journal.checkpoint,
            events=tuple(Kept(*row) for row in self.journal.tail),
            answers=tuple(self.journal.answers),
            stopped_ms=None,
        )

    async def wallet(self, player: str) -> int:
        return self.journal.ledger.wallet(player)

    async def seat(self, player: str, table: str) -> int:
        return self.journal.ledger.seat(player, table)


class TestMemoryJournal(JournalContract):
    """The same contract, so that no table is tested against a fake that does otherwise."""

    @pytest.fixture
    def desk(self) -> MemoryDesk:
        return MemoryDesk()


async def test_a_table_is_opened_by_its_first_event(desk: SqlDesk, place: Place) -> None:
    await open_table(desk, "t2")
    desk.clock.pass_over(1)
    await open_table(desk, "t1")
    assert await desk.journal.tables() == ["t2", "t1"]
    assert place.sql("SELECT table_id, epoch, last_seq, hands, running_hand_id FROM table_heads ORDER BY table_id") == [
        ("t1", desk.epoch, 1, 0, None),
        ("t2", desk.epoch, 1, 0, None),
    ]
    with pytest.raises(CommitRefused) as caught:
        await open_table(desk, "t1")
    assert caught.value.code == "table/exists"


async def test_a_table_in_an_unknown_currency_is_not_opened(desk: SqlDesk) -> None:
    with pytest.raises(CommitRefused) as caught:
        await open_table(desk, config=replace(CONFIG, currency="GOLD"))
    assert caught.value.code == "money/unknown_currency"
    assert await desk.journal.tables() == []


async def test_a_closed_table_is_given_no_more(desk: SqlDesk) -> None:
    table = await seated(desk, "ann", "bob")
    await table.deal()
    with pytest.raises(CommitRefused) as caught:
        await desk.journal.close_table(T1, at_ms=5)
    assert caught.value.code == "table/hand_running"
    while table.state.hand is not None:
        await table.act()
    await table.stand_up("ann")
    await table.stand_up("bob")
    await desk.journal.close_table(T1, at_ms=5)
    assert await desk.journal.tables() == []
    with pytest.raises(StaleOwner):
        await desk.journal.close_table(TableId("none"), at_ms=5)


@pytest.mark.parametrize("off", [-1, 1])
async def test_a_commit_out_of_turn_is_stale(desk: SqlDesk, off: int) -> None:
    table = await seated(desk)
    last = table.commits[-1]
    wrong = replace(last, first_seq=table.state.seq + 1 + off, transfers=(), answer=None)
    with pytest.raises(StaleOwner):
        await desk.journal.commit(wrong)
    await table.play_hand()


async def test_b131_a_buy_in_sent_again_is_debited_once(desk: SqlDesk, place: Place) -> None:
    table = await open_table(desk)
    await table.sit("ann", 600)
    first = table.commits[-1]
    with pytest.raises(StaleOwner):
        await desk.journal.commit(first)
    again = replace(first, first_seq=table.state.seq + 1)
    with pytest.raises(CommitRefused) as caught:
        await desk.journal.commit(again)
    assert caught.value.code == "money/duplicate_transfer"
    other = replace(again, transfers=tuple(replace(one, id="another") for one in again.transfers))
    with pytest.raises(CommitRefused) as caught:
        await desk.journal.commit(other)
    assert caught.value.code == "table/command_id_reused"
    assert place.balances()["wallet:PLAY:ann"] == CHIPS - 600


async def test_b131_a_buy_in_whose_answer_was_lost_is_debited_once(path: Path, clock: VirtualClock) -> None:
    flaws, place = Flaws(), SqlitePlace(path)
    async with opened_with(path, clock, flaws) as store:
        await add_player(store, "ann", chips=CHIPS)
        table = await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=clock)
        flaws.plan(Flaw("COMMIT", after=disk_broken))
        await table.sit("ann", 600)
        assert place.balances()["wallet:PLAY:ann"] == CHIPS - 600
        flaws.plan(Flaw("COMMIT", before=disk_full))
        with pytest.raises(CommitFailed):
            await table.stand_up("ann")
        await table.stand_up("ann")
        assert place.balances()["wallet:PLAY:ann"] == CHIPS


async def test_of_a_hundred_buy_ins_of_a_whole_balance_one_succeeds(desk: SqlDesk, place: Place) -> None:
    tables = [await open_table(desk, f"t{n}") for n in range(100)]

    async def sit(table: SqlTable) -> str | None:
        try:
            await table.sit("ann", CHIPS)
        except CommitRefused as refused:
            return refused.code
        return None

    found = await asyncio.gather(*(sit(table) for table in tables))
    assert sorted(found, key=str) == [None] + ["wallet/insufficient"] * 99
    assert place.balances()["wallet:PLAY:ann"] == 0
    assert sum(chips for account, chips in place.balances().items() if account.startswith("seat:")) == CHIPS
    for table in tables:
        kept = await desk.load(table.state.table)
        assert fingerprint(recover(kept.checkpoint, kept.events)) == fingerprint(table.state)


async def test_a_table_without_the_money_stops_no_other(desk: SqlDesk) -> None:
    tables = [await open_table(desk, f"t{n}") for n in range(50)]
    chips = [CHIPS + 1 if n == 25 else 200 for n in range(50)]
    found = await asyncio.gather(
        *(table.sit("ann", chips[n]) for n, table in enumerate(tables)), return_exceptions=True
    )
    refused = [n for n, one in enumerate(found) if isinstance(one, BaseException)]
    assert refused == [25]


async def test_hands_are_listed_with_their_players(desk: SqlDesk, place: Place) -> None:
    table = await seated(desk)
    await table.deal()
    hand = table.state.hand
    assert hand is not None
    started_ms = desk.clock.now_ms()
    columns = "id, table_id, number, game, rules, currency, small_bet_chips, big_bet_chips, started_ms, outcome"
    assert place.sql(f"SELECT {columns} FROM hands") == [  # noqa: S608
        (hand.hand, "t1", 1, "stud7", 1, PLAY, 10, 20, started_ms, None)
    ]
    assert place.sql("SELECT running_hand_id, hands FROM table_heads") == [(hand.hand, 1)]
    assert place.sql("SELECT player_id, start_chips, net_chips FROM hand_players ORDER BY seat") == [
        ("ann", 1_000, None),
        ("bob", 1_000, None),
        ("cid", 1_000, None),
    ]
    while table.state.hand is not None:
        await table.act()
    (ended,) = [event for commit in table.commits for event in commit.events if isinstance(event, HandEnded)]
    assert place.sql("SELECT net_chips FROM hand_players ORDER BY seat") == [(r.net_chips,) for r in ended.results]
    (row,) = place.sql("SELECT outcome, first_seq, last_seq, pot_chips, rake_chips FROM hands")
    staked = sum(-result.net_chips for result in ended.results if result.net_chips < 0)
    won = sum(result.net_chips for result in ended.results if result.net_chips > 0)
    outcome, first_seq, last_seq, pot_chips, rake_chips = row
    assert (outcome, rake_chips) == ("ended", ended.rake_chips)
    assert staked == won + rake_chips
    assert pot_chips >= staked
    events = await desk.journal.hand_events(HandId(hand.hand))
    assert [events[0].seq, events[-1].seq] == [first_seq, last_seq]
    assert isinstance(events[0].event, HandStarted)
    assert events[-1].event == ended
    assert place.sql("SELECT running_hand_id, hands FROM table_heads") == [(None, 1)]
    await table.play_hand()
    assert place.sql("SELECT number FROM hands ORDER BY number") == [(1,), (2,)]


async def test_a_cancelled_hand_moves_nothing(desk: SqlDesk, place: Place) -> None:
    table = await seated(desk)
    before = place.balances()
    await table.deal()
    await table.act()
    await table.do(CancelHand(reason="fault"))
    assert place.sql("SELECT outcome, cancel_reason, pot_chips, rake_chips FROM hands") == [
        ("cancelled", "fault", 0, 0)
    ]
    assert place.sql("SELECT sum(net_chips), count(net_chips) FROM hand_players") == [(0, 3)]
    assert place.balances() == before


async def test_a_hand_that_runs_out_at_once_is_listed_too(desk: SqlDesk, place: Place) -> None:
    """Both are all-in by the ante: the hand begins and ends in one commit."""
    stakes = replace(CONFIG.variant, ante_chips=20)
    table = await open_table(desk, config=replace(CONFIG, variant=stakes, min_buy_in_chips=1))
    await table.sit("ann", 15)
    await table.sit("bob", 20)
    await table.deal()
    assert table.state.hand is None
    ((outcome, pot_chips, first_seq, last_seq),) = place.sql(
        "SELECT outcome, pot_chips, first_seq, last_seq FROM hands"
    )
    assert (outcome, pot_chips) == ("ended", 30)
    assert first_seq < last_seq <= table.state.seq
    assert place.sql("SELECT count(net_chips) FROM hand_players") == [(2,)]
    assert place.sql("SELECT running_hand_id, hands FROM table_heads") == [(None, 1)]


async def test_events_are_read_on_from_any_number(desk: SqlDesk) -> None:
    table = await seated(desk)
    await table.play_hand()
    everything = await desk.journal.events_after(T1, 0, limit=10_000)
    assert [one.seq for one in everything] == list(range(1, table.state.seq + 1))
    assert await desk.journal.events_after(T1, 10, limit=3) == everything[10:13]
    assert await desk.journal.events_after(T1, table.state.seq, limit=3) == ()
    assert await desk.journal.hand_events(HandId("none")) == ()


async def test_answers_have_a_bound(desk: SqlDesk, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits_module, "ANSWERS_FORGOTTEN_AT_ONCE", 4)
    table = await seated(desk, "ann")

    def nothing(number: int) -> TableCommit:
        return TableCommit(
            table=T1,
            epoch=desk.epoch,
            first_seq=table.state.seq + 1,
            at_ms=number,
            events=(),
            answer=Answer(player=PlayerId("ann"), command_id=f"n{number}", digest="d", seq=table.state.seq),
        )

    many = MAX_ANSWERS_PER_TABLE + 50
    await asyncio.gather(*(desk.journal.commit(nothing(number)) for number in range(many)))
    answers = (await desk.load("t1")).answers
    assert len(answers) == MAX_ANSWERS_TAKEN_UP
    assert [answer.command_id for answer in answers[-3:]] == [f"n{n}" for n in range(many - 3, many)]
    assert place.sql("SELECT count(*) FROM answers") == [(MAX_ANSWERS_PER_TABLE,)]


async def test_a_player_nobody_knows_is_dealt_no_hand(desk: SqlDesk) -> None:
    table = await seated(desk, "ann", "bob")
    with pytest.raises(CommitRefused) as caught:
        await table.sit("ghost")
    assert caught.value.code == "money/unknown_account"
    await table.play_hand()


async def test_a_new_server_takes_the_tables_over(place: Place, clock: VirtualClock) -> None:
    first = await place.open(clock)
    for player in ("ann", "bob"):
        await add_player(first, player, chips=CHIPS)
    table = await SqlTable.open(first.journal, epoch=first.writer.epoch, clock=clock)
    await table.sit("ann")
    await table.sit("bob")
    await table.deal()
    last_sign_ms = clock.now_ms()
    await first.close()
    clock.pass_over(60_000)
    second = await place.open(clock)
    kept = await second.journal.load(T1)
    assert kept.epoch == second.writer.epoch == 2
    assert kept.stopped_ms == last_sign_ms
    assert fingerprint(recover(kept.checkpoint, kept.events)) == fingerprint(table.state)
    old = table
    old.journal = second.journal
    with pytest.raises(StaleOwner):
        await old.act()
    old.epoch = kept.epoch
    await old.act()
    await second.close()


async def test_a_server_that_dies_before_its_first_word_takes_nobodys_time(place: Place, clock: VirtualClock) -> None:
    """It owned the table and lived for a while: nobody could play under it, so it is no sign of life."""
    first = await place.open(clock)
    for player in ("ann", "bob"):
        await add_player(first, player, chips=CHIPS)
    table = await SqlTable.open(first.journal, epoch=first.writer.epoch, clock=clock)
    await table.sit("ann")
    await table.sit("bob")
    await table.deal()
    last_sign_ms = clock.now_ms()
    await first.close()
    clock.pass_over(8_000)
    short_lived = await place.open(clock)
    await short_lived.journal.load(T1)
    clock.pass_over(700)
    await add_player(short_lived, "cid", chips=CHIPS)
    await short_lived.close()
    clock.pass_over(5_000)
    third = await place.open(clock)
    assert (await third.journal.load(T1)).stopped_ms == last_sign_ms
    await third.close()


async def test_a_later_owner_is_not_put_out_by_an_earlier_one(desk: SqlDesk, place: Place) -> None:
    await seated(desk, "ann")
    place.sql("UPDATE table_heads SET epoch = 9")
    with pytest.raises(StaleOwner):
        await desk.load("t1")
    with pytest.raises(StaleOwner):
        await desk.load("none")


async def test_a_row_that_cannot_be_read_is_told_without_what_it_holds(desk: SqlDesk, place: Place) -> None:
    table = await seated(desk)
    await table.deal()
    broken = b'{{"card": "As"'.hex()
    place.tamper(f"UPDATE journal SET payload = x'{broken}' WHERE seq = {table.state.seq}")  # noqa: S608
    with pytest.raises(UnreadableEvent) as caught:
        await desk.load("t1")
    assert caught.value.fields == {"reason": "not_an_event", "format": 1, "table": "t1", "seq": table.state.seq}
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


async def test_a_hole_in_the_journal_is_told(desk: SqlDesk, place: Place) -> None:
    table = await seated(desk)
    await table.deal()
    place.tamper(f"DELETE FROM journal WHERE seq = {table.state.seq - 1}")  # noqa: S608
    with pytest.raises(UnreadableEvent) as caught:
        await desk.load("t1")
    assert caught.value.fields["reason"] == "hole"


async def test_what_was_read_shows_no_card(desk: SqlDesk) -> None:
    table = await seated(desk)
    await table.deal()
    kept = await desk.load("t1")
    assert repr(kept) == f"<StoredTable t1 at {table.state.seq}>"
    assert table.state.hand is not None
    deck = next(one.event.deck for one in kept.events if isinstance(one.event, HandStarted))
    assert deck[0] not in repr(kept.events)
