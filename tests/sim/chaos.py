"""What goes wrong in a world, and how often: drawn from its seed, so that some worlds are calm and some are not."""

from __future__ import annotations

import random
from typing import Final, NamedTuple

import msgspec

from tests.sim.disk import Flaw, FlawKind

SECOND_US: Final = 1_000_000


class Chaos(msgspec.Struct):
    """Rates of everything that may go wrong. Shares are of one, spans are means of virtual seconds; 0 is never."""

    flawed: float = 0.0
    """The share of the transactions that something is wrong with."""
    lost_answers: float = 0.0
    """The share of a table's commits that stand and whose answer never comes."""
    kill_every_steps: int = 0
    """A process dies between any two callbacks, on average after so many."""
    stop_every_s: float = 0.0
    outage_every_s: float = 0.0
    slow_every_s: float = 0.0
    freeze_every_s: float = 0.0
    takeover: float = 0.0
    """The share of freezes in which another process takes over, and the frozen one wakes up later."""
    jump_every_s: float = 0.0
    disordered: float = 0.0
    """The share of frames to the server that come later than what was sent after them."""

    @staticmethod
    def of(dice: random.Random) -> Chaos:
        """Each kind of trouble is there in most worlds, in its own strength; one world in eight is calm."""

        def maybe(low: float, high: float, share: float = 0.6) -> float:
            there, strength = dice.random() < share, dice.random()
            return low + (high - low) * strength**2 if there else 0.0

        chaos = Chaos(
            flawed=maybe(0.001, 0.03, 0.7),
            lost_answers=maybe(0.0005, 0.005),
            kill_every_steps=int(maybe(30_000, 3_000, 0.75)),
            stop_every_s=maybe(3_000, 300, 0.5),
            outage_every_s=maybe(2_000, 150),
            slow_every_s=maybe(1_000, 60),
            freeze_every_s=maybe(1_500, 100),
            takeover=maybe(0.2, 0.9, 0.7),
            jump_every_s=maybe(1_000, 60),
            disordered=maybe(0.01, 0.15),
        )
        return Chaos() if dice.random() < 0.125 else chaos

    def wait_us(self, dice: random.Random, every_s: float) -> int:
        """How long it is until the next trouble of a kind."""
        return max(1, round(dice.expovariate(1 / every_s) * SECOND_US))


class FlawDice:
    """Deals out what is wrong with transactions, by the share of them that something is wrong with."""

    def __init__(self, dice: random.Random, share: float) -> None:
        self._dice = dice
        self.share = share

    def next(self, number: int) -> Flaw | None:
        dice = self._dice
        if dice.random() >= self.share:
            return None
        (kind,) = dice.choices(_KINDS, _WEIGHTS)
        early = kind in {"io_error", "disk_full", "lost_before", "dies_before", "dies_after"} and dice.random() < 0.5
        return Flaw(kind, at=dice.randrange(1, 30) if early else None, times=dice.choice((1, 1, 1, 2, 4)))


class PlannedFlaw:
    """One flaw, at one transaction of the whole run."""

    def __init__(self, number: int, flaw: Flaw) -> None:
        self._number = number
        self._flaw = flaw

    def next(self, number: int) -> Flaw | None:
        return self._flaw if number == self._number else None


class Span(NamedTuple):
    """A range of microseconds to draw from."""

    low_us: int
    high_us: int

    def draw(self, dice: random.Random) -> int:
        return dice.randrange(self.low_us, self.high_us + 1)


_CHANCES: Final[dict[FlawKind, int]] = {
    "io_error": 4,
    "disk_full": 4,
    "lost_before": 4,
    "lost_after": 6,
    "dies_before": 3,
    "dies_after": 3,
    "writer_breaks": 1,
}
_KINDS: Final = tuple(_CHANCES)
_WEIGHTS: Final = tuple(_CHANCES.values())
