"""Chooses any option, each as likely as any other: a player for tests, who gets everywhere and wins nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from avenue_sdk import Option, Options, TableState


def choose(state: TableState, options: Options, random: Random) -> Option:
    return random.choice(options.all)
