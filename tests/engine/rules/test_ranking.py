"""Which hand wins, what it is called, and what a board shows; a test of a numbered fault carries its number."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from itertools import pairwise

import msgspec
import pytest

from engine.rules.cards import DECK, HIDDEN, SUITS, Card, NotACard, parse_cards
from engine.rules.ranking import HandName, NotAHand, best_five, name_of, showing, strength, strength_checked


def verdict(a: str, b: str, by: Callable[[Sequence[Card]], int] = strength) -> str:
    first, second = by(parse_cards(a)), by(parse_cards(b))
    return "a" if first > second else "b" if second > first else "tie"


def called(cards: str, by: Callable[[Sequence[Card]], int] = strength) -> str:
    name = name_of(by(parse_cards(cards)))
    return f"{name.category} {''.join(name.ranks)}"


# Two hands compared ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "better"),
    [
        pytest.param("Ah 2h 3h 4h 5h Kd Kc", "As Ad Ac 9s Kd Qc Jc", "a", id="five_high_straight_flush_beats_trips"),
        pytest.param("Ah 2h 3h 4h 5h Kd Kc", "As Ad Ac Ah 9s Qc Jc", "a", id="five_high_straight_flush_beats_quads"),
        pytest.param("Ah 2h 3h 4h 5h Kd Kc", "2s 3s 4s 5s 6s Qd Qc", "b", id="five_high_is_the_lowest_straight_flush"),
        pytest.param("Ad 2h 3c 4h 5s Kd Kc", "As Ah Ac Td 8s 6d 3h", "a", id="five_high_straight_beats_trip_aces"),
        pytest.param("Qd Kh Ac 2h 3s 9d 7c", "2s 2d 4s 5c 8s Td Jc", "b", id="nothing_wraps_round_the_ace"),
        pytest.param("Jd Qd Kd Ad 2d 9c 7h", "2s 3s 4s 5s 7s Kc Kh", "a", id="a_flush_does_not_wrap_into_a_straight"),
        pytest.param("2d 2h 2c Ah As 9d 7c", "3s 3d 3c 4s 4d 8h Tc", "b", id="full_house_by_its_trips_first"),
        pytest.param("9d 9h 9c 8h 8s 8d 2c", "9s Td Tc Ts 7d 5h 3c", "a", id="two_trips_are_a_full_house"),
        pytest.param("Ah Kh 9h 7h 5h 3h 2c", "As Ks 9s 7s 5s 2d 2s", "tie", id="six_of_a_suit_play_the_best_five"),
        pytest.param("Ah Kh Qh Jh Th 3h 2c", "As Ks Qs Js Ts 9s 8s", "tie", id="two_royals_split"),
        pytest.param("3h 4d 5h 6c 7h 8h 9c", "5s 6d 7s 8d 9s 2d 2s", "tie", id="a_long_straight_plays_its_top_five"),
        pytest.param("Ah Kh Qh Jh Th", "9s Ks Qs Js Ts", "a", id="the_royal_is_the_highest_straight_flush"),
        pytest.param("7c 7d 7h 7s 2c", "7c 7d 7h 7s 3d", "b", id="common_quads_by_the_kicker"),
        pytest.param("7c 7d 7h 7s 2c 2d 2h", "7c 7d 7h 7s 3d 2c 2d", "b", id="quads_over_trips_need_one_kicker"),
        pytest.param("Kc Kd 9c 9d 5h 5s 2c", "Kh Ks 9h 9s 5c 4d 4h", "tie", id="a_third_pair_is_one_kicker"),
        pytest.param("Ac Kd Qh Js 9c 3d 2h", "Ad Kh Qs Jc 9d 4h 2s", "tie", id="the_sixth_card_never_breaks_a_tie"),
        pytest.param("Ac Kd Qh Js 9c", "Ad Kh Qs Jc 8d 7h 6s", "a", id="hands_of_five_and_of_seven_compare"),
    ],
)
def test_the_better_hand(a: str, b: str, better: str) -> None:
    assert verdict(a, b) == better
    assert verdict(b, a) == {"a": "b", "b": "a", "tie": "tie"}[better]


LADDER = [
    "royal_flush A: As Ks Qs Js Ts",
    "straight_flush K: Kh Qh Jh Th 9h",
    "straight_flush 5: 5d 4d 3d 2d Ad",
    "four_of_a_kind 32: 3c 3d 3h 3s 2c",
    "four_of_a_kind 2A: 2c 2d 2h 2s Ac",
    "full_house 32: 3c 3d 3h 2c 2d",
    "full_house 2A: 2c 2d 2h Ac Ad",
    "flush 75432: 7c 5c 4c 3c 2c",
    "straight A: Ac Kd Qh Js Tc",
    "straight 5: 5c 4d 3h 2s Ac",
    "three_of_a_kind 243: 2c 2d 2h 4s 3c",
    "two_pair AKQ: Ac Ad Kh Ks Qc",
    "two_pair 324: 3c 3d 2h 2s 4c",
    "pair AKQJ: Ac Ad Kh Qs Jc",
    "pair 2543: 2c 2d 5h 4s 3c",
    "high_card AKQJ9: Ac Kd Qh Js 9c",
    "high_card 75432: 7c 5d 4h 3s 2c",
]


def test_rules_a8_order_of_the_categories_from_their_edges() -> None:
    strengths = []
    for line in LADDER:
        name, cards = line.split(": ")
        assert called(cards) == name
        strengths.append(strength(parse_cards(cards)))
    assert all(higher > lower for higher, lower in pairwise(strengths))


# Faults seen elsewhere ------------------------------------------------------------------------------------------------


def test_b073_partial_hand_boards_are_compared_by_groups_and_ranks_alone() -> None:
    assert verdict("4c", "3s", showing) == "a"
    assert verdict("Ac Kd", "2c 2d", showing) == "b"
    assert verdict("9h Th Jh Qh", "2c 2d 3h 4s", showing) == "b"
    assert verdict("2h 3h 4h 9h", "Tc 8d 7s 6c", showing) == "b"
    assert verdict("Kc Kd 2h", "Qc Qd Ah", showing) == "a"
    assert called("9h Th Jh Qh", showing) == "high_card QJT9"


@pytest.mark.parametrize(
    "cards",
    ["7h 7h 2c 3d 4s", "7h 7h 2h 3h 4h 5h 6h", "7h 2c 3d 4s 5h 9c 7h", "7h 7h 7h 7h 7h", "7h 7h 7h 7h 7h 7h 7h"],
)
def test_b074_duplicate_card_is_refused(cards: str) -> None:
    with pytest.raises(NotACard):
        strength_checked([Card(card) for card in cards.split()])


def test_b083_tie_ignored_other_suits_of_the_same_ranks_split() -> None:
    board = " Ah Kd 9s 6c 3h"
    assert verdict("8d Qc" + board, "8c Qs" + board) == "tie"


def test_b085_wheel_among_seven_beats_two_pair() -> None:
    wheel = "Ah 2c 3d 4s 5h Kd Kc"
    assert called(wheel) == "straight 5"
    assert verdict(wheel, "Kh Ks 9c 9d Jh 7s 2d") == "a"


def test_b086_wheel_flush_beats_the_six_high_straight() -> None:
    assert verdict("Ah 2h 3h 4h 5h", "2c 3d 4s 5c 6h") == "a"
    assert verdict("Ah 2h 3h 4h 5h 6c 9d", "2c 3d 4s 5c 6h Kd Qd") == "a"
    assert called("Ah 2h 3h 4h 5h 6c 9d") == "straight_flush 5"


def test_b088_mixed_five_is_a_flush_and_no_straight_flush() -> None:
    assert called("9c Th Jh Qh Kh 2h 3h") == "flush KQJT3"


def test_b089_hidden_straight_flush_is_found_under_a_higher_flush_card() -> None:
    assert called("Ac Qs Jc Tc 9c 8c 7c") == "straight_flush J"


def test_b091_flush_kickers_decide_to_the_last_card() -> None:
    assert verdict("Kh Qh 9h 6h 5h", "Ks Qs 9s 7s 6s") == "b"
    assert verdict("Kh Qh 9h 7h 5h", "Ks Qs 9s 7s 4s") == "a"


def test_b092_weighted_sum_of_low_cards_never_outweighs_the_high_card() -> None:
    assert verdict("Kc Td 5h 4s 3c", "Qc Ts 7d 5c 4h") == "a"
    assert verdict("8c 5d 4h 3s 2c", "7c 6d 5h 4s 2d") == "a"


def test_b094_three_pairs_kicker_is_the_best_card_left() -> None:
    assert called("Ac Ad 6c 6d 3c 3d Qh") == "two_pair A6Q"
    assert called("Ac Ad 6c 6d 3c 3d 2h") == "two_pair A63"


def test_b095_sum_of_ranks_does_not_decide_two_pair() -> None:
    assert verdict("6c 6d 3c 3d Ah", "7c 7d 2c 2d As") == "b"


def test_b097_full_house_pair_breaks_equal_trips() -> None:
    assert verdict("3c 3d 3h Tc Td 2c 2d", "3c 3d 3h 9c 9d 2c 2d") == "a"
    assert called("3c 3d 3h Tc Td 2c 2d") == "full_house 3T"


def test_b098_two_trips_are_the_higher_full_of_the_lower() -> None:
    assert called("9c 9d 9h 5c 5d 5h Ks") == "full_house 95"


def test_b100_overlapping_bands_do_not_exist() -> None:
    assert verdict("9c 9d Qh Js 8c", "Qc Qd Js 9h 8d") == "b"
    assert verdict("Kc Kd 9h 9s 3c", "Ac Ad Qh Js 8c") == "a"


def test_b101_three_pairs_play_the_two_highest() -> None:
    assert called("Qc Qd 9c 9d 4c 4d 7h") == "two_pair Q97"


def test_b103_class_order_puts_the_flush_above_the_straight() -> None:
    assert verdict("Tc 9d 8h 7s 6c", "8h 6h 5h 3h 2h") == "b"


def test_b104_suit_tiebreak_does_not_exist() -> None:
    assert verdict("As Ks Qs Js 9s", "Ah Kh Qh Jh 9h") == "tie"
    assert len({strength(parse_cards(f"A{suit} K{suit} Q{suit} J{suit} 9{suit}")) for suit in SUITS}) == 1


# Names and the five cards ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "name", "five"),
    [
        ("2c 9d Kh 4s Jc 7d 5h", "high_card KJ975", "Kh Jc 9d 7d 5h"),
        ("Jc 2d Jh 9s Ac 4d 6h", "pair JA96", "Jh Jc Ac 9s 6h"),
        ("4c Jd Jh 4s Ac 2d 3h", "two_pair J4A", "Jh Jd 4s 4c Ac"),
        ("Ac Ad Kh Ks Qc Qd Jh", "two_pair AKQ", "Ad Ac Ks Kh Qd"),
        ("9c Td Ts 4s Tc 2d 3h", "three_of_a_kind T94", "Ts Td Tc 9c 4s"),
        ("9c 8d 8s 7s 6c 5d 4h", "straight 9", "9c 8s 7s 6c 5d"),
        ("Ac 2d As 4s 3c 5d Kh", "straight 5", "5d 4s 3c 2d As"),
        ("Ah 2h 6h 4s 3h Kh 9h", "flush AK963", "Ah Kh 9h 6h 3h"),
        ("Kc Kd Ks Qs Qc Qd 2h", "full_house KQ", "Ks Kd Kc Qs Qd"),
        ("7c 7d 7s 7h Qc Qd Qh", "four_of_a_kind 7Q", "7s 7h 7d 7c Qh"),
        ("Ah 2h 3h 4h 5h As 6c", "straight_flush 5", "5h 4h 3h 2h Ah"),
        ("Th Jh Qh Kh 9h As 9d", "straight_flush K", "Kh Qh Jh Th 9h"),
        ("Th Jh Qh Kh Ah 9h 8h", "royal_flush A", "Ah Kh Qh Jh Th"),
        ("Th Jh Qh Kh Ah As", "royal_flush A", "Ah Kh Qh Jh Th"),
    ],
)
def test_a_hand_is_named_by_its_deciding_ranks_and_shown_in_their_order(cards: str, name: str, five: str) -> None:
    assert called(cards) == name
    assert best_five(parse_cards(cards)) == parse_cards(five)


def test_a_name_goes_over_the_wire_as_a_code_and_ranks() -> None:
    name = name_of(strength(parse_cards("4c Jd Jh 4s Ac")))
    assert msgspec.json.encode(name) == b'{"category":"two_pair","ranks":["J","4","A"]}'
    assert msgspec.json.decode(msgspec.json.encode(name), type=HandName) == name


def test_a_name_does_not_print_its_ranks() -> None:
    name = name_of(strength(parse_cards("4c Jd Jh 4s Ac")))
    assert repr(name) == str(name) == "HandName(…)"


# Boards ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("best_first", "count"),
    [
        (["Ac", "Kd", "2s"], 1),
        (["Ac Ad", "2c 2d", "Ac Kd", "Ad Qh", "Kc Qs", "3c 2d"], 2),
        (["2c 2d 2h", "Ac Ad Kh", "Ac Ad Qh", "2c 2d 3h", "Ac Kd Qh", "Ac Kd Js"], 3),
        (["2c 2d 2h 2s", "3c 3d 3h 2s", "2c 2d 2h As", "3c 3d 2c 2d", "Ac Ad Kh Qs", "Ac Ks Qh Jd"], 4),
        (
            [
                "2c 2d 2h 2s 3c",
                "2c 2d 2h 3c 3d",
                "Ac Ad Ah Kc Qd",
                "3c 3d 2h 2s 4c",
                "Ac Ad Kh Qs Jc",
                "Ac Kc Qc Jc Tc",
            ],
            5,
        ),
    ],
)
def test_rules_a6_boards_from_the_highest_to_the_lowest(best_first: list[str], count: int) -> None:
    values = [showing(parse_cards(cards)) for cards in best_first]
    assert all(len(cards.split()) == count for cards in best_first)
    assert all(higher > lower for higher, lower in pairwise(values))


def test_rules_a6_equal_ranks_in_other_suits_show_the_same() -> None:
    assert verdict("Ks Qs 9s 4s", "Kc Qd 9h 4c", showing) == "tie"
    assert verdict("Ks Kd 9s 4s", "Kc Kh 9h 4c", showing) == "tie"


def test_a_board_has_a_name_of_as_many_ranks_as_it_shows() -> None:
    assert called("Ks", showing) == "high_card K"
    assert called("4s Kd 4c", showing) == "pair 4K"
    assert called("4s 4d 4c 4h", showing) == "four_of_a_kind 4"


# What cannot be ranked ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [strength, strength_checked, showing, best_five])
@pytest.mark.parametrize("wrong", [HIDDEN, Card("1h"), Card(""), Card("7H")])
def test_a_hidden_or_wrong_card_is_refused(rank: Callable[[Sequence[Card]], object], wrong: Card) -> None:
    with pytest.raises(NotACard):
        rank([*parse_cards("Ac Kd Qh Js"), wrong])


@pytest.mark.parametrize("rank", [strength, strength_checked, best_five])
@pytest.mark.parametrize("count", [0, 1, 4, 8, 13, 52])
@pytest.mark.parametrize("order", [DECK, sorted(DECK, key=lambda card: (card[1], card[0]))], ids=["mixed", "suited"])
def test_a_hand_has_five_to_seven_cards(
    rank: Callable[[Sequence[Card]], object], count: int, order: Sequence[Card]
) -> None:
    with pytest.raises(NotAHand):
        rank(order[:count])


@pytest.mark.parametrize("cards", ["7h 8h 9h Th Jh 2c 3d 4s", "7h 8h 9h Th Jh 7c 8c 9c Tc Jc"])
def test_a_flush_among_more_than_seven_cards_is_no_hand_either(cards: str) -> None:
    with pytest.raises(NotAHand):
        strength(parse_cards(cards))


@pytest.mark.parametrize("count", [0, 6, 7, 52])
def test_a_board_has_one_to_five_cards(count: int) -> None:
    with pytest.raises(NotAHand):
        showing(DECK[:count])


@pytest.mark.parametrize("cards", ["7h 7h 7h 7h 7h 7h 7h", "7h ??", "7h 8h 9h Th Jh Qh Kh Ah", "7h 8h"])
def test_a_refusal_tells_no_card_and_no_number_made_of_them(cards: str) -> None:
    with pytest.raises(ValueError, match=r"^not a ") as caught:
        strength([Card(card) for card in cards.split()])
    error = caught.value
    assert "7h" not in "".join(traceback.format_exception_only(error))
    assert (vars(error), error.__context__, error.__cause__) == ({}, None, None)
