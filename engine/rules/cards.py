"""Cards as two characters (`"Td"`), the 52 of them, and the one value that stands for a card nobody may see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NewType

Card = NewType("Card", str)
"""A rank and a suit, as `"2c"` … `"As"`, or `HIDDEN`. A plain string: journal, wire and rules share it."""

RANKS = "23456789TJQKA"
"""Ranks from the lowest to the highest; the ace is high except in A-2-3-4-5 (`rules.md` A8)."""

SUITS = "cdhs"
"""Suits from the lowest to the highest. They order the bring-in and nothing else (`rules.md` A3)."""

HIDDEN = Card("??")
"""A card that the viewer may not see. It has no identity: every hidden card is this value."""

DECK: tuple[Card, ...] = tuple(Card(rank + suit) for rank in RANKS for suit in SUITS)
"""The 52 cards, ordered by rank and then by suit."""

RANK_OF: dict[Card, int] = {card: index // 4 + 2 for index, card in enumerate(DECK)}
"""Rank of a card as a number from 2 to 14 (ace)."""

SUIT_OF: dict[Card, int] = {card: index % 4 for index, card in enumerate(DECK)}
"""Suit of a card as a number from 0 (clubs) to 3 (spades)."""


class NotACard(ValueError):
    """The text names no card. It carries no text, so that no card can reach a log through it."""

    def __init__(self) -> None:
        super().__init__("not a card, or a card named twice")


def parse_card(text: str) -> Card:
    """Read one card such as `Td`; raises `NotACard`."""
    card = Card(text)
    if card not in RANK_OF:
        raise NotACard
    return card


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards parted by blanks, all different; raises `NotACard`."""
    cards = tuple(parse_card(word) for word in text.split())
    require_distinct(cards)
    return cards


def require_distinct(cards: Iterable[Card]) -> None:
    """Raise `NotACard` if a card stands twice or is hidden, so that no hand is ever judged with an impossible card."""
    seen: set[Card] = set()
    for card in cards:
        if card not in RANK_OF or card in seen:
            raise NotACard
        seen.add(card)


def format_cards(cards: Iterable[Card]) -> str:
    return " ".join(cards)
