"""The bots' strategies by name. A strategy is a pure function: the same state, options and dice, the same choice."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from avenue_bots import cautious, loose, random_legal
from avenue_sdk import Option, Options, TableState

Strategy: TypeAlias = Callable[[TableState, Options, Random], Option]

STRATEGIES: dict[str, Strategy] = {
    "cautious": cautious.choose,
    "loose": loose.choose,
    "random": random_legal.choose,
}
