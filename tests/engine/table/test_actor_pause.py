"""A table that can keep nothing stands still, with its clocks, and goes on by itself."""

import asyncio
from itertools import pairwise

import pytest

from engine.limits import MAX_INBOX_COMMANDS, MAX_RETRY_PAUSE_MS, MIN_RESUMED_TURN_MS, MIN_RETURN_MS, SLOW_COMMIT_MS
from engine.rules.events import PlayerId
from engine.table import clocks
from engine.table.commands import SitIn, SitOut, StandUp, TopUp
from engine.table.errors import CommitFailed, CommitRefused, CommitUnknown, TableBusy, TableClosed, TablePaused
from engine.table.events import ClockResumed
from engine.table.ports import TableCommit
from engine.table.standstill import RETRY_PAUSES_MS, PauseReason
from tests.engine.table.desk import ANN, BOB, config, fingerprint, names
from tests.engine.table.rooms import Room
from tests.fakes import RecordingOutbox, settle

QUICK = config(time_bank_ms=0)


async def in_a_hand(room: Room) -> None:
    await room.sit("ann", "bob")
    await room.deal()


def told_of(room: Room) -> tuple[object, list[object]]:
    """Why it stands still now, and what everyone has been told so far."""
    return room.actor.paused, list(room.outbox.notices)


def top_up(command_id: str = "x", player: PlayerId = ANN) -> TopUp:
    return TopUp(player=player, command_id=command_id, added_chips=5)


def disk_full(*, times: int) -> list[Exception]:
    return [CommitFailed(reason="not_written", error="SQLITE_FULL") for _ in range(times)]


async def test_what_cannot_be_kept_is_sent_back_and_may_be_sent_again_when_the_table_goes_on() -> None:
    async with Room() as room:
        await room.sit("ann")
        before, told = fingerprint(room.state), len(room.outbox.published)
        room.journal.fail_next(*disk_full(times=3))
        with pytest.raises(TablePaused) as paused:
            await room.ask(top_up())
        assert paused.value.fields == {"reason": "storage_failed"}
        assert told_of(room) == ("storage_failed", ["storage_failed"])
        with pytest.raises(TablePaused):
            await room.ask(top_up())
        await room.clock.advance(sum(RETRY_PAUSES_MS[:2]))
        assert room.actor.paused == "storage_failed"
        assert fingerprint(room.state) == before
        assert len(room.outbox.published) == told
        await room.clock.advance(RETRY_PAUSES_MS[2])
        assert told_of(room) == (None, ["storage_failed", None])
        assert fingerprint(room.state) == before, "that it goes on takes no number"
        assert await room.ask(top_up()) == 3
        assert room.journal.ledger.seat("ann") == 1_005


async def test_it_is_reported_once_and_with_the_word_of_the_store() -> None:
    async with Room() as room:
        await in_a_hand(room)
        room.journal.fail_next(*disk_full(times=50))
        with pytest.raises(TablePaused):
            await room.ask(top_up())
        await room.clock.advance(60_000)
        (report,) = room.faults.reports
        assert (report.command, report.code, report.reason) == (
            "TopUp",
            "fault/commit_failed",
            "not_written SQLITE_FULL",
        )


async def test_it_tries_again_further_and_further_apart_and_does_not_spin() -> None:
    class Asking(list[int]):
        async def commit(self, commit: TableCommit) -> None:
            self.append(room.clock.now_ms())
            raise CommitFailed

    async with Room() as room:
        await in_a_hand(room)
        asked = Asking()
        room.actor._journal = asked  # noqa: SLF001 - the store goes away under it
        await room.clock.advance(20_000 + 600_000)
        pauses = [after - before for before, after in pairwise(asked)]
        assert tuple(pauses[: len(RETRY_PAUSES_MS)]) == RETRY_PAUSES_MS
        assert set(pauses[len(RETRY_PAUSES_MS) :]) == {MAX_RETRY_PAUSE_MS}
        assert len(room.clock.waiting) == 1
        room.actor._journal = room.journal  # noqa: SLF001 - and comes back
        await room.clock.advance(MAX_RETRY_PAUSE_MS)
        assert room.actor.paused is None


@pytest.mark.parametrize(
    ("fails_after_ms", "out_ms", "left_ms"),
    [(0, 500, 20_000), (5_000, 60_000, 15_000), (18_000, 3_600_000, MIN_RESUMED_TURN_MS)],
)
async def test_clocks_stand_while_nothing_can_be_kept_and_the_time_is_given_back(
    fails_after_ms: int, out_ms: int, left_ms: int
) -> None:
    async with Room(QUICK) as room:
        await in_a_hand(room)
        turn = room.turn()
        await room.clock.advance(fails_after_ms)
        room.journal.fail_next(*disk_full(times=10_000))
        with pytest.raises(TablePaused):
            await room.ask(top_up())
        await room.clock.advance(out_ms)
        assert names(room.events)[-1] == "TurnOpened", "no clock has run out"
        room.journal.fail_nothing_more()
        await room.clock.advance(MAX_RETRY_PAUSE_MS)
        (resumed,) = [event for event in room.events if isinstance(event, ClockResumed)]
        at_ms = room.journal.rows[-1][1]
        assert resumed == ClockResumed(seat=turn.seat, turn=turn.turn, deadline_ms=at_ms + left_ms)
        assert room.outbox.events[-1] == resumed, "it is said"
        await room.clock.advance(resumed.deadline_ms - room.clock.now_ms() - 1)
        assert "TurnTimedOut" not in names(room.events)
        await room.act("bring_in")


async def test_a_time_bank_stands_too() -> None:
    async with Room() as room:
        await in_a_hand(room)
        player = room.on_turn()
        await room.clock.advance(20_000 + 10_000)
        room.journal.fail_next(*disk_full(times=10_000))
        with pytest.raises(TablePaused):
            await room.ask(top_up())
        await room.clock.advance(300_000)
        room.journal.fail_nothing_more()
        await room.clock.advance(MAX_RETRY_PAUSE_MS)
        assert names(room.events)[-1] == "ClockResumed"
        gone_ms = room.clock.now_ms() - room.journal.rows[-1][1]
        await room.act("bring_in")
        assert room.state.seats[room.seat(player)].time_bank_ms == 50_000 - gone_ms


async def test_a_silence_that_could_not_be_kept_is_no_silence_yet() -> None:
    """The very commit of the timeout fails: the player has time again when the table is back."""
    async with Room(QUICK) as room:
        await in_a_hand(room)
        room.journal.fail_next(*disk_full(times=4))
        await room.clock.advance(20_000 + sum(RETRY_PAUSES_MS[:4]))
        assert names(room.events)[-1] == "ClockResumed"
        assert room.turn().deadline_ms == room.clock.now_ms() + MIN_RESUMED_TURN_MS
        await room.clock.advance(MIN_RESUMED_TURN_MS)
        assert names(room.events).count("TurnTimedOut") == 1
        assert "HandCancelled" not in names(room.events)


async def test_a_hand_is_dealt_when_the_table_goes_on_and_not_before() -> None:
    async with Room() as room:
        await room.sit("ann", "bob")
        room.journal.fail_next(*disk_full(times=3))
        await room.clock.advance(3_000)
        assert room.actor.paused == "storage_failed"
        await room.clock.advance(sum(RETRY_PAUSES_MS[:3]))
        assert room.state.hand is not None
        assert names(room.events).count("HandStarted") == 1


async def test_what_waits_when_it_stands_still_is_sent_back_in_order() -> None:
    async with Room() as room:
        await room.sit("ann")
        room.journal.hold()
        first = room.actor.submit(top_up("first"))
        await settle()
        waiting = [room.actor.submit(top_up(f"w{number}")) for number in range(MAX_INBOX_COMMANDS)]
        with pytest.raises(TableBusy):
            await room.actor.submit(top_up("late"))
        room.journal.fail_next(*disk_full(times=1))
        room.journal.release()
        for future in (first, *waiting):
            with pytest.raises(TablePaused):
                await future
        assert room.journal.ledger.seat("ann") == 1_000
        assert len(room.faults.reports) == 1


async def test_a_slow_commit_is_told_and_stands_in_nobodys_clock() -> None:
    async with Room(QUICK) as room:
        await in_a_hand(room)
        turn = room.turn()
        room.journal.hold()
        slow = room.actor.submit(top_up())
        await room.clock.advance(SLOW_COMMIT_MS - 1)
        assert room.outbox.notices == []
        await room.clock.advance(1)
        assert room.outbox.notices == ["storage_slow"]
        with pytest.raises(TablePaused):
            await room.ask(top_up("late"))
        await room.clock.advance(30_000)
        room.journal.release()
        assert await slow == room.journal.answers[-1].seq
        await settle()
        assert room.outbox.notices == ["storage_slow", None]
        assert names(room.events)[-2:] == ["TopUpQueued", "ClockResumed"]
        assert room.turn().deadline_ms == turn.deadline_ms + SLOW_COMMIT_MS + 30_000


async def test_a_commit_within_the_bound_is_nobodys_business() -> None:
    async with Room(QUICK) as room:
        await in_a_hand(room)
        turn = room.turn()
        room.journal.hold()
        asked = room.actor.submit(top_up())
        await room.clock.advance(SLOW_COMMIT_MS - 1)
        room.journal.release()
        await asked
        await settle()
        assert room.outbox.notices == []
        assert room.turn() == turn


async def test_who_is_asked_by_a_slow_commit_has_his_whole_time_from_when_he_hears_of_it() -> None:
    async with Room(QUICK) as room:
        await in_a_hand(room)
        room.journal.hold()
        acting = room.actor.submit(room.wish("bring_in"))
        await room.clock.advance(19_000)
        room.journal.release()
        await acting
        await settle()
        assert room.turn().turn == 2
        assert room.turn().deadline_ms == room.clock.now_ms() + 20_000


@pytest.mark.parametrize("held_ms", [SLOW_COMMIT_MS - 1, 2 * SLOW_COMMIT_MS, 60_000])
async def test_an_act_that_waited_before_its_deadline_wins_over_the_timeout(held_ms: int) -> None:
    async with Room(QUICK) as room:
        await in_a_hand(room)
        await room.clock.advance(20_000 - 10)
        room.journal.hold()
        other = room.actor.submit(top_up())
        await settle()
        acting = room.actor.submit(room.wish("bring_in"))
        await room.clock.advance(held_ms)
        room.journal.release()
        await other
        await acting
        await settle()
        assert "TurnTimedOut" not in names(room.events)
        assert names(room.events).count("BringInPosted") == 1


async def test_a_disk_that_stays_slow_slows_the_table_down_and_stops_it_not() -> None:
    """Every commit takes twice the bound. Nobody is timed out before his time, and everybody is in the end."""

    class SlowDisk:
        async def commit(self, commit: TableCommit) -> None:
            done = asyncio.Event()
            room.clock.call_at(room.clock.now_ms() + 2 * SLOW_COMMIT_MS, done.set)
            await done.wait()
            await room.journal.commit(commit)

    async with Room(QUICK) as room:
        await in_a_hand(room)
        turn, begun_ms = room.turn(), room.clock.now_ms()
        room.actor._journal = SlowDisk()  # noqa: SLF001 - from here on
        await room.clock.advance(200_000)
        timed_out_ms = [at_ms for _, at_ms, event in room.journal.rows if type(event).__name__ == "TurnTimedOut"]
        assert timed_out_ms[0] >= turn.deadline_ms
        assert timed_out_ms[0] - begun_ms <= 20_000 + 10 * SLOW_COMMIT_MS
        assert names(room.events).count("HandEnded") >= 1
        assert "HandCancelled" not in names(room.events)
        resumed = names(room.events).count("ClockResumed")
        assert 1 <= resumed <= len(room.journal.commits) // 2, "it does more than to set its clocks"
        room.actor._journal = room.journal  # noqa: SLF001 - the commit in flight must not be waited for


async def test_a_refusal_that_came_slowly_ends_the_pause_too() -> None:
    async with Room(QUICK) as room:
        await in_a_hand(room)
        turn = room.turn()
        room.journal.hold()
        room.journal.fail_next(CommitRefused("wallet/insufficient"))
        asked = room.actor.submit(top_up())
        await room.clock.advance(5_000)
        room.journal.release()
        with pytest.raises(CommitRefused):
            await asked
        await settle()
        assert room.outbox.notices == ["storage_slow", None]
        assert room.turn().deadline_ms == turn.deadline_ms + 5_000


async def test_a_slow_commit_that_fails_in_the_end_is_a_pause_of_another_kind() -> None:
    async with Room(QUICK) as room:
        await in_a_hand(room)
        turn = room.turn()
        room.journal.hold()
        room.journal.fail_next(*disk_full(times=1))
        asked = room.actor.submit(top_up())
        await room.clock.advance(5_000)
        room.journal.release()
        with pytest.raises(TablePaused):
            await asked
        await room.clock.advance(RETRY_PAUSES_MS[0])
        assert room.outbox.notices == ["storage_slow", "storage_failed", None]
        assert room.turn().deadline_ms == turn.deadline_ms + 5_000 + RETRY_PAUSES_MS[0]


async def test_a_hand_whose_clocks_cannot_be_set_anew_is_cancelled_when_the_store_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError

    async with Room(QUICK) as room:
        await in_a_hand(room)
        room.journal.fail_next(*disk_full(times=2))
        with pytest.raises(TablePaused):
            await room.ask(top_up())
        with monkeypatch.context() as patch:
            patch.setattr(clocks, "ClockResumed", breaks)
            await room.clock.advance(10_000)
        assert names(room.events).count("HandCancelled") == 1
        assert room.actor.paused is None
        assert [report.kind for report in room.faults.reports] == ["fault", "fault", "hand_cancelled"]


async def test_stopping_does_not_wait_for_a_store_that_keeps_nothing() -> None:
    async with Room() as room:
        await in_a_hand(room)
        room.journal.fail_next(*disk_full(times=10_000))
        with pytest.raises(TablePaused):
            await room.ask(top_up())
        await room.actor.stop()
        assert room.task.done()
        assert room.clock.waiting == []
        with pytest.raises(TableClosed):
            await room.ask(top_up())


async def test_after_a_commit_of_which_nobody_knows_the_clock_has_what_was_left_when_it_began() -> None:
    async with Room(QUICK) as room:
        await in_a_hand(room)
        await room.clock.advance(8_000)
        room.journal.hold()
        room.journal.lose_next_answer(ConnectionResetError())
        asked = room.actor.submit(top_up())
        await room.clock.advance(30_000)
        room.journal.release()
        with pytest.raises(CommitUnknown):
            await asked
        await settle()
        stopped_ms = room.actor.stopped_ms
        assert stopped_ms == room.clock.now_ms() - 30_000
        room.clock.pass_over(60_000)
        room.come_back(stopped_ms=stopped_ms)
        assert room.actor.paused == "recovering"
        await settle()
        assert told_of(room) == (None, ["storage_slow", None])
        assert room.turn().deadline_ms == room.clock.now_ms() + 12_000


@pytest.mark.parametrize("stood_ms", [SLOW_COMMIT_MS, 60_000])
async def test_a_process_that_stood_times_nobody_out_when_it_wakes_up_and_spares_him_once(stood_ms: int) -> None:
    async with Room(QUICK) as room:
        await in_a_hand(room)
        silent = room.on_turn()
        room.clock.pass_over(20_000 + stood_ms)
        room.clock.ring_due()
        await settle()
        assert names(room.events)[-1] == "ClockResumed"
        assert room.turn().deadline_ms == room.clock.now_ms() + MIN_RESUMED_TURN_MS
        assert room.on_turn() == silent
        room.clock.pass_over(MIN_RESUMED_TURN_MS + stood_ms)
        room.clock.ring_due()
        await settle()
        assert names(room.events).count("TurnTimedOut") == 1
        assert names(room.events).count("ClockResumed") == 1


async def test_a_look_at_the_clock_that_is_a_little_late_spares_nobody() -> None:
    async with Room(QUICK) as room:
        await in_a_hand(room)
        room.clock.pass_over(20_000 + SLOW_COMMIT_MS - 1)
        room.clock.ring_due()
        await settle()
        assert "TurnTimedOut" in names(room.events)
        assert "ClockResumed" not in names(room.events)


async def test_who_sits_out_keeps_his_seat_for_a_while_after_the_table_is_back() -> None:
    """Nobody could have sat in while nothing was kept."""
    async with Room() as room:
        await room.sit("ann")
        await room.ask(SitOut(player=ANN, command_id="out"))
        room.journal.fail_next(*disk_full(times=10_000))
        with pytest.raises(TablePaused):
            await room.ask(top_up())
        await room.clock.advance(900_000)
        room.journal.fail_nothing_more()
        await room.clock.advance(MAX_RETRY_PAUSE_MS)
        assert room.actor.paused is None
        await room.clock.advance(MIN_RETURN_MS - MAX_RETRY_PAUSE_MS)
        assert room.state.seat_of(ANN) is not None
        await room.ask(SitIn(player=ANN, command_id="in"))
        await room.clock.advance(900_000)
        assert room.state.seat_of(ANN) is not None


async def test_b176_a_seat_is_kept_as_long_as_was_promised_on_every_path() -> None:
    """Timed out with chips; the table empties, somebody new comes, the process dies and the disk fails meanwhile."""
    async with Room(QUICK) as room:
        await in_a_hand(room)
        gone = room.on_turn()
        other = BOB if gone == ANN else ANN
        await room.clock.advance(20_000)
        out_ms = room.clock.now_ms()
        assert room.state.seats[room.seat(gone)].sitting_out_since_ms == out_ms
        while room.state.hand is not None:
            await room.act("check", "call", "bring_in")
        chips = room.journal.ledger.seat(gone)
        await room.ask(StandUp(player=other, command_id="up"))
        assert list(room.state.seats) == [room.seat(gone)]
        await room.clock.advance(100_000)
        await room.sit("cid")
        await room.crash()
        room.come_back(stopped_ms=room.clock.now_ms())
        room.journal.fail_next(*disk_full(times=2))
        with pytest.raises(TablePaused):
            await room.ask(top_up("t", PlayerId("cid")))
        await room.clock.advance(out_ms + 600_000 - room.clock.now_ms() - 1)
        assert room.state.seat_of(gone) is not None, "not a moment before"
        await room.clock.advance(1)
        assert room.state.seat_of(gone) is None, "and then once"
        assert names(room.events).count("PlayerLeft") == 2
        assert (room.journal.ledger.seat(gone), room.journal.ledger.wallet(gone)) == (0, 1_000_000 - 1_000 + chips)


async def test_an_outbox_that_raises_at_a_pause_harms_nobody() -> None:
    class Broken(RecordingOutbox):
        def paused(self, reason: PauseReason | None) -> None:
            raise RuntimeError

    async with Room(outbox=Broken()) as room:
        await room.sit("ann")
        room.journal.fail_next(*disk_full(times=1))
        with pytest.raises(TablePaused):
            await room.ask(top_up())
        await room.clock.advance(RETRY_PAUSES_MS[0])
        assert await room.ask(top_up()) == 3
        assert [report.command for report in room.faults.reports] == ["paused", "TopUp", "paused"]
