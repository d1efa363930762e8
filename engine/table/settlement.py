"""What the end of a hand does to the seats and their accounts, and how a seat is paid out."""

from __future__ import annotations

from engine.rules.errors import LawBroken
from engine.rules.events import HandEnded
from engine.table.change import Change
from engine.table.events import LeaveReason, PlayerLeft, SatOut, ToppedUp
from engine.table.ports import AccountRef
from engine.table.state import SeatState

RAKE = AccountRef(kind="rake")


def settle(change: Change) -> None:
    """Book the hand that has just ended, then let queued chips join, leavers go and empty seats sit out.

    Who has nothing left is out only now, when every pot is paid.
    """
    result = change.result
    if result is None:
        raise LawBroken(law="a hand is settled when it is over")
    if isinstance(result, HandEnded):
        _book(change, result)
    for number in sorted(change.state.seats):
        seat = change.state.seats[number]
        if seat.leaving:
            cash_out(change, seat, reason="stood_up")
        elif seat.queued_chips:
            stack_chips = seat.stack_chips + seat.queued_chips
            change.say(ToppedUp(seat=number, added_chips=seat.queued_chips, stack_chips=stack_chips))
        elif seat.stack_chips == 0 and not seat.sitting_out:
            change.say(SatOut(seat=number, reason="no_chips"))


def cash_out(change: Change, seat: SeatState, *, reason: LeaveReason) -> None:
    """Free a seat; all that lies there goes to the player's wallet. He must not be in a running hand."""
    chips = seat.account_chips
    change.say(PlayerLeft(seat=seat.seat, player=seat.player, cashed_out_chips=chips, reason=reason))
    change.move(
        "cash_out",
        [(change.account(seat.player), -chips), (change.wallet(seat.player), chips)],
        reference=str(seat.seat),
    )


def _book(change: Change, ended: HandEnded) -> None:
    seats = change.state.seats
    amounts = [(change.account(seats[result.seat].player), result.net_chips) for result in ended.results]
    table, number = change.state.table, change.state.hands
    change.move("hand", [*amounts, (RAKE, ended.rake_chips)], reference=hand_id(table, number))


def hand_id(table: str, number: int) -> str:
    """The id of a table's hand, counted from 1."""
    return f"{table}-{number}"
