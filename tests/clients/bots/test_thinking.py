from __future__ import annotations

import asyncio
import time
from random import Random

import pytest

from avenue_bots.random_legal import choose
from avenue_bots.thinking import LONGEST_S, thinking, thought_s
from avenue_sdk import Option
from tests.clients.bots.situations import OWED, situation


def test_thoughts_are_about_as_long_as_asked_for_and_never_use_up_a_turn() -> None:
    random = Random(1)
    thoughts = [thought_s(random, mean_s=1.5, options=2) for _ in range(5_000)]
    assert 1.3 < sum(thoughts) / len(thoughts) < 1.7
    assert min(thoughts) > 0
    slow = [thought_s(random, mean_s=9, options=3) for _ in range(1_000)]
    assert max(slow) == LONGEST_S


def test_more_options_take_more_time() -> None:
    few = sum(thought_s(Random(seed), mean_s=1, options=2) for seed in range(100))
    many = sum(thought_s(Random(seed), mean_s=1, options=4) for seed in range(100))
    assert many > few


async def test_without_a_pause_the_choice_is_made_at_once() -> None:
    state, options = situation("2c 7d 9h", "Kd", offered=OWED)
    asked = thinking(choose, Random(1), mean_s=0)(state, options)
    assert asyncio.iscoroutine(asked)
    with pytest.raises(StopIteration) as chosen:
        asked.send(None)
    assert chosen.value.value in options


async def test_a_pause_is_waited_for_before_the_choice_is_made() -> None:
    state, options = situation("2c 7d 9h", "Kd", offered=OWED)
    asked_at = time.monotonic()
    chosen = thinking(choose, Random(1), mean_s=0.02)(state, options)
    assert not isinstance(chosen, Option)
    assert await chosen in options  # type: ignore[misc]
    assert time.monotonic() > asked_at
