"""What hands make, held against the engine's own ranking."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avenue_sdk.ranking import CATEGORIES, PAIR, TWO_PAIR, made, rank, straight_top
from engine.rules.cards import DECK, Card
from engine.rules.ranking import Category, name_of, showing, strength

hands = st.lists(st.sampled_from(DECK), min_size=5, max_size=7, unique=True)
boards = st.lists(st.sampled_from(DECK), min_size=1, max_size=4, unique=True)


@settings(max_examples=500)
@given(cards=hands)
def test_what_is_made_is_what_the_engine_says(cards: list[Card]) -> None:
    assert made(cards).category == name_of(strength(cards)).category


@settings(max_examples=500)
@given(first=hands, second=hands)
def test_hands_compare_as_the_engine_compares_them(first: list[Card], second: list[Card]) -> None:
    assert _order(made(first), made(second)) == _order(strength(first), strength(second))


@settings(max_examples=300)
@given(first=boards, second=boards)
def test_boards_of_equal_size_compare_as_the_engine_compares_them(first: list[Card], second: list[Card]) -> None:
    size = min(len(first), len(second))
    first, second = first[:size], second[:size]
    assert _order(made(first), made(second)) == _order(showing(first), showing(second))


def _order(first: Any, second: Any) -> int:
    return int(first > second) - int(first < second)


def test_nothing_is_made_of_nothing() -> None:
    assert made([]) == (0, ())


@pytest.mark.parametrize(
    ("ranks", "top"),
    [((14, 2, 3, 4, 5), 5), ((10, 11, 12, 13, 14), 14), ((13, 14, 2, 3, 4), 0), ((6, 2, 3, 4, 5, 14), 6)],
)
def test_a_straight_does_not_wrap(ranks: tuple[int, ...], top: int) -> None:
    assert straight_top(ranks) == top


def test_ranks_and_categories_are_in_order() -> None:
    assert [rank(f"{one}c") for one in "23456789TJQKA"] == list(range(2, 15))
    examples = ["Kc 9d 7h 4s 2c", "2c 2d 7h 4s 3c", "2c 2d 3h 3s 4c", "2c 2d 2h 3s 4c", "Ac 2d 3h 4s 5c"]
    more = ["2c 4c 6c 8c Tc", "2c 2d 2h 3s 3c", "2c 2d 2h 2s 3c", "Ac 2c 3c 4c 5c"]
    found = [made(cards.split()) for cards in examples + more]
    assert all(lower < higher for lower, higher in pairwise(found))
    assert (found[1].order, found[2].order) == (PAIR, TWO_PAIR)


def test_the_words_are_the_engine_s_in_its_order() -> None:
    assert get_args(Category) == CATEGORIES
