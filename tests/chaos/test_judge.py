"""The judge finds whatever is wrong: each thing that chaos must never bring about, brought about by hand."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from app.store import migrate
from app.store.opening import open_store
from engine.rules.events import HandCancelled, HandEnded
from engine.rules.views import view_event
from engine.table.commands import Act
from tests.app.store.house import SqlTable, add_player
from tests.chaos.books import opened
from tests.chaos.bots import Acked, Life, Shown
from tests.chaos.house import SEALING_KEYS
from tests.chaos.judge import DEEDS, Row, judge_chips, judge_journal, judge_life, judge_moves
from tests.fakes import VirtualClock

PLAYERS = ("ann", "bob", "cid")
CHIPS = 5_000


@dataclass
class Played:
    """Three hands at one table: the journal's rows, and what each player was shown and told."""

    url: str
    rows: list[Row]
    shown: dict[str, list[Shown]]
    acked: list[Acked]

    def faults(self) -> list[str]:
        return judge_journal("t1", self.rows, shown=self.shown, acked=self.acked).faults

    def faults_of_life(self) -> list[str]:
        life = Life(shown=[one for events in self.shown.values() for one in events], acked=self.acked)
        with opened(self.url) as books:
            found = [*judge_life(books, [life]), *judge_chips(books, CHIPS * len(PLAYERS))]
            return [*found, *judge_moves(books, self.acked)]


@pytest.fixture(scope="session")
async def original(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Played once, for all tests to copy."""
    folder = tmp_path_factory.mktemp("judged")
    url, clock = f"sqlite:///{folder}/avenue.db", VirtualClock()
    await asyncio.to_thread(migrate.upgrade, url)
    store = await open_store(url, now_ms=clock.now_ms, sealing_keys=SEALING_KEYS)
    table = await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=clock)
    result = Played(url, [], {player: [] for player in PLAYERS}, [])
    for player in PLAYERS:
        await table.sit(await add_player(store, player, chips=CHIPS))
        note(result, table, {"type": "sit"})
    for _ in range(3):
        await table.deal()
        note(result, table, {})
        while (hand := table.state.hand) is not None:
            (turn,) = table.state.turns.values()
            action = turn.options[-1].action
            command = Act(
                player=table.state.cast[turn.seat],
                command_id=table.id(),
                hand=hand.hand,
                turn=turn.turn,
                action=action,
            )
            clock.pass_over(10)
            await table.do(command)
            wish = msgspec.to_builtins(action)
            note(result, table, {"type": "act", "hand": hand.hand, "turn": turn.turn, "action": wish})
    for player in PLAYERS:
        await table.stand_up(player)
        note(result, table, {"type": "stand_up"})
    await store.close()
    return result


@pytest.fixture
def played(original: Played, tmp_path: Path) -> Played:
    copy = shutil.copyfile(original.url.removeprefix("sqlite:///"), tmp_path / "avenue.db")
    shown = {player: list(events) for player, events in original.shown.items()}
    return Played(f"sqlite:///{copy}", list(original.rows), shown, list(original.acked))


def note(played: Played, table: SqlTable, frame: dict[str, object]) -> None:
    """Write the last commit down as everybody was told it."""
    if not played.rows:
        note_commit(played, table, 0, frame={})
    note_commit(played, table, -1, frame=frame)


def note_commit(played: Played, table: SqlTable, number: int, *, frame: dict[str, object]) -> None:
    commit = table.commits[number]
    for seq, event in enumerate(commit.events, start=commit.first_seq):
        played.rows.append(Row(seq, commit.at_ms, event))
        for seat, player in enumerate(PLAYERS, start=1):
            seen = msgspec.json.encode(view_event(event, seat))  # type: ignore[arg-type]  # a seat's number
            played.shown[player].append(Shown("t1", seq, commit.at_ms, seen))
    if commit.answer is not None:
        told = commit.answer
        played.acked.append(Acked("t1", told.player, told.command_id, told.seq, frame, kept=False))


def test_a_journal_that_is_as_it_was_told_has_no_fault(played: Played) -> None:
    assert played.faults() == []
    assert played.faults_of_life() == []


def place_of(played: Played, kind: type) -> int:
    return next(place for place, row in enumerate(played.rows) if isinstance(row.event, kind))


def lose_the_last_event(played: Played) -> None:
    del played.rows[-1]


def lose_an_event_within(played: Played) -> None:
    del played.rows[len(played.rows) // 2]


def change_a_time(played: Played) -> None:
    row = played.rows[9]
    played.rows[9] = row._replace(at_ms=row.at_ms + 1)


def change_a_card_that_was_shown(played: Played) -> None:
    for place, one in enumerate(played.shown["ann"]):
        if b'"card_dealt"' in one.event and b'"??"' not in one.event:
            played.shown["ann"][place] = one._replace(event=one.event.replace(b'"card":"', b'"card":"9', 1))
            return


def act_twice(played: Played) -> None:
    place = next(place for place, row in enumerate(played.rows) if type(row.event) in DEEDS)
    twin = played.rows[place]
    renumbered = [row._replace(seq=row.seq + 1) for row in played.rows[place + 1 :]]
    played.rows[place + 1 :] = [twin._replace(seq=twin.seq + 1), *renumbered]
    played.shown = {}


def forget_an_acknowledged_act(played: Played) -> None:
    place = next(place for place, row in enumerate(played.rows) if type(row.event) in DEEDS)
    played.rows[place + 1 :] = [row._replace(seq=row.seq - 1) for row in played.rows[place + 1 :]]
    del played.rows[place]
    played.shown = {}


def act_unasked(played: Played) -> None:
    played.acked.remove(next(one for one in played.acked if one.frame["type"] == "act"))


def act_otherwise(played: Played) -> None:
    place = next(place for place, one in enumerate(played.acked) if one.frame["type"] == "act")
    told = played.acked[place]
    played.acked[place] = told._replace(frame=told.frame | {"action": {"verb": "raise", "to_chips": 77}})


def acknowledge_too_early(played: Played) -> None:
    place = next(place for place, one in enumerate(played.acked) if one.frame["type"] == "act")
    played.acked[place] = played.acked[place]._replace(seq=played.acked[place].seq + 9)


def finish_and_cancel(played: Played) -> None:
    place = place_of(played, HandEnded)
    ended = played.rows[place].event
    assert isinstance(ended, HandEnded)
    cancelled = HandCancelled(reason="fault", results=ended.results)
    rest = [row._replace(seq=row.seq + 1) for row in played.rows[place + 1 :]]
    played.rows[place + 1 :] = [Row(played.rows[place].seq + 1, played.rows[place].at_ms, cancelled), *rest]
    played.shown = {}


def leave_twice(played: Played) -> None:
    played.acked.append(played.acked[-1]._replace(id="again"))


@pytest.mark.parametrize(
    "plant",
    [
        lose_the_last_event,
        lose_an_event_within,
        change_a_time,
        change_a_card_that_was_shown,
        act_twice,
        forget_an_acknowledged_act,
        act_unasked,
        act_otherwise,
        acknowledge_too_early,
        finish_and_cancel,
        leave_twice,
    ],
)
def test_what_must_never_happen_at_a_table_is_found(played: Played, plant: Callable[[Played], None]) -> None:
    plant(played)
    assert played.faults()


GUARDED = ("journal", "entries", "transfers")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM journal WHERE seq = 7",
        "UPDATE journal SET at_ms = at_ms + 1 WHERE seq = 7",
        "UPDATE journal SET payload = CAST('{}' AS blob) WHERE seq = 3",
        "DELETE FROM answers WHERE number = 5",
        "UPDATE answers SET seq = seq + 1 WHERE number = 5",
        "UPDATE accounts SET balance_chips = balance_chips - 1 WHERE kind = 'wallet'",
        "DELETE FROM entries WHERE transfer_id = (SELECT id FROM transfers WHERE reason = 'buy_in' LIMIT 1)",
    ],
)
def test_what_must_never_happen_in_the_books_is_found(played: Played, statement: str) -> None:
    connection = sqlite3.connect(played.url.removeprefix("sqlite:///"))
    for table in GUARDED:
        for verb in ("update", "delete"):
            connection.execute(f"DROP TRIGGER {table}_refuse_{verb}")
    assert connection.execute(statement).rowcount > 0
    connection.commit()
    connection.close()
    assert played.faults_of_life()


def test_what_a_bot_itself_found_is_a_fault(played: Played) -> None:
    with opened(played.url) as books:
        assert list(judge_life(books, [Life(error="the table went back")])) == ["the table went back"]


def test_who_left_moved_no_chips_that_were_not_acknowledged(played: Played) -> None:
    played.acked = [one for one in played.acked if one.frame["type"] != "sit"]
    assert len(played.faults_of_life()) == len(PLAYERS)
