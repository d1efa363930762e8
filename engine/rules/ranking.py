"""Which hand is better: the best five of up to seven cards, exposed cards, and the name of a hand as codes.

A hand becomes one number, bigger for the better hand and equal for equal hands; suits never rank hands (`rules.md` A8).
How the number is made up stands in `ranking_tables.py`. It tells the ranks of the hand, so it is as secret as the cards
themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from engine.rules.cards import RANK_OF, RANKS, SUIT_OF, Card, NotACard, require_distinct
from engine.rules.ranking_tables import (
    CARD_CODE,
    CATEGORY_SHIFT,
    FLUSH,
    FLUSH_FLAGS,
    FLUSHES,
    RANK_SHIFTS,
    RANKED,
    SHOWN,
    STRAIGHT,
    STRAIGHT_FLUSH,
    SUIT_BITS,
    SUIT_OF_FLAG,
    SUITS_START,
    run_down_from,
)

Category = Literal[
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
]


class HandName(msgspec.Struct, frozen=True):
    """What a hand is called, as a code and the ranks that decide it, highest importance first; words are the client's.

    `ranks` holds rank characters. Two pair: both pairs, then the kicker. Full house: the trips, then the pair. A
    straight, a straight flush or a royal flush: its top only, so `5` for A-2-3-4-5. A flush or high card: all its
    ranks. The `repr` says nothing, because a name tells cards that may be hidden.
    """

    category: Category
    ranks: tuple[str, ...]

    def __repr__(self) -> str:
        return "HandName(…)"


class NotAHand(ValueError):
    """These cards cannot be ranked: too few, too many, or more of a rank than a deck holds. It carries no card."""

    def __init__(self) -> None:
        super().__init__("not a number of different cards that can be ranked")


def strength(cards: Sequence[Card]) -> int:
    """Rank the best five of five, six or seven cards as a number: bigger is better, equal is a tie (`rules.md` A8).

    The caller must give cards of one deck, all different: a card that stands twice is not looked for
    (`strength_checked` does). A hidden card raises `NotACard`, a wrong number of cards `NotAHand`. Numbers of different
    counts of cards compare as well.
    """
    code = _code(cards)
    flag = code & FLUSH_FLAGS
    value = _flush_value(cards, flag) if flag else RANKED.get(code >> SUIT_BITS)
    if value is None:
        raise NotAHand
    return value


def strength_checked(cards: Sequence[Card]) -> int:
    """Rank cards that came from outside: as `strength`, and a card that stands twice raises `NotACard`."""
    require_distinct(cards)
    return strength(cards)


def showing(cards: Sequence[Card]) -> int:
    """Rank one to five exposed cards as a number: bigger opens the betting, equal is a tie (`rules.md` A6).

    Only numbers for equally many cards may be compared. Straights and flushes do not count; pairs, trips and quads do,
    then the ranks in order. Five cards (four and a common one) may also make a full house, between trips and quads. As
    with `strength`, a card that stands twice is not looked for, a hidden card raises `NotACard` and a wrong number of
    cards `NotAHand`.
    """
    value = SHOWN.get(_code(cards) >> SUIT_BITS)
    if value is None:
        raise NotAHand
    return value


def name_of(strength: int) -> HandName:
    """Name a hand from its number alone, as `strength` or `showing` gave it; few exposed cards have few ranks."""
    category = _CATEGORIES[strength >> CATEGORY_SHIFT]
    ranks = tuple([RANKS[rank - 2] for rank in _ranks_of(strength)])
    if category == "straight_flush" and ranks == ("A",):
        category = "royal_flush"
    return HandName(category, ranks)


def best_five(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Choose five cards that make the strength, the deciding ones first: a pair before kickers, a straight top down.

    Of equal choices it takes the higher suit, so the same cards in any order give the same five. Errors as with
    `strength`.
    """
    value = strength(cards)
    category = value >> CATEGORY_SHIFT
    # Card codes order by rank and then by suit.
    pool = sorted(cards, key=CARD_CODE.__getitem__, reverse=True)
    if category in (FLUSH, STRAIGHT_FLUSH):
        flush_suit = SUIT_OF_FLAG[_code(cards) & FLUSH_FLAGS]
        pool = [card for card in pool if SUIT_OF[card] == flush_suit]
    ranks = _ranks_of(value)
    if category in (STRAIGHT, STRAIGHT_FLUSH):
        return tuple([next(card for card in pool if RANK_OF[card] == rank) for rank in run_down_from(ranks[0])])
    # Ranks that repeat come first in a value, so the first five cards are right even where a kicker has a twin.
    return tuple([card for rank in ranks for card in pool if RANK_OF[card] == rank][:5])


_CATEGORIES: tuple[Category, ...] = (
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
)


def _code(cards: Sequence[Card]) -> int:
    """All cards in one sum: the weights of their ranks, and how many there are of each suit."""
    try:
        return sum(map(CARD_CODE.__getitem__, cards), SUITS_START)
    except KeyError:
        pass
    # Raised outside the handler, so that the exception does not carry the text it was given.
    raise NotACard


def _flush_value(cards: Sequence[Card], flag: int) -> int | None:
    suit = SUIT_OF_FLAG.get(flag)
    if suit is None or len(cards) > 7:
        return None
    return FLUSHES.get(sum([CARD_CODE[card] >> SUIT_BITS for card in cards if SUIT_OF[card] == suit]))


def _ranks_of(value: int) -> list[int]:
    return [rank for shift in RANK_SHIFTS if (rank := value >> shift & 15)]
