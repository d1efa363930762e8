"""A second opinion on hands, written to be read and not to be fast: it shares nothing with the tables it judges."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from engine.rules.cards import RANKS, Card

NAMES = (
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
)

Verdict = tuple[int, list[int]]
"""Place in `NAMES`, then the ranks (two is 2, ace is 14) in deciding order; a better hand is a greater verdict."""

_PLACE_OF_GROUPS = {(2,): 1, (2, 2): 2, (3,): 3, (3, 2): 6, (4,): 7}


def judge(cards: Sequence[Card]) -> Verdict:
    """The best of all choices of five cards."""
    return max(_judge_five(five) for five in itertools.combinations(cards, 5))


def judge_showing(cards: Sequence[Card]) -> Verdict:
    """Groups first, the largest first, then single ranks; no straights, no flushes."""
    counts = Counter(RANKS.index(card[0]) + 2 for card in cards)
    ordered = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    groups = tuple(counts[rank] for rank in ordered if counts[rank] > 1)
    return _PLACE_OF_GROUPS.get(groups, 0), ordered


def _judge_five(cards: Sequence[Card]) -> Verdict:
    place, ranks = judge_showing(cards)
    one_suit = len({card[1] for card in cards}) == 1
    top = _top_of_straight(ranks)
    if top and one_suit:
        return (9 if top == 14 else 8), [top]
    if one_suit:
        return 5, ranks
    if top:
        return 4, [top]
    return place, ranks


def _top_of_straight(ranks: list[int]) -> int:
    if ranks == [14, 5, 4, 3, 2]:
        return 5
    if len(ranks) == 5 and ranks[0] - ranks[4] == 4:
        return ranks[0]
    return 0
