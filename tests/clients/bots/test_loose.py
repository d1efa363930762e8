from __future__ import annotations

from random import Random

from avenue_bots.loose import choose
from avenue_sdk import Fold
from tests.clients.bots.situations import FREE, OWED, situation


def share_of(deed: str, mine: str, against: str) -> float:
    """How often he does it, over a thousand throws of the dice."""
    state, options = situation(mine, against, offered=OWED)
    random = Random(1)
    deeds = [type(choose(state, options, random).action).__name__ for _ in range(1_000)]
    return deeds.count(deed) / len(deeds)


def test_he_stays_with_any_hope_and_gives_up_what_has_none_most_of_the_time() -> None:
    assert share_of("Fold", "Qc 7d 2h", "Kd") == 0
    assert share_of("Fold", "4h 9h Jh", "Kd") == 0
    assert 0.5 < share_of("Fold", "2c 7d 9h 3s Jc", "Kd Qd 8h") < 0.8


def test_he_raises_two_pair_always_a_pair_often_and_nothing_seldom() -> None:
    assert share_of("Raise", "9c 9d 3h 3s 2c", "Kd Qd 8h") == 1
    assert 0.4 < share_of("Raise", "9c 9d 3h 4s 2c", "Kd Qd 8h") < 0.65
    assert 0.02 < share_of("Raise", "2c 7d 9h 3s Jc", "Kd Qd 8h") < 0.12


def test_he_gives_nothing_up_that_is_free() -> None:
    state, options = situation("2c 7d 9h 3s Jc", "Kd Qd 8h", offered=FREE)
    random = Random(2)
    assert all(not isinstance(choose(state, options, random).action, Fold) for _ in range(200))
