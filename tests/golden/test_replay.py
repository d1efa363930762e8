"""Hands of golden journals are played again through the rules, each only under its own rules' number."""

from __future__ import annotations

import pytest

from engine.rules.events import HandStarted
from engine.rules.replay import first_difference
from engine.rules.variants import RULES_NUMBER
from tests.e2e.journal import Row
from tests.e2e.replay import hands_of
from tests.golden.make import events_of
from tests.golden.shelf import names


@pytest.mark.parametrize("name", names())
def test_every_hand_of_these_rules_comes_out_as_it_did(name: str) -> None:
    numbers = []
    for hand in hands_of([Row(kept.seq, kept.event) for kept in events_of(name)]):
        assert isinstance(hand[0], HandStarted)
        numbers.append(hand[0].rules)
        if hand[0].rules == RULES_NUMBER:
            assert first_difference(hand) is None, hand[0].hand
    assert len(numbers) >= 5
    assert RULES_NUMBER > 1 or set(numbers) == {1}, "hands of the first rules are there"
