"""A table as it stands after its last event, and the one fold that brings it there.

Live play, recovery and replay fold the same events with the same times and so come to the same state. Folding asks
neither the rules nor a clock: whatever was decided stands in the event.
"""

from __future__ import annotations

from copy import copy
from typing import assert_never

import msgspec
from msgspec.structs import replace

from engine.rules import stud
from engine.rules.actions import SeatNo
from engine.rules.errors import LawBroken
from engine.rules.events import (
    AntePosted,
    BetMade,
    BetsCollected,
    BringInPosted,
    Called,
    CardBurnt,
    CardDealt,
    Checked,
    CommonCardDealt,
    Completed,
    Folded,
    HandCancelled,
    HandEnded,
    HandEvent,
    HandMucked,
    HandShown,
    HandsTabled,
    HandStarted,
    PlayerId,
    PotAwarded,
    Raised,
    RakeTaken,
    RoundOpened,
    UncalledReturned,
)
from engine.rules.stud import StudHand
from engine.table.events import (
    AnyEvent,
    ClockResumed,
    LeaveAnnounced,
    PlayerLeft,
    PlayerSat,
    SatIn,
    SatOut,
    TableConfig,
    TableEvent,
    TableId,
    TableOpened,
    TimeBankStarted,
    ToppedUp,
    TopUpQueued,
    Turn,
    TurnOpened,
    TurnTimedOut,
)


class SeatState(msgspec.Struct, frozen=True):
    """A taken seat. During a hand `stack_chips` stays what it was before the ante; the hand knows what is behind.

    `stack_chips + queued_chips` is at any time the balance of the seat's account. `time_bank_ms` is what is left of
    the bank, and while it runs what was left when it began.
    """

    seat: SeatNo
    player: PlayerId
    name: str
    house_bot: bool
    stack_chips: int
    time_bank_ms: int
    queued_chips: int = 0
    sitting_out_since_ms: int | None = None
    leaving: bool = False

    @property
    def account_chips(self) -> int:
        return self.stack_chips + self.queued_chips

    @property
    def sitting_out(self) -> bool:
        return self.sitting_out_since_ms is not None

    @property
    def ready(self) -> bool:
        """Whether the seat is dealt into the next hand."""
        return self.sitting_out_since_ms is None and not self.leaving and self.stack_chips > 0


class TableState(msgspec.Struct):
    """All that a table's decisions need, and all that its events tell.

    `seq` is the number of the last event and `at_ms` its time. `hands` counts those dealt, `last_turn` the turns of
    the running hand. `cast` is who plays in the running hand, by seat; it is replaced, never changed. `turns` are the
    open ones. `ready_since_ms` is the moment from which the pause before the next hand is counted, None while fewer
    than two seats are ready or a hand runs.
    """

    table: TableId
    config: TableConfig
    seq: int = 0
    at_ms: int = 0
    hands: int = 0
    seats: dict[SeatNo, SeatState] = {}
    hand: StudHand | None = None
    cast: dict[SeatNo, PlayerId] = {}
    turns: dict[SeatNo, Turn] = {}
    last_turn: int = 0
    ready_since_ms: int | None = None

    def copy(self) -> TableState:
        """An independent state; what cannot change is shared."""
        twin = copy(self)
        twin.seats = self.seats.copy()
        twin.turns = self.turns.copy()
        if self.hand is not None:
            twin.hand = self.hand.copy()
        return twin

    def seat_of(self, player: PlayerId) -> SeatState | None:
        for seat in self.seats.values():
            if seat.player == player:
                return seat
        return None

    def in_hand(self, seat: SeatNo) -> bool:
        """Whether the seat was dealt into the running hand, folded or not."""
        return seat in self.cast

    def bank_runs(self, seat: SeatNo) -> bool:
        """Whether the open turn of the seat has used up its own time and lives on the time bank."""
        return self.turns[seat].time_bank_ms == 0 and self.seats[seat].time_bank_ms > 0

    def ready_seats(self) -> list[SeatState]:
        """Those who are dealt into the next hand, by seat number."""
        return sorted((seat for seat in self.seats.values() if seat.ready), key=_number)

    def __repr__(self) -> str:
        return f"<TableState {self.table} at {self.seq}>"


def opened(event: TableOpened, at_ms: int) -> TableState:
    """The state that a table's first event makes."""
    return TableState(table=event.table, config=event.config, seq=1, at_ms=at_ms)


def evolve(state: TableState, event: AnyEvent, at_ms: int) -> None:
    """Fold the next event into the state, in place. Raises `LawBroken` for an event that does not fit there."""
    if isinstance(event, HandEvent):
        if isinstance(event, HandStarted) and state.hand is not None:
            raise LawBroken(law="one hand runs at a table")
        state.hand = stud.evolve(state.hand, event)
        note_hand_event(state, event, at_ms)
    else:
        evolve_table(state, event, at_ms)


def note_hand_event(state: TableState, event: HandEvent, at_ms: int) -> None:
    """Fold what an event of the hand means for the table around it; the hand itself has it already."""
    state.seq += 1
    state.at_ms = at_ms
    match event:
        case CardDealt() | AntePosted() | CardBurnt() | RoundOpened() | BetsCollected():
            pass
        case Folded() | Checked() | Called() | BringInPosted() | Completed() | BetMade() | Raised():
            _close_turn(state, event.seat, at_ms)
        case HandStarted():
            state.hands += 1
            state.cast = {one.seat: one.player for one in event.seats}
            state.ready_since_ms = None
        case HandEnded() | HandCancelled():
            for result in event.results:
                _change(state, result.seat, stack_chips=result.stack_chips)
            state.hand = None
            state.cast = {}
            state.turns.clear()
            state.last_turn = 0
            _count_ready(state, at_ms)
        case (
            CommonCardDealt()
            | UncalledReturned()
            | HandsTabled()
            | HandShown()
            | HandMucked()
            | RakeTaken()
            | PotAwarded()
        ):
            pass
        case _:
            assert_never(event)


def evolve_table(state: TableState, event: TableEvent, at_ms: int) -> None:
    """Fold an event of the table's own."""
    state.seq += 1
    state.at_ms = at_ms
    match event:
        case TurnOpened():
            for turn in event.turns:
                state.turns[turn.seat] = turn
                state.last_turn = max(state.last_turn, turn.turn)
        case TimeBankStarted():
            state.turns[event.seat] = replace(_turn(state, event), deadline_ms=event.deadline_ms, time_bank_ms=0)
        case ClockResumed():
            state.turns[event.seat] = replace(_turn(state, event), deadline_ms=event.deadline_ms)
        case TurnTimedOut():
            _turn(state, event)
            _close_turn(state, event.seat, at_ms)
        case TableOpened():
            raise LawBroken(law="a table opens once")
        case _:
            _evolve_seats(state, event, at_ms)
            _count_ready(state, at_ms)


def _evolve_seats(
    state: TableState,
    event: PlayerSat | LeaveAnnounced | PlayerLeft | SatOut | SatIn | TopUpQueued | ToppedUp,
    at_ms: int,
) -> None:
    match event:
        case PlayerSat():
            if event.seat in state.seats:
                raise LawBroken(law="one player sits in a seat")
            state.seats[event.seat] = SeatState(
                seat=event.seat,
                player=event.player,
                name=event.name,
                house_bot=event.house_bot,
                stack_chips=event.stack_chips,
                time_bank_ms=state.config.time_bank_ms,
            )
        case LeaveAnnounced():
            _change(state, event.seat, leaving=True)
        case PlayerLeft():
            if state.in_hand(event.seat):
                raise LawBroken(law="nobody leaves a seat that a hand was dealt to")
            del state.seats[_taken(state, event.seat).seat]
        case SatOut():
            _change(state, event.seat, sitting_out_since_ms=at_ms)
        case SatIn():
            _change(state, event.seat, sitting_out_since_ms=None)
        case TopUpQueued():
            queued_chips = _taken(state, event.seat).queued_chips + event.added_chips
            _change(state, event.seat, queued_chips=queued_chips)
        case ToppedUp():
            _change(state, event.seat, stack_chips=event.stack_chips, queued_chips=0)
        case _:
            assert_never(event)


def _close_turn(state: TableState, seat: SeatNo, at_ms: int) -> None:
    """End the seat's open turn, if it has one. What of the time bank has run is gone."""
    if seat not in state.turns:
        return
    if state.bank_runs(seat):
        left_ms = state.turns[seat].deadline_ms - at_ms
        # A server that comes back gives a minimum of time: it must not fill the bank.
        _change(state, seat, time_bank_ms=min(max(left_ms, 0), state.seats[seat].time_bank_ms))
    del state.turns[seat]


def _count_ready(state: TableState, at_ms: int) -> None:
    """Let the pause begin when a second seat is ready; more seats do not begin it anew."""
    if state.hand is not None:
        return
    if sum(seat.ready for seat in state.seats.values()) < 2:
        state.ready_since_ms = None
    elif state.ready_since_ms is None:
        state.ready_since_ms = at_ms


def _turn(state: TableState, event: TimeBankStarted | ClockResumed | TurnTimedOut) -> Turn:
    turn = state.turns.get(event.seat)
    if turn is None or turn.turn != event.turn:
        raise LawBroken(law="a clock runs for an open turn", seat=event.seat, turn=event.turn)
    return turn


def _taken(state: TableState, number: SeatNo) -> SeatState:
    seat = state.seats.get(number)
    if seat is None:
        raise LawBroken(law="an event names a taken seat", seat=number)
    return seat


def _change(state: TableState, number: SeatNo, **fields: int | bool | None) -> None:
    state.seats[number] = replace(_taken(state, number), **fields)


def _number(seat: SeatState) -> SeatNo:
    return seat.seat
