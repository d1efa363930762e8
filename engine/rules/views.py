"""The only door for cards: what a given viewer may see of a hand, live, in a snapshot or in a history.

A viewer is the seat that a player has in that very hand, or None for everybody else: a spectator, a player at the same
table who was not dealt in, staff. Views are built up from what that viewer may see, never stripped down: two hands that
differ only in cards that he may not see give him the same views, byte for byte. A card that was mucked or folded is
seen by its owner alone, for ever (`rules.md` A9); a burnt card by nobody (A7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from engine.rules.actions import SeatNo
from engine.rules.cards import HIDDEN, Card
from engine.rules.events import CardBurnt, CardDealt, DealtFace, HandId, HandStarted, PlayerId, Pot
from engine.rules.variants import Variant

if TYPE_CHECKING:
    from engine.rules.events import HandEvent
    from engine.rules.stud import StudHand


class CardView(msgspec.Struct, frozen=True):
    """A card in dealing order: `??` where the viewer may not see it."""

    card: Card
    face: DealtFace

    def __repr__(self) -> str:
        return "<CardView>"


class HandSeatView(msgspec.Struct, frozen=True):
    """A dealt-in seat. `start_chips` is its stack before the ante, `round_chips` its total for the running round,
    `total_chips` what it has put into the hand, antes included. A seat is live until it folds, all-in or not.
    """

    seat: SeatNo
    player: PlayerId
    name: str
    start_chips: int
    stack_chips: int
    round_chips: int
    total_chips: int
    folded: bool
    all_in: bool
    cards: tuple[CardView, ...]


class HandView(msgspec.Struct, frozen=True):
    """A running hand. `seats` stand clockwise from the dealer's left.

    `pots` are those of the rounds that are over; the running round's bets stand at the seats. `price_chips` is what
    each seat's total for the round must reach, `wagers` how many full ones were made, `opener` who opened the street.
    """

    hand: HandId
    variant: Variant
    rules: int
    commitment: str
    dealer: int
    street: int
    opener: SeatNo | None
    open_pair: bool
    price_chips: int
    wagers: int
    pots: tuple[Pot, ...]
    common: Card | None
    seats: tuple[HandSeatView, ...]
