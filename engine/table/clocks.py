"""A table's clocks: when the next thing is due, and what happens then.

A turn has its own time, then what is left of the seat's time bank; when both are used up, silence decides by the rules
and the seat sits out from the next hand on. Deadlines are given back, never taken: a late look at the clocks shortens
nobody's bank.
"""

from __future__ import annotations

from engine.limits import MIN_RESUMED_TURN_MS
from engine.rules import stud
from engine.table.change import Change, Decision, nothing
from engine.table.commands import Resume
from engine.table.events import ClockResumed, SatOut, TimeBankStarted, Turn, TurnTimedOut
from engine.table.hands import hand_due_ms, play_on
from engine.table.settlement import cash_out
from engine.table.state import SeatState, TableState


def next_deadline_ms(state: TableState, *, quiet: bool) -> int | None:
    """The next moment at which a clock or the next hand is due; None when only a command can change anything."""
    clock_ms, hand_ms = clock_due_ms(state), hand_due_ms(state, quiet=quiet)
    if clock_ms is None or hand_ms is None:
        return hand_ms if clock_ms is None else clock_ms
    return min(clock_ms, hand_ms)


def clock_due_ms(state: TableState) -> int | None:
    """The next moment at which `DeadlinePassed` does something."""
    due = [turn.deadline_ms for turn in state.turns.values()]
    for seat in state.seats.values():
        if seat.sitting_out_since_ms is not None and not state.in_hand(seat.seat):
            due.append(seat.sitting_out_since_ms + state.config.absent_ms)
    return min(due, default=None)


def deadline_passed(state: TableState, now_ms: int) -> Decision:
    """Do all that is due by now: begin time banks, time turns out, give up the seats of those away for too long."""
    turns = [turn for turn in state.turns.values() if turn.deadline_ms <= now_ms]
    absent = [seat for seat in state.seats.values() if _is_absent(state, seat, now_ms)]
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


def _is_absent(state: TableState, seat: SeatState, now_ms: int) -> bool:
    since_ms = seat.sitting_out_since_ms
    return since_ms is not None and not state.in_hand(seat.seat) and since_ms + state.config.absent_ms <= now_ms


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
