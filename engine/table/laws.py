"""What must hold at a table after every decision and after every recovery; a broken law is a fault of ours.

A decision that breaks one is thrown away before anybody hears of it, and a journal that leads to such a state is not
gone on with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.limits import MAX_CHIPS
from engine.rules.errors import LawBroken
from engine.rules.events import PlayerId

if TYPE_CHECKING:
    from engine.table.ports import Transfer
    from engine.table.state import TableState


def require_sound(state: TableState) -> None:
    """Raise `LawBroken` unless the seats, the running hand and the open turns agree and no chip is made or lost."""
    require_sound_seats(state)
    _require_sound_hand(state)


def require_sound_seats(state: TableState) -> None:
    """Raise `LawBroken` unless the seats alone can be: what the running hand does is not looked at."""
    total_chips = 0
    players = set()
    for seat in state.seats.values():
        if seat.stack_chips < 0 or seat.queued_chips < 0:
            raise LawBroken(law="no stack is below zero", seat=seat.seat)
        if not 1 <= seat.seat <= state.config.variant.seats:
            raise LawBroken(law="a seat is one of the table's", seat=seat.seat)
        total_chips += seat.account_chips
        players.add(seat.player)
    if len(players) != len(state.seats):
        raise LawBroken(law="a player has one seat at a table")
    if total_chips > MAX_CHIPS:
        raise LawBroken(law="no sum is beyond what a client can count")


def require_lawful(before: TableState, after: TableState, transfers: Sequence[Transfer]) -> None:
    """Raise `LawBroken` unless a decision leads from one sound state to another and books what it moves.

    Most decisions change no seat, and then only the hand can have become unsound.
    """
    if transfers or before.seats != after.seats:
        require_sound_seats(after)
        _require_booked(before, after, transfers)
    _require_sound_hand(after)


def _require_booked(before: TableState, after: TableState, transfers: Sequence[Transfer]) -> None:
    """The transfers sum to zero, and move exactly what the seats gained and lost."""
    moved: dict[PlayerId, int] = {}
    for transfer in transfers:
        if sum(entry.amount_chips for entry in transfer.entries) != 0:
            raise LawBroken(law="a transfer sums to zero", transfer=transfer.id)
        for entry in transfer.entries:
            account = entry.account
            if account.kind == "seat" and account.player is not None:
                moved[account.player] = moved.get(account.player, 0) + entry.amount_chips
    for seat in before.seats.values():
        moved[seat.player] = moved.get(seat.player, 0) + seat.account_chips
    for seat in after.seats.values():
        moved[seat.player] = moved.get(seat.player, 0) - seat.account_chips
    if any(moved.values()):
        raise LawBroken(law="a seat's account holds what lies at the seat")


def _require_sound_hand(state: TableState) -> None:
    hand = state.hand
    if hand is None:
        if state.turns or state.cast:
            raise LawBroken(law="turns belong to a running hand")
        return
    began_chips = behind_chips = 0
    for player in hand.players:
        seat = state.seats.get(player.seat)
        if seat is None or seat.player != player.player or seat.stack_chips != player.start_chips:
            raise LawBroken(law="a seat in the hand is its player's until the hand is over", seat=player.seat)
        if player.stack_chips < 0:
            raise LawBroken(law="no stack is below zero", seat=player.seat)
        began_chips += player.start_chips
        behind_chips += player.stack_chips
    if behind_chips + hand.chips_in_play() + hand.rake_chips != began_chips:
        raise LawBroken(law="a hand neither makes nor loses a chip", hand=hand.hand)
    if not all(seat in state.cast for seat in state.turns):
        raise LawBroken(law="a turn is that of a dealt-in seat")
    if not state.turns:
        raise LawBroken(law="in a running hand somebody is to act", hand=hand.hand)
