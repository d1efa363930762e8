"""Reading cards beyond what they make: what a hand may still become, and what can no longer come. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from avenue_sdk.ranking import ACE, RANKS, rank, straight_top, with_low_ace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def flush_draw(cards: Sequence[str]) -> tuple[str, int]:
    """The suit of which there are most, and how many."""
    suit, count = max(Counter(card[1] for card in cards).items(), key=lambda item: (item[1], item[0]))
    return suit, count


def straight_draw(cards: Sequence[str]) -> int:
    """How many different ranks of the best stretch of five are there: 4 is one card short of a straight."""
    there = with_low_ace(rank(card) for card in cards)
    return max(sum(top - step in there for step in range(5)) for top in range(ACE, 4, -1))


def live_ranks(ranks: Iterable[int], seen: Iterable[str]) -> int:
    """How many cards of these ranks may still come, given all the cards that one knows."""
    wanted = frozenset(ranks)
    return 4 * len(wanted) - sum(rank(card) in wanted for card in seen)


def live_suit(suit: str, seen: Iterable[str]) -> int:
    """How many cards of the suit may still come."""
    return len(RANKS) - sum(card[1] == suit for card in seen)


def straight_outs(cards: Sequence[str], seen: Sequence[str]) -> int:
    """How many cards that may still come make a straight at once."""
    have = [rank(card) for card in cards]
    fitting = [value for value in range(2, ACE + 1) if straight_top([*have, value])]
    return live_ranks(fitting, seen)
