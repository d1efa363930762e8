"""Draws, and the cards that can no longer come."""

from __future__ import annotations

import pytest

from avenue_bots.reading import flush_draw, live_ranks, live_suit, straight_draw, straight_outs


@pytest.mark.parametrize(
    ("cards", "toward"),
    [("2c 3d 4h", 3), ("2c 4d 6h", 3), ("Ac 2d 3h 4s", 4), ("Tc Jd Qh Ks", 4), ("Kc Ad 2h", 2), ("5c 6d 7h 8s", 4)],
)
def test_how_far_a_straight_has_come(cards: str, toward: int) -> None:
    assert straight_draw(cards.split()) == toward


def test_cards_that_are_gone_cannot_come() -> None:
    cards, seen = ["5c", "6d", "7h", "8s"], ["5c", "6d", "7h", "8s", "4c", "4d", "9h", "Ks"]
    assert straight_outs(cards, seen) == 2 + 3
    assert live_ranks([4, 9], seen) == 2 + 3
    assert live_suit("h", ["2h", "5h", "9h", "Kd"]) == 10
    assert flush_draw(["2h", "5h", "9h", "Kd"]) == ("h", 3)
