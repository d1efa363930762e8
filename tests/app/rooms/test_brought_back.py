"""Tables that come back over a real store: with their clocks, under other rules, from a journal that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.refusals import NoSuchTable
from engine.limits import MIN_RESUMED_TURN_MS
from engine.rules import betting, variants
from engine.rules.errors import Fault
from engine.rules.events import HandCancelled, PlayerId
from engine.table.commands import SitOut, TopUp
from engine.table.errors import TableStopped
from engine.table.events import ClockResumed, TimeBankStarted
from tests.app.rooms.real import RealHouse, Table, killed, moving, real_house, until
from tests.app.store.house import Template, add_player
from tests.app.store.places import SqlitePlace
from tests.engine.table.desk import fingerprint
from tests.fakes import VirtualClock

PLAYERS = ("ann", "bob", "cid", "dan")
HOUR_MS = 3_600_000

CARDS_UNREADABLE = "UPDATE journal SET payload = x'7b' WHERE table_id = 't1x1' AND type = 'card_dealt'"
"""The first table of the first life has this id."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return Template(tmp_path_factory.mktemp("template"))


@pytest.fixture
def path(template: Template, tmp_path: Path) -> Path:
    return template.copy(tmp_path / "avenue.db")


async def furnished(house: RealHouse, **fields: int) -> tuple[Table, Table]:
    """Two tables with a hand at each; at the first somebody has acted, sat down and topped up since it began."""
    for player in PLAYERS:
        await add_player(house.store, player, chips=10_000)
    one, other = await house.table("ann", "bob", **fields), await house.table("cid", "dan", **fields)
    await one.act()
    await one.ask(TopUp(player=PlayerId("ann"), command_id=house.id(), added_chips=50))
    return one, other


def back(house: RealHouse, table: Table) -> Table:
    return house.at(house.rooms.room(table.id))


async def outcome(place: SqlitePlace, hand: str) -> tuple[str | None, str | None]:
    ((ended, reason),) = place.sql("SELECT outcome, cancel_reason FROM hands WHERE id = ?", hand)
    return ended, reason


@pytest.mark.parametrize(
    ("lived_ms", "left_ms"), [(0, 20_000), (8_000, 12_000), (15_000, 5_000), (19_999, MIN_RESUMED_TURN_MS)]
)
async def test_killed_in_the_middle_of_a_turn_it_goes_on_with_what_was_left(
    path: Path, lived_ms: int, left_ms: int
) -> None:
    clock = VirtualClock()
    async with real_house(path, clock) as house:
        one, _ = await furnished(house)
        turn, stood = one.turn(), fingerprint(one.state)
        clock.pass_over(lived_ms)
        await house.alive()
        # What happens after the last sign of life is not known to anybody.
        clock.pass_over(700)
        left = killed(path)
    later = VirtualClock(clock.now_ms() + HOUR_MS)
    async with real_house(left, later) as house:
        one = back(house, one)
        await until(lambda: one.paused is None)
        (resumed,) = [row for row in await one.rows() if isinstance(row.event, ClockResumed)]
        assert resumed.at_ms == later.now_ms()
        assert resumed.event == ClockResumed(seat=turn.seat, turn=turn.turn, deadline_ms=later.now_ms() + left_ms)
        assert (one.turn().turn, one.turn().options) == (turn.turn, turn.options)
        assert (await one.rows())[:-1] == (await one.rows())[: resumed.seq - 1]
        await later.advance(left_ms - 1)
        assert fingerprint(one.state) != stood, "it has been said"
        assert one.turn().turn == turn.turn, "and not a moment is lost"
        await one.play_out()
        assert await house.audit() == ()


async def test_killed_while_a_time_bank_runs_it_goes_on_with_what_was_left_of_it(path: Path) -> None:
    clock = VirtualClock()
    async with real_house(path, clock) as house:
        one, _ = await furnished(house, time_bank_ms=60_000)
        seat = one.turn().seat
        await clock.advance(20_000)
        await until(lambda: one.turn().time_bank_ms == 0)
        assert any(isinstance(event, TimeBankStarted) for event in await one.events())
        began_ms = next(row.at_ms for row in await one.rows() if isinstance(row.event, TimeBankStarted))
        clock.pass_over(17_000)
        await house.alive()
        alive_ms = clock.now_ms()
        left = killed(path)
    later = VirtualClock(alive_ms + HOUR_MS)
    async with real_house(left, later) as house:
        one = back(house, one)
        await until(lambda: one.paused is None)
        left_ms = 60_000 - (alive_ms - began_ms)
        assert one.turn().deadline_ms == later.now_ms() + left_ms
        later.pass_over(1_000)
        await one.act()
        assert one.state.seats[seat].time_bank_ms == left_ms - 1_000
        assert await house.audit() == ()


async def test_a_wall_clock_that_was_set_back_between_two_runs_stops_nothing(path: Path) -> None:
    clock = VirtualClock()
    async with real_house(path, clock) as house:
        one, other = await furnished(house)
        turn = one.turn()
        await other.ask(SitOut(player=PlayerId("cid"), command_id=house.id()))
        await other.play_out()
        assert other.state.seats[other.seat("cid")].sitting_out
        clock.pass_over(4_000)
        await house.alive()
        left_ms = turn.deadline_ms - clock.now_ms()
        left = killed(path)
    earlier = VirtualClock(clock.now_ms() - 24 * HOUR_MS)
    async with real_house(left, earlier) as house:
        one, other = back(house, one), back(house, other)
        await until(lambda: one.paused is None)
        assert one.turn().deadline_ms == earlier.now_ms() + left_ms
        await one.play_out()
        hands = one.state.hands
        await moving(earlier, lambda: one.state.hands > hands)
        began_ms = earlier.now_ms()
        await moving(earlier, lambda: other.state.seat_of(PlayerId("cid")) is None, step_ms=20_000)
        assert earlier.now_ms() - began_ms <= 620_000, "absence is counted from the start, not from tomorrow"
        assert await house.audit() == ()


async def test_a_hand_that_other_rules_decide_alike_is_played_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = VirtualClock()
    async with real_house(path, clock) as house:
        one, _ = await furnished(house)
        left = killed(path)
    monkeypatch.setattr(variants, "RULES_NUMBER", variants.RULES_NUMBER + 1)
    async with real_house(left, clock) as house:
        one = back(house, one)
        await until(lambda: one.paused is None)
        await one.play_out()
        assert "HandCancelled" not in [type(event).__name__ for event in await one.events()]
        assert await house.audit() == ()


async def test_a_hand_that_other_rules_decide_otherwise_is_void_and_everyone_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = VirtualClock()
    async with real_house(path, clock) as house:
        one, other = await furnished(house)
        hand = one.state.hand
        assert hand is not None
        left = killed(path)
    monkeypatch.setattr(variants, "RULES_NUMBER", variants.RULES_NUMBER + 1)
    options = betting.options
    monkeypatch.setattr(betting, "options", lambda *told: options(*told)[:-1])
    async with real_house(left, clock) as house:
        one, other = back(house, one), back(house, other)
        await until(lambda: one.state.hand is None and other.state.hand is None)
        assert '"hand_cancelled","reason":"rules"' in "".join(one.listener.texts)
        assert await outcome(SqlitePlace(left), hand.hand) == ("cancelled", "rules")
        assert stacks(one) == {"ann": 550, "bob": 500}
        told = [report for report in house.faults.reports if report.table == one.id]
        assert [(report.kind, report.hand, report.reason) for report in told] == [
            ("hand_cancelled", hand.hand, "rules")
        ]
        await moving(clock, lambda: one.state.hand is not None)
        assert await house.audit() == ()


async def test_a_journal_that_cannot_be_read_stops_its_table_alone_until_the_operator_opens_it(path: Path) -> None:
    clock = VirtualClock()
    async with real_house(path, clock) as house:
        one, other = await furnished(house)
        hand, seq, running = one.state.hand, one.state.seq, other.turn()
        assert hand is not None
        left = killed(path)
    place = SqlitePlace(left)
    place.tamper(CARDS_UNREADABLE)
    async with real_house(left, clock) as house:
        with pytest.raises(TableStopped):
            house.rooms.room(one.id)
        assert house.rooms.stopped == {one.id}
        (report,) = house.faults.reports
        assert (report.kind, report.table) == ("table_stopped", one.id)
        assert (report.code, report.reason) == ("fault/unreadable_event", "seal_broken")
        assert "card" not in report.where
        other = back(house, other)
        assert other.turn().turn == running.turn, "the other table notices nothing"
        await other.act()
        balances = place.balances()
        assert balances[f"seat:PLAY:{one.id}:ann"] == 550, "what lies there is safe"
        one = house.at(await house.rooms.reopen(one.id))
        await until(lambda: one.state.hand is None)
        (cancelled,) = [row for row in (await house.store.journal.events_after(one.id, seq, limit=1))]
        assert isinstance(cancelled.event, HandCancelled)
        assert cancelled.event.reason == "journal"
        assert await outcome(place, hand.hand) == ("cancelled", "journal")
        assert stacks(one) == {"ann": 550, "bob": 500}
        assert place.balances() == balances, "no chip has moved"
        assert [report.kind for report in house.faults.reports] == ["table_stopped", "hand_cancelled"]
        assert house.rooms.stopped == frozenset()
        await moving(clock, lambda: one.state.hand is not None)
        await one.play_out()
        with pytest.raises(NoSuchTable):
            await house.rooms.reopen(one.id)
        left = killed(left)
    async with real_house(left, clock) as house:
        one = back(house, one)
        assert not house.faults.reports, "it can be read again"
        assert sum(seat.account_chips for seat in one.state.seats.values()) <= 1_050


DAMAGES = {
    "an event is missing": "DELETE FROM journal WHERE table_id = 't1x1' AND type = 'turn_opened'",
    "a seat's event": "UPDATE journal SET payload = x'7b' WHERE table_id = 't1x1' AND type = 'top_up_queued'",
    "the hand's data": "UPDATE journal SET payload = x'7b' WHERE table_id = 't1x1' AND type = 'hand_started'",
    "another balance": "UPDATE accounts SET balance_chips = 549 WHERE id = 'seat:PLAY:t1x1:ann'",
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_where_even_the_seats_are_not_sure_it_stays_stopped(path: Path, damage: str) -> None:
    clock = VirtualClock()
    async with real_house(path, clock) as house:
        one, _ = await furnished(house)
        left = killed(path)
    place = SqlitePlace(left)
    place.tamper(CARDS_UNREADABLE, DAMAGES[damage])
    rows = place.sql("SELECT count(*) FROM journal WHERE table_id = ?", one.id)
    async with real_house(left, clock) as house:
        for _ in range(2):
            with pytest.raises(Fault):
                await house.rooms.reopen(one.id)
            assert house.rooms.stopped == {one.id}
        assert place.sql("SELECT count(*) FROM journal WHERE table_id = ?", one.id) == rows, "nothing was written"
        assert len(house.rooms) == 1


def stacks(table: Table) -> dict[str, int]:
    return {seat.player: seat.account_chips for seat in table.state.seats.values()}
