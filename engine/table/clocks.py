"""A table's clocks: when the next thing is due, and what happens then.

A turn has its own time, then what is left of the seat's time bank; when both are used up, silence decides by the rules
and the seat sits out from the next hand on. Deadlines are given back, never taken: a late look at the clocks shortens
nobody's bank. `owed_ms` is by how much turns last longer, because the table stood still; `back_ms` is when it came
back.
"""

from __future__ import annotations

from engine.limits import MIN_RESUMED_TURN_MS, MIN_RETURN_MS
from engine.rules import stud
from engine.table.change import Change, Decision, nothing
from engine.table.commands import DeadlinePassed, Resume
from engine.table.events import ClockResumed, SatOut, TimeBankStarted, Turn, TurnTimedOut
from engine.table.hands import hand_due_ms, play_on
from engine.table.settlement import cash_out
from engine.table.state import SeatState, TableState


def next_deadline_ms(state: TableState, *, quiet: bool, now_ms: int, owed_ms: int = 0, back_ms: int = 0) -> int | None:
    """The next moment at which a clock or the next hand is due; None when only a command can change anything."""
    clock_ms = clock_due_ms(state, now_ms=now_ms, owed_ms=owed_ms, back_ms=back_ms)
    hand_ms = hand_due_ms(state, quiet=quiet, now_ms=now_ms)
    if clock_ms is None or hand_ms is None:
        return hand_ms if clock_ms is None else clock_ms
    return min(clock_ms, hand_ms)


def clock_due_ms(state: TableState, *, now_ms: int, owed_ms: int = 0, back_ms: int = 0) -> int | None:
    """The next moment at which `DeadlinePassed` does something."""
    due = [turn.deadline_ms + owed_ms for turn in state.turns.values()]
    for seat in state.seats.values():
        absent_ms = _absent_due_ms(state, seat, now_ms=now_ms, back_ms=back_ms)
        if absent_ms is not None:
            due.append(absent_ms)
    return min(due, default=None)


def silent_since(state: TableState, moment_ms: int) -> Turn | None:
    """A turn that has been over since that moment or longer, and whose silence would decide: no bank is left to it."""
    silent = (turn for turn in state.turns.values() if turn.deadline_ms <= moment_ms and turn.time_bank_ms == 0)
    return next(silent, None)


def deadline_passed(state: TableState, command: DeadlinePassed, now_ms: int) -> Decision:
    """Do all that is due by now: begin time banks, time turns out, give up the seats of those away for too long."""
    turns = [turn for turn in state.turns.values() if turn.deadline_ms + command.owed_ms <= now_ms]
    absent = [
        seat
        for seat in state.seats.values()
        if (due_ms := _absent_due_ms(state, seat, now_ms=now_ms, back_ms=command.back_ms)) is not None
        and due_ms <= now_ms
    ]
    if not turns and not absent:
        return nothing(state)
    change = Change(state, now_ms)
    for turn in sorted(turns, key=lambda turn: (turn.deadline_ms, turn.seat)):
        if turn.seat in change.state.turns:
            _run_out(change, turn)
    for seat in sorted(absent, key=lambda seat: seat.seat):
        cash_out(change, seat, reason="absent")
    return change.decided()


def resume(state: TableState, command: Resume, now_ms: int) -> Decision:
    """Arm the clocks of open turns again: time in which the server was away is given back to the player.

    He has what was left when it stopped, as far as that is known, else the whole turn or bank; and a minimum.
    """
    if not state.turns:
        return nothing(state)
    change = Change(state, now_ms)
    for seat in sorted(state.turns):
        turn = state.turns[seat]
        whole_ms = state.seats[seat].time_bank_ms if state.bank_runs(seat) else state.config.turn_ms
        left_ms = whole_ms if command.stopped_ms is None else turn.deadline_ms - command.stopped_ms
        left_ms = max(min(left_ms, whole_ms), MIN_RESUMED_TURN_MS)
        change.say(ClockResumed(seat=seat, turn=turn.turn, deadline_ms=now_ms + left_ms))
    return change.decided()


def _absent_due_ms(state: TableState, seat: SeatState, *, now_ms: int, back_ms: int) -> int | None:
    """When a seat that sits out is given up, never within `MIN_RETURN_MS` after the table came back."""
    since_ms = seat.sitting_out_since_ms
    if since_ms is None or state.in_hand(seat.seat):
        return None
    if since_ms > now_ms:
        # The wall clock was set back while the server was away.
        since_ms = back_ms
    absent_ms = state.config.absent_ms
    return max(since_ms + absent_ms, back_ms + min(absent_ms, MIN_RETURN_MS))


def _run_out(change: Change, turn: Turn) -> None:
    if turn.time_bank_ms > 0:
        deadline_ms = change.now_ms + turn.time_bank_ms
        change.say(TimeBankStarted(seat=turn.seat, turn=turn.turn, deadline_ms=deadline_ms))
        return
    action = stud.on_timeout(change.hand, turn.seat)
    change.say(TurnTimedOut(seat=turn.seat, turn=turn.turn))
    if not change.state.seats[turn.seat].sitting_out:
        change.say(SatOut(seat=turn.seat, reason="timed_out"))
    change.take_in(stud.apply(change.hand, turn.seat, action))
    play_on(change)
