"""The ranking against a naive one and against two by other authors, and the laws that any ranking must keep."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rules.cards import DECK, SUITS, Card, require_distinct
from engine.rules.ranking import best_five, name_of, showing, strength, strength_checked
from tests.bench.rank_agreement import compare, random_hands
from tests.engine.rules.naive_ranking import NAMES, judge, judge_showing

RANK_TEXT = "..23456789TJQKA"

seeded = settings(print_blob=True, deadline=None)


def hands(fewest: int, most: int) -> st.SearchStrategy[list[Card]]:
    """Different cards, with straights, flushes and groups far more often than a fair deal has them."""
    ranks = st.sampled_from(["23456789TJQKA", "A2345", "A23456", "89TJQKA", "TJQKA", "277AK", "99KKA"])
    suits = st.sampled_from(["cdhs", "cdhs", "hs", "h"])

    def pool(chosen: tuple[str, str]) -> list[Card]:
        found = [card for card in DECK if card[0] in chosen[0] and card[1] in chosen[1]]
        return found if len(found) >= most else list(DECK)

    return (
        st.tuples(ranks, suits)
        .map(pool)
        .flatmap(lambda cards: st.lists(st.sampled_from(cards), min_size=fewest, max_size=most, unique=True))
    )


# Against a second opinion ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_hands_rank_and_are_named_as_the_naive_ranking_has_them(size: int) -> None:
    rng = random.Random(size)
    dealt = [rng.sample(DECK, size) for _ in range(3000)]
    judged = sorted((judge(cards), strength(cards)) for cards in dealt)
    for (lower, lower_strength), (higher, higher_strength) in pairwise(judged):
        assert (lower == higher) == (lower_strength == higher_strength)
        assert lower_strength <= higher_strength
    for (place, ranks), value in judged:
        name = name_of(value)
        assert (name.category, "".join(name.ranks)) == (NAMES[place], "".join(RANK_TEXT[rank] for rank in ranks))


@seeded
@given(hands(5, 7), hands(5, 7))
def test_two_hands_compare_as_the_naive_ranking_compares_them(a: list[Card], b: list[Card]) -> None:
    assert (strength(a) > strength(b)) == (judge(a) > judge(b))
    assert (strength(a) == strength(b)) == (judge(a) == judge(b))


@seeded
@given(st.data(), st.integers(1, 5))
def test_two_boards_compare_as_the_naive_ranking_compares_them(data: st.DataObject, count: int) -> None:
    a, b = data.draw(hands(count, count)), data.draw(hands(count, count))
    assert (showing(a) > showing(b)) == (judge_showing(a) > judge_showing(b))
    assert (showing(a) == showing(b)) == (judge_showing(a) == judge_showing(b))


@pytest.mark.parametrize("size", [5, 6, 7])
def test_a_sample_of_hands_is_ordered_as_eval7_and_phevaluator_order_it(size: int) -> None:
    found = compare(random_hands(size=size, count=100_000, seed=size))
    assert found.hands == 100_000
    assert found.disagreements == {"eval7": 0, "phevaluator": 0}


def test_the_comparison_with_other_rankers_notices_a_wrong_order() -> None:
    def flushes_too_low(cards: Sequence[Card]) -> int:
        value = strength(cards)
        return value - (3 << 20) if name_of(value).category == "flush" else value

    found = compare(random_hands(size=7, count=2000, seed=1), ours=flushes_too_low)
    assert all(found.disagreements.values())


def test_the_comparison_with_other_rankers_notices_a_kicker_left_out() -> None:
    found = compare(random_hands(size=7, count=2000, seed=1), ours=lambda cards: strength(cards) & ~15)
    assert all(found.disagreements.values())


# Laws of the ranking --------------------------------------------------------------------------------------------------


@seeded
@given(st.data(), hands(5, 7))
def test_the_order_of_the_cards_changes_nothing(data: st.DataObject, cards: list[Card]) -> None:
    shuffled = data.draw(st.permutations(cards))
    assert strength(shuffled) == strength(cards)
    assert best_five(shuffled) == best_five(cards)
    assert showing(shuffled[:5]) == showing(sorted(shuffled[:5]))


@seeded
@given(hands(5, 7), st.permutations(SUITS))
def test_exchanging_the_suits_changes_nothing(cards: list[Card], suits: list[str]) -> None:
    exchanged = [Card(card[0] + suits[SUITS.index(card[1])]) for card in cards]
    assert strength(exchanged) == strength(cards)
    assert showing(exchanged[:5]) == showing(cards[:5])


@seeded
@given(hands(6, 7))
def test_one_card_more_never_makes_a_hand_worse_and_the_best_fewer_are_as_good(cards: list[Card]) -> None:
    fewer = [strength(rest) for rest in combinations(cards, len(cards) - 1)]
    assert max(fewer) == strength(cards)


@seeded
@given(hands(5, 7))
def test_the_best_five_are_five_of_the_cards_and_as_strong(cards: list[Card]) -> None:
    five = best_five(cards)
    require_distinct(five)
    assert len(five) == 5
    assert all(card in cards for card in five)
    assert strength(five) == strength(cards)


@seeded
@given(hands(5, 7))
def test_distinct_cards_rank_the_same_with_and_without_the_check(cards: list[Card]) -> None:
    assert strength_checked(cards) == strength(cards)
