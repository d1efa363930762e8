"""Seats: sitting down and standing up, sitting out and in, topping up. The money moves with the event.

Whoever sits out already, or in already, may say so again: it is accepted and nothing happens.
"""

from __future__ import annotations

from engine.limits import MAX_CHIPS
from engine.rules.actions import SeatNo
from engine.rules.events import PlayerId
from engine.table.change import Change, Decision, nothing
from engine.table.commands import PlayerCommand, Sit, SitIn, SitOut, StandUp, TopUp
from engine.table.errors import (
    AlreadyLeaving,
    AlreadySeated,
    BadAmount,
    BuyInOutOfRange,
    NoChips,
    NoSuchSeat,
    NotSeated,
    SeatTaken,
    TableFull,
)
from engine.table.events import LeaveAnnounced, PlayerSat, SatIn, SatOut, ToppedUp, TopUpQueued
from engine.table.hands import play_on
from engine.table.ports import TransferReason
from engine.table.settlement import cash_out
from engine.table.state import SeatState, TableState


def sit(state: TableState, command: Sit, now_ms: int) -> Decision:
    """Take a free seat; the buy-in comes from the wallet. The player is dealt in from the next hand on."""
    seated = state.seat_of(command.player)
    if seated is not None:
        raise AlreadySeated(seat=seated.seat)
    seat = _free_seat(state, command.seat)
    _require_buy_in(state, command.buy_in_chips)
    change = Change(state, now_ms)
    change.say(
        PlayerSat(
            seat=seat,
            player=command.player,
            name=command.name,
            stack_chips=command.buy_in_chips,
            house_bot=command.house_bot,
        )
    )
    _buy(change, "buy_in", command.player, seat, command.buy_in_chips)
    return change.decided()


def stand_up(state: TableState, command: StandUp, now_ms: int) -> Decision:
    """Leave with the whole stack: at once, or at the running hand's end for who was dealt in, folded or not.

    Until then the seat is his. He folds when his turn comes, now if it is now; all-in he stays in (`rules.md` A10).
    """
    seat = _staying_seat(state, command)
    change = Change(state, now_ms)
    if state.in_hand(seat.seat):
        change.say(LeaveAnnounced(seat=seat.seat))
        play_on(change)
    else:
        cash_out(change, seat, reason="stood_up")
    return change.decided()


def sit_out(state: TableState, command: SitOut, now_ms: int) -> Decision:
    seat = _staying_seat(state, command)
    if seat.sitting_out:
        return nothing(state)
    change = Change(state, now_ms)
    change.say(SatOut(seat=seat.seat, reason="asked"))
    return change.decided()


def sit_in(state: TableState, command: SitIn, now_ms: int) -> Decision:
    seat = _staying_seat(state, command)
    if not seat.sitting_out:
        return nothing(state)
    if seat.account_chips == 0:
        raise NoChips
    change = Change(state, now_ms)
    change.say(SatIn(seat=seat.seat))
    return change.decided()


def top_up(state: TableState, command: TopUp, now_ms: int) -> Decision:
    """Add chips from the wallet; for who is in a running hand they join the stack when it is over.

    The maximum is held against what he had before that hand, since what he has put into it may come back. Who has
    nothing left buys in again, for the minimum at least.
    """
    seat = _staying_seat(state, command)
    config = state.config
    room_chips = _room_chips(state)
    if config.max_buy_in_chips is not None:
        room_chips = max(0, min(room_chips, config.max_buy_in_chips - seat.account_chips))
    if not 1 <= command.added_chips <= room_chips:
        raise BadAmount(max_chips=room_chips)
    if seat.account_chips == 0 and command.added_chips < config.min_buy_in_chips:
        raise BuyInOutOfRange(min_chips=config.min_buy_in_chips, max_chips=config.max_buy_in_chips)
    change = Change(state, now_ms)
    if state.in_hand(seat.seat):
        change.say(TopUpQueued(seat=seat.seat, added_chips=command.added_chips))
    else:
        stack_chips = seat.stack_chips + command.added_chips
        change.say(ToppedUp(seat=seat.seat, added_chips=command.added_chips, stack_chips=stack_chips))
    _buy(change, "top_up", seat.player, seat.seat, command.added_chips)
    return change.decided()


def _free_seat(state: TableState, wanted: SeatNo | None) -> SeatNo:
    seats = state.config.variant.seats
    if wanted is None:
        free = next((number for number in range(1, seats + 1) if SeatNo(number) not in state.seats), None)
        if free is None:
            raise TableFull
        return SeatNo(free)
    if not 1 <= wanted <= seats:
        raise NoSuchSeat(seats=seats)
    if wanted in state.seats:
        raise SeatTaken(seat=wanted)
    return wanted


def _require_buy_in(state: TableState, buy_in_chips: int) -> None:
    lowest, highest = state.config.min_buy_in_chips, state.config.max_buy_in_chips
    if buy_in_chips < lowest or (highest is not None and buy_in_chips > highest):
        raise BuyInOutOfRange(min_chips=lowest, max_chips=highest)
    room_chips = _room_chips(state)
    if buy_in_chips > room_chips:
        raise BadAmount(max_chips=room_chips)


def _room_chips(state: TableState) -> int:
    """How much more may come to the table, so that no pot is ever beyond what a client can count."""
    return MAX_CHIPS - sum(seat.account_chips for seat in state.seats.values())


def _staying_seat(state: TableState, command: PlayerCommand) -> SeatState:
    """The seat of a player who is not leaving already."""
    seat = state.seat_of(command.player)
    if seat is None:
        raise NotSeated
    if seat.leaving:
        raise AlreadyLeaving
    return seat


def _buy(change: Change, reason: TransferReason, player: PlayerId, seat: SeatNo, chips: int) -> None:
    amounts = [(change.wallet(player), -chips), (change.account(player), chips)]
    change.move(reason, amounts, reference=str(seat))
