"""Games as data (`rules.md` A1), and data that contradict themselves."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine.limits import MAX_CHIPS
from engine.rules.errors import BadVariant
from engine.rules.variants import (
    FIVE_CARD_STREETS,
    SEVEN_CARD_STREETS,
    Rake,
    Variant,
    checked,
    default_ante_chips,
    five_card_stud,
    seven_card_stud,
)


@pytest.mark.parametrize(
    ("small_bet_chips", "ante", "bring_in7"), [(10, 3, 4), (20, 5, 8), (4, 1, 2), (5, 2, 2), (2, 1, 1), (100, 25, 40)]
)
def test_a1_defaults(small_bet_chips: int, ante: int, bring_in7: int) -> None:
    """A quarter of the small bet, and two fifths of it or the bet itself; both rounded up to a whole chip."""
    five = five_card_stud(small_bet_chips=small_bet_chips, big_bet_chips=2 * small_bet_chips)
    seven = seven_card_stud(small_bet_chips=small_bet_chips, big_bet_chips=2 * small_bet_chips)
    assert default_ante_chips(small_bet_chips) == five.ante_chips == seven.ante_chips == ante
    assert (five.bring_in_chips, seven.bring_in_chips) == (small_bet_chips, bring_in7)
    assert (five.bring_in_is_bet, seven.bring_in_is_bet) == (True, False)
    for variant in (five, seven):
        assert (variant.seats, variant.max_wagers, variant.heads_up_uncapped, variant.rake) == (8, 4, False, Rake())


def test_a1_five_card_streets() -> None:
    assert [(one.number, one.deal, one.big_bet, one.burn) for one in FIVE_CARD_STREETS] == [
        (2, ("down", "up"), False, False),
        (3, ("up",), False, True),
        (4, ("up",), True, True),
        (5, ("up",), True, True),
    ]
    assert not any(one.open_pair_doubles for one in FIVE_CARD_STREETS)
    assert five_card_stud(small_bet_chips=1, big_bet_chips=2).cards_per_player == 5


def test_a1_seven_card_streets() -> None:
    assert [(one.number, one.deal, one.big_bet, one.burn) for one in SEVEN_CARD_STREETS] == [
        (3, ("down", "down", "up"), False, False),
        (4, ("up",), False, True),
        (5, ("up",), True, True),
        (6, ("up",), True, True),
        (7, ("down",), True, True),
    ]
    assert [one.number for one in SEVEN_CARD_STREETS if one.open_pair_doubles] == [4]
    assert seven_card_stud(small_bet_chips=2, big_bet_chips=4).cards_per_player == 7


def test_a_house_sets_any_of_it() -> None:
    variant = five_card_stud(
        small_bet_chips=10,
        big_bet_chips=25,
        ante_chips=0,
        bring_in_chips=4,
        heads_up_uncapped=True,
        rake=Rake(basis_points=250, cap_chips=4),
    )
    assert (variant.ante_chips, variant.bring_in_chips, variant.big_bet_chips) == (0, 4, 25)
    assert (variant.heads_up_uncapped, variant.rake.basis_points, variant.bring_in_is_bet) == (True, 250, False)


@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({"small_bet_chips": 0}, "small_bet_chips", "too_low"),
        ({"small_bet_chips": -5}, "small_bet_chips", "too_low"),
        ({"big_bet_chips": 9}, "big_bet_chips", "below_small_bet"),
        ({"big_bet_chips": MAX_CHIPS}, "big_bet_chips", "too_high"),
        ({"ante_chips": -1}, "ante_chips", "out_of_range"),
        ({"ante_chips": 21}, "ante_chips", "out_of_range"),
        ({"bring_in_chips": 0}, "bring_in_chips", "out_of_range"),
        ({"bring_in_chips": 11}, "bring_in_chips", "out_of_range"),
        ({"rake": Rake(basis_points=-1)}, "rake.basis_points", "out_of_range"),
        ({"rake": Rake(basis_points=1001)}, "rake.basis_points", "out_of_range"),
        ({"rake": Rake(cap_chips=-1)}, "rake.cap_chips", "out_of_range"),
    ],
)
@pytest.mark.parametrize("make", [five_card_stud, seven_card_stud])
def test_data_that_contradict_themselves(make: Any, fields: dict[str, Any], field: str, reason: str) -> None:
    with pytest.raises(BadVariant) as refused:
        make(**({"small_bet_chips": 10, "big_bet_chips": 20, "ante_chips": 1} | fields))
    assert refused.value.fields == {"field": field, "reason": reason}


def test_a1_a_seven_card_bring_in_is_below_the_small_bet() -> None:
    with pytest.raises(BadVariant) as refused:
        seven_card_stud(small_bet_chips=10, big_bet_chips=20, bring_in_chips=10)
    assert refused.value.fields == {"field": "bring_in_chips", "reason": "not_below_small_bet"}
    with pytest.raises(BadVariant):
        seven_card_stud(small_bet_chips=1, big_bet_chips=2)
    assert seven_card_stud(small_bet_chips=10, big_bet_chips=20, bring_in_chips=9).bring_in_chips == 9


@pytest.mark.parametrize(("field", "value"), [("seats", 1), ("seats", 9), ("max_wagers", 0)])
def test_more_that_contradicts_itself(field: str, value: int) -> None:
    variant = five_card_stud(small_bet_chips=10, big_bet_chips=20)
    with pytest.raises(BadVariant) as refused:
        checked(msgspec.structs.replace(variant, **{field: value}))
    assert refused.value.fields["field"] == field


def test_a_variant_reads_back_as_it_was_written() -> None:
    variant = seven_card_stud(small_bet_chips=10, big_bet_chips=20, rake=Rake(basis_points=500, cap_chips=3))
    assert msgspec.json.decode(msgspec.json.encode(variant), type=Variant) == variant
    assert msgspec.to_builtins(variant)["kind"] == "stud"
