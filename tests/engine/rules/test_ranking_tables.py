"""The tables behind the ranking: how many hands they hold, how many kinds of hand, and the bands of the categories."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import comb

import pytest

from engine.rules.cards import DECK
from engine.rules.ranking_tables import (
    CARD_CODE,
    CATEGORY_SHIFT,
    FLUSH,
    FLUSH_FLAGS,
    FLUSHES,
    FOUR_OF_A_KIND,
    FULL_HOUSE,
    HIGH_CARD,
    PAIR,
    RANKED,
    SHOWN,
    STRAIGHT,
    STRAIGHT_FLUSH,
    SUIT_OF_FLAG,
    SUITS_START,
    THREE_OF_A_KIND,
    TWO_PAIR,
    run_down_from,
)


def sets_of_ranks(cards: int) -> int:
    """How many sets of ranks so many cards can have: with repetition, less those with five or more of a rank."""
    too_many_of_one = sum(13 * comb(12 + (cards - copies) - 1, cards - copies) for copies in range(5, cards + 1))
    return comb(13 + cards - 1, cards) - too_many_of_one


def test_every_hand_of_five_six_and_seven_has_its_place() -> None:
    assert len(RANKED) == sum(sets_of_ranks(cards) for cards in (5, 6, 7))
    assert len(FLUSHES) == sum(comb(13, cards) for cards in (5, 6, 7))


def test_every_board_of_one_to_five_has_its_place() -> None:
    assert len(SHOWN) == sum(sets_of_ranks(cards) for cards in (1, 2, 3, 4, 5))


def test_b100_category_bands_never_overlap_and_hold_all_kinds_of_hand() -> None:
    kinds = Counter(value >> CATEGORY_SHIFT for value in {*RANKED.values(), *FLUSHES.values()})
    assert kinds == {
        HIGH_CARD: comb(13, 5) - 10,
        PAIR: 13 * comb(12, 3),
        TWO_PAIR: comb(13, 2) * 11,
        THREE_OF_A_KIND: 13 * comb(12, 2),
        STRAIGHT: 10,
        FLUSH: comb(13, 5) - 10,
        FULL_HOUSE: 13 * 12,
        FOUR_OF_A_KIND: 13 * 12,
        STRAIGHT_FLUSH: 10,
    }
    assert kinds.total() == 7462


def test_categories_are_in_the_order_of_rules_a8() -> None:
    order = [
        HIGH_CARD,
        PAIR,
        TWO_PAIR,
        THREE_OF_A_KIND,
        STRAIGHT,
        FLUSH,
        FULL_HOUSE,
        FOUR_OF_A_KIND,
        STRAIGHT_FLUSH,
    ]
    assert all(lower < higher for lower, higher in pairwise(order))


def test_a_flush_table_holds_flushes_only_and_the_other_none() -> None:
    assert {value >> CATEGORY_SHIFT for value in FLUSHES.values()} == {FLUSH, STRAIGHT_FLUSH}
    assert not {value >> CATEGORY_SHIFT for value in RANKED.values()} & {FLUSH, STRAIGHT_FLUSH}


def test_exposed_cards_never_make_a_straight_or_a_flush() -> None:
    assert not {value >> CATEGORY_SHIFT for value in SHOWN.values()} & {STRAIGHT, FLUSH, STRAIGHT_FLUSH}


@pytest.mark.parametrize("suit", "cdhs")
@pytest.mark.parametrize(("held", "flagged"), [(0, False), (4, False), (5, True), (7, True)])
def test_the_fifth_card_of_a_suit_raises_its_flag_and_no_other(suit: str, held: int, *, flagged: bool) -> None:
    own = [card for card in DECK if card[1] == suit][:held]
    others = [card for card in DECK if card[1] != suit][: 7 - held]
    flag = (SUITS_START + sum(CARD_CODE[card] for card in own + others)) & FLUSH_FLAGS
    assert bool(flag) == flagged
    assert not flagged or "cdhs"[SUIT_OF_FLAG[flag]] == suit


def test_card_codes_order_cards_by_rank_and_then_by_suit() -> None:
    assert sorted(DECK, key=CARD_CODE.__getitem__) == list(DECK)


def test_a_straight_runs_down_from_its_top_and_only_the_five_high_one_ends_in_the_ace() -> None:
    assert run_down_from(14) == (14, 13, 12, 11, 10)
    assert run_down_from(6) == (6, 5, 4, 3, 2)
    assert run_down_from(5) == (5, 4, 3, 2, 14)
