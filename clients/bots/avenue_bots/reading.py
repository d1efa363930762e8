"""Reading cards: what a hand has made, what it may still become, and what can no longer come. Pure.

Cards are two characters; hidden ones must be left out. A hand's worth is a tuple that compares as hands do.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RANKS = "23456789TJQKA"
ACE = 14

HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)


class Made(NamedTuple):
    """A hand's category and the ranks that decide within it, the most important first."""

    category: int
    ranks: tuple[int, ...]


def rank(card: str) -> int:
    """From 2 to 14, the ace."""
    return RANKS.index(card[0]) + 2


def made(cards: Sequence[str]) -> Made:
    """The best that up to seven cards make; straights and flushes take five cards, so boards have none."""
    ranks = sorted((rank(card) for card in cards), reverse=True)
    suited = _flush_ranks(cards)
    if suited and (top := straight_top(suited)):
        return Made(STRAIGHT_FLUSH, (top,))
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
    there = _with_low_ace(ranks)
    return next((top for top in range(ACE, 4, -1) if all(top - step in there for step in range(5))), 0)


def flush_draw(cards: Sequence[str]) -> tuple[str, int]:
    """The suit of which there are most, and how many."""
    suit, count = max(Counter(card[1] for card in cards).items(), key=lambda item: (item[1], item[0]))
    return suit, count


def straight_draw(cards: Sequence[str]) -> int:
    """How many different ranks of the best stretch of five are there: 4 is one card short of a straight."""
    there = _with_low_ace(rank(card) for card in cards)
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


def _flush_ranks(cards: Sequence[str]) -> list[int]:
    """The ranks of a suit that has five cards or more, from the top; empty without one."""
    if len(cards) < 5:
        return []
    suit, count = flush_draw(cards)
    return sorted((rank(card) for card in cards if card[1] == suit), reverse=True) if count >= 5 else []


def _kickers(ranks: Sequence[int], without: Sequence[int], count: int) -> tuple[int, ...]:
    return tuple([value for value in ranks if value not in without][:count])


def _with_low_ace(ranks: Iterable[int]) -> frozenset[int]:
    there = frozenset(ranks)
    return there | {1} if ACE in there else there
