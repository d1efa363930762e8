"""Which card comes next, from the deck alone (`rules.md` A1, A7): a second opinion on `engine/rules/dealing.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from engine.rules.cards import Card
from engine.rules.variants import Street

Way = Literal["burnt", "dealt", "common"]


class Laid(NamedTuple):
    """A card that leaves the deck, or comes back from the burns, and how it lies on the table."""

    way: Way
    card: Card


class DealLog:
    """The deck as it runs down. `short` says that the last street asked for found too few cards to burn and deal."""

    def __init__(self, deck: Sequence[Card]) -> None:
        self.stub = list(deck)
        self.burns: list[Card] = []
        self.short = False

    def street(self, street: Street, *, players: int) -> list[Laid]:
        """The cards of a street for so many players, in order; they are gone from the stub then."""
        needed = players * len(street.deal)
        stub = len(self.stub)
        self.short = street.burn and stub <= needed
        if not self.short:
            burnt = [self._burn()] if street.burn else []
            return [*burnt, *(Laid("dealt", self.stub.pop(0)) for _ in range(needed))]
        if stub + len(self.burns) >= needed:
            cards = (self.stub + self.burns)[:needed]
            self.stub = []
            return [Laid("dealt", card) for card in cards]
        burnt = [self._burn()] if stub >= 2 else []
        return [*burnt, Laid("common", self.stub.pop(0))]

    def _burn(self) -> Laid:
        self.burns.append(self.stub.pop(0))
        return Laid("burnt", self.burns[-1])
