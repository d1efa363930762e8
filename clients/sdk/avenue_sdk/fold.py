"""A table's view, folded by its events, as the server does it: a snapshot is the fold of all events before it.

view = snapshot.table
for each event that comes:  view = fold(view, event, at_ms)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from avenue_sdk.errors import ProtocolBroken
from avenue_sdk.fold_hand import Deed, begin_hand, fold_hand
from avenue_sdk.messages import (
    ClockResumed,
    HandCancelled,
    HandEnded,
    HandStarted,
    LeaveAnnounced,
    PlayerLeft,
    PlayerSat,
    SatIn,
    SatOut,
    SeatView,
    TableOpened,
    TableView,
    TimeBankStarted,
    ToppedUp,
    TopUpQueued,
    TurnOpened,
    TurnTimedOut,
)

if TYPE_CHECKING:
    from avenue_sdk.fold_hand import RunningHandEvent
    from avenue_sdk.messages import Event, SeatNo, Turn


def fold(view: TableView | None, event: Event, at_ms: int) -> TableView:
    """The table after one event more, which must be the very next; `at_ms` is the time of its frame.

    Only a table's first event may be folded into None. Raises `ProtocolBroken` for events that cannot be folded.
    """
    if isinstance(event, TableOpened):
        return TableView(table=event.table, config=event.config, seq=1, hands=0, seats=(), hand=None, turns=())
    if view is None:
        raise ProtocolBroken("a table's first event opens it")
    return replace(_fold_event(view, event, at_ms), seq=view.seq + 1)


def _fold_event(view: TableView, event: Event, at_ms: int) -> TableView:  # noqa: C901 - one branch an event
    match event:
        case TableOpened():
            raise ProtocolBroken("a table opens once")
        case TurnOpened():
            return replace(view, turns=_by_seat(view.turns, event.turns))
        case TimeBankStarted():
            return _with_deadline(view, event.seat, deadline_ms=event.deadline_ms, time_bank_ms=0)
        case ClockResumed():
            return _with_deadline(view, event.seat, deadline_ms=event.deadline_ms)
        case TurnTimedOut():
            return _turn_closed(view, event.seat, at_ms)
        case PlayerSat():
            return _player_sat(view, event)
        case PlayerLeft():
            return replace(view, seats=tuple(seat for seat in view.seats if seat.seat != event.seat))
        case LeaveAnnounced():
            return _with_seat(view, event.seat, leaving=True)
        case SatOut():
            return _with_seat(view, event.seat, sitting_out=True)
        case SatIn():
            return _with_seat(view, event.seat, sitting_out=False)
        case TopUpQueued():
            queued_chips = _seat_of(view, event.seat).queued_chips + event.added_chips
            return _with_seat(view, event.seat, queued_chips=queued_chips)
        case ToppedUp():
            return _with_seat(view, event.seat, stack_chips=event.stack_chips, queued_chips=0)
        case HandStarted():
            return replace(view, hand=begin_hand(event), hands=view.hands + 1)
        case HandEnded() | HandCancelled():
            for result in event.results:
                view = _with_seat(view, result.seat, stack_chips=result.stack_chips)
            return replace(view, hand=None, turns=())
        case _:
            return _in_hand(view, event, at_ms)


def _in_hand(view: TableView, event: RunningHandEvent, at_ms: int) -> TableView:
    if view.hand is None:
        raise ProtocolBroken("no hand runs that this event could belong to")
    hand = fold_hand(view.hand, event)
    behind = {seat.seat: seat.stack_chips for seat in hand.seats}
    seats = tuple(
        seat
        if behind.get(seat.seat, seat.stack_chips) == seat.stack_chips
        else replace(seat, stack_chips=behind[seat.seat])
        for seat in view.seats
    )
    view = replace(view, hand=hand, seats=seats)
    return _turn_closed(view, event.seat, at_ms) if isinstance(event, Deed) else view


def _turn_closed(view: TableView, seat: SeatNo, at_ms: int) -> TableView:
    """End the seat's open turn, if it has one; what has run of its time bank is gone."""
    turn = next((turn for turn in view.turns if turn.seat == seat), None)
    if turn is None:
        return view
    bank_ms = _seat_of(view, seat).time_bank_ms
    if turn.time_bank_ms == 0:
        view = _with_seat(view, seat, time_bank_ms=min(max(turn.deadline_ms - at_ms, 0), bank_ms))
    return replace(view, turns=tuple(one for one in view.turns if one.seat != seat))


def _by_seat(turns: tuple[Turn, ...], opened: tuple[Turn, ...]) -> tuple[Turn, ...]:
    by_seat = {turn.seat: turn for turn in (*turns, *opened)}
    return tuple(by_seat[seat] for seat in sorted(by_seat))


def _with_deadline(view: TableView, seat: SeatNo, **fields: int) -> TableView:
    return replace(view, turns=tuple(replace(turn, **fields) if turn.seat == seat else turn for turn in view.turns))


def _player_sat(view: TableView, event: PlayerSat) -> TableView:
    seat = SeatView(
        seat=event.seat,
        player=event.player,
        name=event.name,
        stack_chips=event.stack_chips,
        queued_chips=0,
        sitting_out=False,
        leaving=False,
        house_bot=event.house_bot,
        time_bank_ms=view.config.time_bank_ms,
    )
    return replace(view, seats=tuple(sorted((*view.seats, seat), key=lambda one: one.seat)))


def _with_seat(view: TableView, number: SeatNo, **fields: int | bool) -> TableView:
    return replace(view, seats=tuple(replace(seat, **fields) if seat.seat == number else seat for seat in view.seats))


def _seat_of(view: TableView, number: SeatNo) -> SeatView:
    for seat in view.seats:
        if seat.seat == number:
            return seat
    raise ProtocolBroken("nobody sits where this event says")
