"""Runs a world from its number to its end, and says what was seen or how it broke."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import structlog

from tests.sim.disk import world_folder
from tests.sim.world import World


class Broken(Exception):
    """A world went wrong: `cause` is what was raised, `seed` and `step` find the place again."""

    def __init__(self, world: World, cause: Exception, *, hands: int) -> None:
        super().__init__(str(cause))
        self.seed, self.step, self.hands = world.seed, world.steps, hands
        self.law = getattr(cause, "law", f"{type(cause).__name__}: {cause}")
        self.cause = cause
        self.happened = world.happened

    def __str__(self) -> str:
        return (
            f"BROKEN LAW in the world of seed {self.seed} at step {self.step}\n  {self.cause!s}\n"
            f"  replay: make sim SEED={self.seed} HANDS={self.hands} WORLDS=1"
        )


class Report:
    """What was seen in one world, or in many."""

    def __init__(self) -> None:
        self.worlds = self.hands = self.events = self.steps = self.broken = 0
        self.virtual_s = 0
        self.took_s = 0.0
        self.seen: Counter[str] = Counter()
        self.happened: Counter[str] = Counter()
        self.checked: Counter[str] = Counter()
        self.digest = ""

    def add(self, other: Report) -> None:
        self.worlds += other.worlds
        self.hands += other.hands
        self.events += other.events
        self.steps += other.steps
        self.virtual_s += other.virtual_s
        self.took_s += other.took_s
        self.seen += other.seen
        self.happened += other.happened
        self.checked += other.checked
        self.digest = other.digest

    def line(self) -> str:
        return (
            f"{self.worlds} worlds, {self.hands} hands, {self.events} events, {self.happened['death']} deaths, "
            f"{self.checked.total()} looks at {len(self.checked)} laws, {self.broken} broken; "
            f"{self.took_s:.0f} s of one core"
        )

    def __str__(self) -> str:
        parts = [self.line(), f"{self.virtual_s} virtual seconds, {self.steps} steps; last digest {self.digest}"]
        for title, counts in (("what went wrong", self.happened), ("what was seen", self.seen), ("laws", self.checked)):
            parts.append(f"{title}:")
            parts += [f"  {count:9} {name}" for name, count in sorted(counts.items())]
        return "\n".join(parts)


def run_world(seed: int, *, hands: int = 0, until_write: int = 0, **terms: Any) -> Report:
    """Run a world for so many hands, or until so many transactions were begun, and close it. Raises `Broken`."""
    begun = time.process_time()
    with world_folder() as folder, structlog.testing.capture_logs() as logs:
        world = World(seed, Path(folder), logs=logs, **terms)
        try:
            world.run(hands=hands, until_write=until_write)
            world.finish()
        except Exception as cause:
            raise Broken(world, cause, hands=hands) from cause
        finally:
            world.close()
    return _reported(world, time.process_time() - begun)


def _reported(world: World, took_s: float) -> Report:
    report = Report()
    judge = world.judge
    report.worlds, report.hands, report.steps = 1, judge.hands, world.steps
    report.events = sum(book.chronicle.seq for book in judge.books.values())
    report.virtual_s = world.time.now_us // 1_000_000
    report.took_s = took_s
    report.seen, report.happened, report.checked = judge.seen, world.happened, judge.laws.checked
    report.digest = judge.digest.hexdigest()
    return report
