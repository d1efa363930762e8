"""The tables behind `ranking.py`, made once at import: what every set of ranks, and every flush, is worth.

Each rank has a power of five as its weight. A deck holds four cards of a rank, so the sum of the weights of some cards
tells how many of each rank there are, whatever their order, and that sum is the key of every table here. A value is one
number that reads in hexadecimal as the hand itself: the category, then up to five ranks (2 … 14) in deciding order,
then zeros. Two pair, jacks and fours with an ace, is `0x2B4E00`. So values compare as hands do, categories never
overlap, and equal hands are equal numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, combinations_with_replacement
from typing import Final

from engine.rules.cards import DECK, RANK_OF, SUIT_OF, Card

HIGH_CARD: Final = 0
PAIR: Final = 1
TWO_PAIR: Final = 2
THREE_OF_A_KIND: Final = 3
STRAIGHT: Final = 4
FLUSH: Final = 5
FULL_HOUSE: Final = 6
FOUR_OF_A_KIND: Final = 7
STRAIGHT_FLUSH: Final = 8

CATEGORY_SHIFT: Final = 20
"""A value shifted right by this is its category."""

RANK_SHIFTS: Final = (16, 12, 8, 4, 0)
"""A value shifted right by each of these has a rank in its last four bits, or zero where no more ranks decide."""

SUIT_BITS: Final = 16
"""The last bits of a card's code, four a suit, that count suits; the bits above them are the rank's weight."""

SUITS_START: Final = 0x3333
"""Where a sum of card codes begins: each suit's count stands at three, so the fifth card sets its highest bit."""

FLUSH_FLAGS: Final = 0x8888
"""The highest bit of each suit's count; one is set exactly when five to seven cards hold a flush."""

SUIT_OF_FLAG: Final = {0x8 << 4 * suit: suit for suit in range(4)}

_RANKS_DOWN = range(14, 1, -1)
_WEIGHT_OF_RANK = {rank: 5 ** (rank - 2) for rank in range(2, 15)}

CARD_CODE: Final[dict[Card, int]] = {
    card: _WEIGHT_OF_RANK[RANK_OF[card]] << SUIT_BITS | 1 << 4 * SUIT_OF[card] for card in DECK
}
"""A card as its rank's weight and one tick in its suit's count. Codes order cards by rank, then by suit."""

_CATEGORY_OF_TWINS = {0: HIGH_CARD, 2: PAIR, 4: TWO_PAIR, 6: THREE_OF_A_KIND, 8: FULL_HOUSE, 12: FOUR_OF_A_KIND}
"""Up to five cards are told apart by counting for each card the others of its rank: 2+2+2+1+1 in a full house."""


def run_down_from(top: int) -> tuple[int, ...]:
    """The five ranks of a straight from its highest card down; the ace stands under the two when `top` is five."""
    return tuple(rank if rank > 1 else 14 for rank in range(top, top - 5, -1))


def _packed(category: int, ranks: Iterable[int]) -> int:
    value = category << CATEGORY_SHIFT
    for shift, rank in zip(RANK_SHIFTS, ranks, strict=False):
        value |= rank << shift
    return value


def _key(ranks: Iterable[int]) -> int:
    return sum([_WEIGHT_OF_RANK[rank] for rank in ranks])


def _sets_of_ranks(count: int) -> dict[int, int]:
    """What `count` cards (one to five) are worth by their ranks alone, for every set of ranks that a deck can deal."""
    table: dict[int, int] = {}
    for ranks in combinations_with_replacement(_RANKS_DOWN, count):
        category = _CATEGORY_OF_TWINS.get(sum(map(ranks.count, ranks)) - count)
        if category is None:
            continue  # Five cards of one rank.
        # The sort is stable: the larger group comes first, and among equal groups the higher rank stays first.
        table[_key(ranks)] = _packed(category, dict.fromkeys(sorted(ranks, key=ranks.count, reverse=True)))
    return table


def _straights() -> dict[int, int]:
    return {_key(run_down_from(top)): _packed(STRAIGHT, (top,)) for top in range(5, 15)}


def _five_card_flushes() -> dict[int, int]:
    table = {_key(ranks): _packed(FLUSH, ranks) for ranks in combinations(_RANKS_DOWN, 5)}
    for top in range(5, 15):
        table[_key(run_down_from(top))] = _packed(STRAIGHT_FLUSH, (top,))
    return table


def _with_one_more(table: dict[int, int], *, most_of_a_rank: int) -> dict[int, int]:
    """All hands of one card more: each is worth the best of the hands that it holds."""
    longer: dict[int, int] = {}
    value_of = longer.get
    for weight in _WEIGHT_OF_RANK.values():
        for key, value in table.items():
            if key // weight % 5 < most_of_a_rank and value_of(key + weight, 0) < value:
                longer[key + weight] = value
    return longer


def _five_to_seven(five: dict[int, int], *, most_of_a_rank: int) -> dict[int, int]:
    six = _with_one_more(five, most_of_a_rank=most_of_a_rank)
    return five | six | _with_one_more(six, most_of_a_rank=most_of_a_rank)


_FIVE_BY_RANKS = _sets_of_ranks(5)

RANKED: Final = _five_to_seven(_FIVE_BY_RANKS | _straights(), most_of_a_rank=4)
"""Values of all hands of five to seven cards without a flush, by the sum of all their weights."""

FLUSHES: Final = _five_to_seven(_five_card_flushes(), most_of_a_rank=1)
"""Values of five to seven cards of one suit, by the sum of their weights. No better hand has room beside a flush."""

SHOWN: Final = _sets_of_ranks(1) | _sets_of_ranks(2) | _sets_of_ranks(3) | _sets_of_ranks(4) | _FIVE_BY_RANKS
"""Values of one to five exposed cards by the sum of their weights: no straights, no flushes (`rules.md` A6)."""
