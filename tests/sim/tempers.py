"""What kinds of players sit in a world, as shares and spans that their dice are thrown against."""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.sim.chaos import Span

MS: Final = 1_000
SECOND: Final = 1_000_000


class Temper(NamedTuple):
    """How somebody plays and behaves. Shares are of one: of his turns where they are about acting, else of hands."""

    name: str
    thinks: Span = Span(200 * MS, 3 * SECOND)
    silent: float = 0.0
    """Of turns in which he does nothing at all."""
    at_the_bell: float = 0.0
    """Of turns in which his act arrives in the very instant of his deadline."""
    doubles: float = 0.0
    """Of frames that he sends two to five times."""
    late: float = 0.0
    """Of acts that he keeps back until the turn is surely over."""
    garbage: float = 0.0
    """Of turns in which he sends something that makes no sense first."""
    leaves: float = 0.0
    sits_out: float = 0.0
    tops_up: float = 0.0
    drops: float = 0.0
    """Of hands in which his line breaks; he comes back after a while."""
    freezes: float = 0.0
    """Of hands in which he stops reading for a while."""
    folds: int = 2
    calls: int = 6
    wagers: int = 3
    short: float = 0.5
    """Of buy-ins that are the smallest possible."""
    second_line: bool = False
    """Whether he has the table open twice."""


TEMPERS: Final = (
    Temper("quick", thinks=Span(20 * MS, 300 * MS), tops_up=0.02, leaves=0.01),
    Temper("slow", thinks=Span(2 * SECOND, 14 * SECOND), tops_up=0.02, leaves=0.01),
    Temper("silent", silent=0.3, sits_out=0.01),
    Temper("leaving", leaves=0.15, sits_out=0.05, short=0.9),
    Temper("topping up", tops_up=0.4, short=0.7, calls=7, wagers=5),
    Temper("disconnecting", drops=0.25, silent=0.05),
    Temper("impatient", doubles=0.6, second_line=True, thinks=Span(10 * MS, 200 * MS)),
    Temper("late", late=0.2, at_the_bell=0.1),
    Temper("at the bell", at_the_bell=0.5),
    Temper("garbage", garbage=0.5),
    Temper("ratholing", leaves=0.1, short=1.0, wagers=6, folds=1),
    Temper("frozen", freezes=0.1, thinks=Span(50 * MS, SECOND)),
    Temper("wild", folds=1, calls=4, wagers=8, short=0.9, tops_up=0.05),
)
