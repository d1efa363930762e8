"""How a strategy becomes a player who takes a moment before he acts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from avenue_bots.strategies import Strategy
    from avenue_sdk import Option, Options, TableState
    from avenue_sdk.play import Decide

LONGEST_S = 10.0
"""No thought is longer, so that no bot ever uses up its turn."""


def thinking(strategy: Strategy, random: Random, *, mean_s: float) -> Decide:
    """A `decide` for the SDK that thinks for `mean_s` seconds on average, longer over more options; 0 is at once."""

    async def decide(state: TableState, options: Options) -> Option:
        if mean_s > 0:
            await asyncio.sleep(thought_s(random, mean_s=mean_s, options=len(options)))
        return strategy(state, options, random)

    return decide


def thought_s(random: Random, *, mean_s: float, options: int) -> float:
    """How long to think: mostly short, seldom long, as people do; never longer than `LONGEST_S`."""
    weight = 0.5 + 0.25 * options
    return min(LONGEST_S, mean_s * weight * random.gammavariate(2.0, 0.5))
