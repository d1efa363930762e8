"""What a hand has made, for bots: the best that up to seven cards make, and boards of one to four. Pure.

Cards are two characters; hidden ones must be left out. It agrees with the server, which alone decides who wins.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, get_args

from avenue_sdk.messages import Category

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RANKS = "23456789TJQKA"
ACE = 14

HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH, ROYAL_FLUSH = range(10)
CATEGORIES: tuple[Category, ...] = get_args(Category)
"""The protocol's words, in the order of the numbers."""


class Made(NamedTuple):
    """A hand's worth, which compares as hands do: a number for its category, then the ranks that decide within it.

    Ranks are from 2 to 14, the ace; the most important one is first.
    """

    order: int
    ranks: tuple[int, ...]

    @property
    def category(self) -> Category:
        """The word for it, as `two_pair`."""
        return CATEGORIES[self.order]


def rank(card: str) -> int:
    """From 2 to 14, the ace."""
    return RANKS.index(card[0]) + 2


def made(cards: Sequence[str]) -> Made:
    """The best that up to seven cards make; straights and flushes take five cards, so boards have none."""
    ranks = sorted((rank(card) for card in cards), reverse=True)
    suited = _flush_ranks(cards)
    if suited and (top := straight_top(suited)):
        return Made(ROYAL_FLUSH if top == ACE else STRAIGHT_FLUSH, (top,))
    counts = Counter(ranks)
    groups = sorted(counts, key=lambda value: (counts[value], value), reverse=True)
    most = [counts[value] for value in groups]
    if most[:1] == [4]:
        return Made(QUADS, (groups[0], max((value for value in ranks if value != groups[0]), default=0)))
    if most[:1] == [3] and len(most) > 1 and most[1] >= 2:
        return Made(FULL_HOUSE, (groups[0], max(value for value in groups[1:] if counts[value] >= 2)))
    if suited:
        return Made(FLUSH, tuple(suited[:5]))
    if top := straight_top(ranks):
        return Made(STRAIGHT, (top,))
    if most[:1] == [3]:
        return Made(TRIPS, (groups[0], *_kickers(ranks, groups[:1], 2)))
    if most[:2] == [2, 2]:
        return Made(TWO_PAIR, (groups[0], groups[1], *_kickers(ranks, groups[:2], 1)))
    if most[:1] == [2]:
        return Made(PAIR, (groups[0], *_kickers(ranks, groups[:1], 3)))
    return Made(HIGH_CARD, tuple(ranks[:5]))


def straight_top(ranks: Iterable[int]) -> int:
    """The top of the best five in a row among these ranks, or 0; the ace is low too."""
    there = with_low_ace(ranks)
    return next((top for top in range(ACE, 4, -1) if all(top - step in there for step in range(5))), 0)


def with_low_ace(ranks: Iterable[int]) -> frozenset[int]:
    """The ranks, and 1 beside an ace: what straights are looked for among."""
    there = frozenset(ranks)
    return there | {1} if ACE in there else there


def _flush_ranks(cards: Sequence[str]) -> list[int]:
    """The ranks of a suit that has five cards or more, from the top; empty without one."""
    if len(cards) < 5:
        return []
    suit, count = Counter(card[1] for card in cards).most_common(1)[0]
    return sorted((rank(card) for card in cards if card[1] == suit), reverse=True) if count >= 5 else []


def _kickers(ranks: Sequence[int], without: Sequence[int], count: int) -> tuple[int, ...]:
    return tuple([value for value in ranks if value not in without][:count])
