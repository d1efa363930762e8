"""Main and side pots, uncalled bets, rake and odd chips (`rules.md` A8). Plain sums over what each seat put in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from engine.rules.actions import Chips, SeatNo
from engine.rules.errors import LawBroken
from engine.rules.events import Pot, Share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.rules.variants import Rake


class Contribution(msgspec.Struct, frozen=True):
    """What a seat has put into the hand, antes included; folded seats have no claim to it."""

    seat: SeatNo
    total_chips: int
    folded: bool


def uncalled(contributions: Sequence[Contribution]) -> tuple[SeatNo, Chips] | None:
    """The seat whose chips nobody matched, and how many; None if there are none.

    It is what the highest put in beyond the second highest of all, folded or not, and goes back before pots are built.
    """
    if len(contributions) < 2:
        return None
    ranked = sorted(contributions, key=lambda one: one.total_chips, reverse=True)
    excess_chips = ranked[0].total_chips - ranked[1].total_chips
    return (ranked[0].seat, excess_chips) if excess_chips else None


def build_pots(contributions: Sequence[Contribution]) -> tuple[Pot, ...]:
    """The pots, the main pot first, from contributions without their uncalled part, clockwise from the dealer's left.

    There is one layer for each distinct contribution of an unfolded seat. Folded money stays in the layers that it
    reached, and what lies above the highest claimant merges downwards. No pot is empty and none is without claimants.
    """
    levels = sorted({one.total_chips for one in contributions if not one.folded})
    if not levels:
        raise LawBroken(law="a pot has a claimant")
    pots: list[Pot] = []
    below_chips = 0
    for level_chips in levels:
        amount_chips = sum(
            min(one.total_chips, level_chips) - min(one.total_chips, below_chips) for one in contributions
        )
        if level_chips == levels[-1]:
            amount_chips += sum(max(0, one.total_chips - level_chips) for one in contributions)
        if amount_chips:
            claimants = tuple(one.seat for one in contributions if not one.folded and one.total_chips >= level_chips)
            pots.append(Pot(amount_chips=amount_chips, seats=claimants))
        below_chips = level_chips
    return tuple(pots)


def split_pot(amount_chips: Chips, winners: Sequence[SeatNo]) -> tuple[Share, ...]:
    """Equal shares; the whole remainder is the first winner's.

    The winners must stand clockwise from the dealer's left, so that the first is the nearest to it (`rules.md` A8).
    """
    share_chips, odd_chips = divmod(amount_chips, len(winners))
    return tuple(
        Share(seat=seat, amount_chips=share_chips + (odd_chips if place == 0 else 0))
        for place, seat in enumerate(winners)
    )


def pot_winners(pot: Pot, strength_of: Callable[[SeatNo], int]) -> tuple[SeatNo, ...]:
    """The claimants whose hands are equal best, in the pot's own order."""
    best = max(strength_of(seat) for seat in pot.seats)
    return tuple(seat for seat in pot.seats if strength_of(seat) == best)


def rake_of(pots: Sequence[Pot], rake: Rake, *, late_bet_called: bool) -> tuple[Chips, ...]:
    """What the house takes of each pot: a share rounded down, capped over the hand, the main pot first.

    Nothing is taken unless a bet was called on or after the second round.
    """
    if not late_bet_called:
        return (0,) * len(pots)
    left_chips = rake.cap_chips
    taken: list[Chips] = []
    for pot in pots:
        amount_chips = min(pot.amount_chips * rake.basis_points // 10_000, left_chips)
        left_chips -= amount_chips
        taken.append(amount_chips)
    return tuple(taken)
