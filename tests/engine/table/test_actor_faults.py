"""What goes wrong at one table stays there, moves no chip, and is told without a card."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from engine.limits import FAULT_PAUSE_MS
from engine.rules import stud
from engine.rules.errors import Fault, LawBroken
from engine.rules.events import HandCancelled, PlayerId
from engine.table import settlement
from engine.table.commands import SitOut, TopUp
from engine.table.errors import CommitFailed, CommitRefused, CommitUnknown, StaleOwner, TableClosed, TablePaused
from engine.table.events import TableId
from engine.table.ports import LastCommand, Published
from engine.table.standstill import RETRY_PAUSES_MS
from tests.engine.table.desk import ANN, BOB, config, fingerprint, names
from tests.engine.table.rooms import Room
from tests.fakes import RecordingOutbox, VirtualClock, settle

Breaker = Callable[..., Any]


class Planted(Exception):
    """A mistake in our own code; its message holds what must not be told."""

    def __init__(self) -> None:
        super().__init__("As Kd of ann")


async def in_a_hand(room: Room) -> Room:
    await room.sit("ann", "bob")
    await room.deal()
    return room


def broken(error: Callable[[], Exception]) -> Breaker:
    def fails(*_: object, **__: object) -> None:
        raise error()

    return fails


async def test_b173_a_command_that_makes_our_code_raise_is_our_fault_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Room() as room:
        await in_a_hand(room)
        before = fingerprint(room.state)
        wish = room.wish("bring_in")
        with monkeypatch.context() as patch:
            patch.setattr(stud, "apply", broken(Planted))
            with pytest.raises(Fault) as failed:
                await room.ask(wish)
        assert failed.value.code == "fault/internal"
        assert fingerprint(room.state) == before
        assert not room.task.done()
        assert await room.ask(wish) > 0, "the same command may be sent again"


async def test_no_players_command_cancels_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Room() as room:
        await in_a_hand(room)
        with monkeypatch.context() as patch:
            patch.setattr(stud, "apply", broken(lambda: LawBroken(law="planted")))
            for _ in range(20):
                with pytest.raises(LawBroken):
                    await room.act("bring_in")
        assert room.state.hand is not None
        assert "HandCancelled" not in names(room.events)


async def test_b005_a_hand_that_cannot_go_on_is_cancelled_and_the_others_notice_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = VirtualClock()
    rooms = [Room(config(time_bank_ms=0), table=TableId(f"t{number}"), clock=clock) for number in range(21)]
    for room in rooms:
        await room.__aenter__()
        await room.sit("ann", "bob")
    await clock.advance(3_000)
    sick, *healthy = rooms
    true_timeout = stud.on_timeout

    def fails_at_one_table(hand: Any, seat: Any) -> Any:
        if hand.hand.startswith("t0-"):
            raise LawBroken(law="planted")
        return true_timeout(hand, seat)

    with monkeypatch.context() as patch:
        patch.setattr(stud, "on_timeout", fails_at_one_table)
        await clock.advance(20_000)
    cancelled = sick.events[-1]
    assert isinstance(cancelled, HandCancelled)
    assert cancelled.reason == "fault"
    assert sick.outbox.events[-1] == cancelled, "everyone at the table is told"
    assert {seat.stack_chips for seat in sick.state.seats.values()} == {1_000}
    assert sick.journal.ledger.seat("ann", "t0") == 1_000
    for room in healthy:
        assert not room.faults.reports
        assert "HandCancelled" not in names(room.events)
        assert room.outbox.events == room.events[1:]
        assert names(room.events).count("TurnTimedOut") == 1
    await clock.advance(3_000)
    assert sick.state.hand is not None, "the next hand is dealt"
    for room in rooms:
        await room.__aexit__(None, None, None)


async def test_b005_a_settlement_that_fails_leaves_the_hand_and_then_rolls_it_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = VirtualClock()
    rooms = [Room(config(time_bank_ms=0), table=TableId(f"t{number}"), clock=clock) for number in range(3)]
    for room in rooms:
        await room.__aenter__()
        await room.sit("ann", "bob")
    await clock.advance(3_000)
    sick, *healthy = rooms
    true_book = settlement._book  # noqa: SLF001 - where the pots go to the seats

    def fails_at_one_table(change: Any, ended: Any) -> None:
        if change.state.table == "t0":
            raise LawBroken(law="planted")
        true_book(change, ended)

    with monkeypatch.context() as patch:
        patch.setattr(settlement, "_book", fails_at_one_table)
        for room in rooms:
            await room.act("bring_in")
        with pytest.raises(LawBroken):
            await sick.act("fold")
        assert sick.state.hand is not None, "the player's fold is refused, and the hand is frozen"
        for room in healthy:
            await room.act("fold")
        await clock.advance(20_000)
    assert names(sick.events)[-1] == "HandCancelled"
    assert {seat.stack_chips for seat in sick.state.seats.values()} == {1_000}
    for room in healthy:
        assert not room.faults.reports
        assert "HandEnded" in names(room.events)
    for room in rooms:
        await room.__aexit__(None, None, None)


async def test_what_is_told_of_a_fault_holds_no_card_and_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Room() as room:
        await in_a_hand(room)
        with monkeypatch.context() as patch:
            patch.setattr(stud, "apply", broken(Planted))
            with pytest.raises(Fault) as failed:
                await room.act("bring_in")
        (report,) = room.faults.reports
        assert (report.table, report.command, report.error, report.code) == ("t1", "Act", "Planted", None)
        assert any(place.startswith("engine.table.hands:") for place in report.where)
        told = repr(report) + repr(failed.value) + str(failed.value.fields) + repr(failed.value.__cause__)
        assert not re.findall(r"\b[2-9TJQKA][cdhs]\b", told)


async def test_a_commit_that_can_never_be_kept_is_our_fault_and_the_table_goes_on() -> None:
    async with Room() as room:
        await room.sit("ann")
        before = fingerprint(room.state)
        room.journal.fail_next(CommitFailed(for_good=True, reason="bad_value"))
        top_up = TopUp(player=ANN, command_id="x", added_chips=5)
        with pytest.raises(CommitFailed):
            await room.ask(top_up)
        assert fingerprint(room.state) == before
        assert names(room.outbox.events) == ["PlayerSat"]
        assert not room.outbox.notices, "the others may go on"
        assert await room.ask(top_up) == 3
        assert [(report.code, report.reason) for report in room.faults.reports] == [
            ("fault/commit_failed", "bad_value")
        ]


async def test_a_clock_that_can_never_be_kept_cancels_the_hand() -> None:
    async with Room(config(time_bank_ms=0)) as room:
        await in_a_hand(room)
        room.journal.fail_next(CommitFailed(for_good=True))
        await room.clock.advance(20_000)
        assert names(room.events)[-1] == "HandCancelled"
        assert not room.outbox.notices


async def test_a_result_that_the_ledger_refuses_cancels_the_hand_when_the_clock_says_so() -> None:
    async with Room(config(time_bank_ms=0)) as room:
        await in_a_hand(room)
        await room.act("bring_in")
        room.journal.fail_next(CommitRefused("wallet/insufficient"))
        await room.clock.advance(20_000)
        assert names(room.events)[-1] == "HandCancelled"
        assert room.journal.ledger.seat("ann") == 1_000


async def test_a_hand_that_cannot_even_be_cancelled_ends_the_loop_so_that_the_journal_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Room(config(time_bank_ms=0)) as room:
        await in_a_hand(room)
        before = fingerprint(room.state)
        with monkeypatch.context() as patch:
            patch.setattr(stud, "on_timeout", broken(Planted))
            patch.setattr(stud, "cancel", broken(Planted))
            await room.clock.advance(20_000)
        assert room.task.done()
        assert room.actor.gave_up
        assert fingerprint(room.state) == before
        assert [report.command for report in room.faults.reports] == ["DeadlinePassed", "CancelHand"]
        assert room.clock.waiting == []
        with pytest.raises(TablePaused):
            await room.ask(TopUp(player=ANN, command_id="x", added_chips=5))


async def test_the_operator_hears_of_a_cancelled_hand_with_the_command_that_came_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Room(config(time_bank_ms=0)) as room:
        await in_a_hand(room)
        hand = room.state.hand
        assert hand is not None
        await room.ask(TopUp(player=BOB, command_id="x7", added_chips=5))
        with monkeypatch.context() as patch:
            patch.setattr(stud, "on_timeout", broken(Planted))
            await room.clock.advance(20_000)
        fault, cancelled = room.faults.reports
        assert (fault.kind, fault.command, fault.error) == ("fault", "DeadlinePassed", "Planted")
        assert cancelled == replace(
            fault, kind="hand_cancelled", reason="fault", hand=hand.hand, last=LastCommand("TopUp", BOB, "x7")
        )


async def test_no_deck_to_be_had_deals_nothing_and_is_tried_again() -> None:
    class NoDecks:
        def __init__(self) -> None:
            self.asked = 0

        def deck(self) -> Any:
            self.asked += 1
            raise OSError("no entropy")

    decks = NoDecks()
    async with Room(decks=decks) as room:
        await room.sit("ann", "bob")
        await room.clock.advance(3_000 + 5 * FAULT_PAUSE_MS)
        assert room.state.hand is None
        assert decks.asked == 6
        assert {report.command for report in room.faults.reports} == {"deck"}
        await room.ask(SitOut(player=ANN, command_id="x"))


async def test_a_hand_that_cannot_begin_leaves_the_table_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Room() as room:
        await room.sit("ann", "bob")
        before = fingerprint(room.state)
        with monkeypatch.context() as patch:
            patch.setattr(stud, "start", broken(Planted))
            await room.clock.advance(5_000)
        assert fingerprint(room.state) == before
        await room.clock.advance(FAULT_PAUSE_MS)
        assert room.state.hand is not None


async def test_an_owner_that_is_no_more_stops() -> None:
    async with Room() as room:
        await room.sit("ann")
        room.journal.epoch += 1
        waiting = [room.actor.submit(SitOut(player=ANN, command_id=name)) for name in ("a", "b")]
        with pytest.raises(StaleOwner):
            await waiting[0]
        with pytest.raises(TableClosed):
            await waiting[1]
        await settle()
        assert room.task.done()
        with pytest.raises(TableClosed):
            await room.ask(SitOut(player=ANN, command_id="c"))


async def test_after_a_commit_of_which_nobody_knows_the_table_stops_and_is_recovered() -> None:
    async with Room() as room:
        await room.sit("ann", "bob")
        room.journal.lose_next_answer(ConnectionResetError())
        top_up = TopUp(player=ANN, command_id="x", added_chips=5)
        with pytest.raises(CommitUnknown):
            await room.ask(top_up)
        await settle()
        assert room.task.done()
        assert room.faults.reports[-1].error == "ConnectionResetError"
        room.come_back()
        assert await room.ask(top_up) == room.state.seq, "it had happened, and is not done twice"
        assert room.journal.ledger.seat("ann") == 1_005


async def test_an_outbox_that_raises_harms_nobody() -> None:
    class Broken(RecordingOutbox):
        def publish(self, published: Published) -> None:
            raise Planted

    async with Room(outbox=Broken()) as room:
        await room.sit("ann")
        assert room.state.seq == 2
        assert [report.command for report in room.faults.reports] == ["publish"]


async def test_a_task_that_is_cancelled_answers_all_who_wait() -> None:
    async with Room() as room:
        room.journal.hold()
        asked = [room.actor.submit(SitOut(player=PlayerId(name), command_id="x")) for name in ("ann", "bob")]
        sitting = asyncio.create_task(room.sit("cid"))
        late = room.actor.submit(SitOut(player=PlayerId("dan"), command_id="x"))
        await settle()
        late_after = room.actor.submit(SitOut(player=PlayerId("eve"), command_id="x"))
        await room.crash()
        for future in (*asked, late):
            assert future.done()
        with pytest.raises(CommitUnknown):
            await sitting
        with pytest.raises(TablePaused):
            await late_after


@pytest.mark.parametrize(("died_after_ms", "left_ms"), [(None, 20_000), (12_000, 8_000), (19_000, 5_000)])
async def test_after_a_crash_the_turn_stands_with_the_time_that_was_left(
    died_after_ms: int | None, left_ms: int
) -> None:
    async with Room() as room:
        await in_a_hand(room)
        turn, hand = room.turn(), fingerprint(room.state)
        stopped_ms = None if died_after_ms is None else room.clock.now_ms() + died_after_ms
        await room.crash()
        room.clock.pass_over(3_600_000)
        room.come_back(stopped_ms=stopped_ms)
        assert fingerprint(room.state) == hand
        await room.clock.advance()
        assert names(room.events)[-1] == "ClockResumed"
        assert (room.turn().seat, room.turn().turn, room.turn().options) == (turn.seat, turn.turn, turn.options)
        assert room.turn().deadline_ms == room.clock.now_ms() + left_ms
        await room.clock.advance(left_ms - 1)
        assert names(room.events)[-1] == "ClockResumed"
        await room.act("bring_in")


async def test_no_clock_runs_out_before_it_is_armed_again() -> None:
    async with Room(config(time_bank_ms=0)) as room:
        await in_a_hand(room)
        await room.crash()
        room.clock.pass_over(3_600_000)
        room.journal.fail_next(CommitFailed(), CommitFailed())
        room.come_back()
        await room.clock.advance(sum(RETRY_PAUSES_MS[:2]))
        assert "TurnTimedOut" not in names(room.events)
        assert names(room.events)[-1] == "ClockResumed"
