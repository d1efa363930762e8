"""Cards as text: which texts are cards, how they are ordered, and that a wrong one is never repeated aloud."""

from __future__ import annotations

import traceback

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rules.cards import (
    DECK,
    HIDDEN,
    RANK_OF,
    SUIT_OF,
    Card,
    NotACard,
    format_cards,
    parse_card,
    parse_cards,
    require_distinct,
)


def test_the_deck_holds_four_cards_of_each_of_thirteen_ranks() -> None:
    assert len(DECK) == len(frozenset(DECK)) == 52
    assert sorted(RANK_OF.values()) == sorted(list(range(2, 15)) * 4)
    assert sorted(SUIT_OF.values()) == sorted(list(range(4)) * 13)


@pytest.mark.parametrize(
    ("text", "rank", "suit"),
    [
        ("2c", 2, 0),
        ("9d", 9, 1),
        ("Th", 10, 2),
        ("Js", 11, 3),
        ("Qc", 12, 0),
        ("Kd", 13, 1),
        ("Ah", 14, 2),
        ("As", 14, 3),
    ],
)
def test_a_card_has_a_rank_with_the_ace_high_and_a_suit_from_clubs_to_spades(text: str, rank: int, suit: int) -> None:
    card = parse_card(text)
    assert (RANK_OF[card], SUIT_OF[card]) == (rank, suit)


@pytest.mark.parametrize("text", ["", "A", "10h", "1h", "ah", "AH", "hA", "Ax", " Ah", "Ah ", "A♥", "??"])
def test_no_other_text_is_a_card(text: str) -> None:
    with pytest.raises(NotACard):
        parse_card(text)


def test_cards_are_read_in_their_order_and_printed_back() -> None:
    assert parse_cards("Td 2c As") == ("Td", "2c", "As")
    assert parse_cards("  Td\t2c\n") == ("Td", "2c")
    assert parse_cards("") == ()


@settings(print_blob=True)
@given(st.lists(st.sampled_from(DECK), unique=True))
def test_printing_and_reading_give_the_same_cards(cards: list[Card]) -> None:
    assert parse_cards(format_cards(cards)) == tuple(cards)


@pytest.mark.parametrize("text", ["7h 7h", "7h 2c 7h", "2c ??", "2c Xx", "2c2d"])
def test_a_card_named_twice_a_hidden_or_a_wrong_one_spoils_the_list(text: str) -> None:
    with pytest.raises(NotACard):
        parse_cards(text)


def test_distinct_cards_pass_and_a_twin_or_a_hidden_card_does_not() -> None:
    require_distinct(DECK)
    for cards in ([*DECK, DECK[0]], [HIDDEN], [HIDDEN, HIDDEN]):
        with pytest.raises(NotACard):
            require_distinct(cards)


@pytest.mark.parametrize("text", ["7h 7h", "7h 7hX", "7h ??"])
def test_the_refusal_tells_no_card(text: str) -> None:
    with pytest.raises(NotACard) as caught:
        parse_cards(text)
    told = "".join(traceback.format_exception_only(caught.value)) + repr(caught.value) + repr(vars(caught.value))
    assert "7h" not in told
    assert caught.value.__context__ is None
