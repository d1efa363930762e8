from __future__ import annotations

from collections import Counter
from random import Random

from avenue_bots.random_legal import choose
from tests.clients.bots.situations import OWED, situation


def test_every_option_is_as_likely_as_any_other() -> None:
    state, options = situation("2c 7d 9h", "Kd", offered=OWED)
    random = Random(1)
    chosen = Counter(type(choose(state, options, random).action).__name__ for _ in range(3_000))
    assert set(chosen) == {"Fold", "Call", "Raise"}
    assert all(900 < times < 1_100 for times in chosen.values())
