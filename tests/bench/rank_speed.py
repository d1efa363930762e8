"""How long our ranking takes beside eval7 and phevaluator: `python -m tests.bench.rank_speed`. It asserts nothing.

All three rank the same random hands, each given its own kind of card ready made. They take turns in short windows, so
that a busy machine slows all of them alike: read the ratios first, the microseconds second. The other two are C behind
Python.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from phevaluator import evaluate_5cards, evaluate_6cards, evaluate_7cards

from engine.rules.cards import DECK
from engine.rules.ranking import best_five, name_of, showing, strength, strength_checked
from tests.bench.other_rankers import EVAL7_CARDS, PH_CARDS, eval7_evaluate
from tests.bench.rank_agreement import random_hands

Run = Callable[[], None]

PHEVALUATOR_FOR = {5: evaluate_5cards, 6: evaluate_6cards, 7: evaluate_7cards}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.rank_speed", description="Time our ranking beside others."
    )
    parser.add_argument("--hands", type=int, default=5_000, help="hands in a window (default 5,000)")
    parser.add_argument("--windows", type=int, default=21, help="windows of each ranker (default 21)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random hands (default 1)")
    options = parser.parse_args(arguments)

    _say(f"seed {options.seed}, {options.windows} windows of {options.hands:,} hands, medians")
    for size in (7, 6, 5):
        hands = [tuple(hand) for hand in random_hands(size=size, count=options.hands, seed=options.seed)]
        _table(f"{size} cards", _rankers(hands, size=size), hands=options.hands, windows=options.windows)
    sevens = [tuple(hand) for hand in random_hands(size=7, count=options.hands, seed=options.seed)]
    _table("around it", _neighbours(sevens), hands=options.hands, windows=options.windows)
    _say("tables")
    _say(f"  made at import in {statistics.median(_build_ms() for _ in range(5)):.0f} ms")


def _rankers(hands: list[tuple[int, ...]], *, size: int) -> dict[str, Run]:
    return {
        "ours": partial(_each, strength, [tuple(DECK[index] for index in hand) for hand in hands]),
        "eval7": partial(_each, eval7_evaluate, [[EVAL7_CARDS[index] for index in hand] for hand in hands]),
        "phevaluator": partial(
            _each_spread, PHEVALUATOR_FOR[size], [[PH_CARDS[index] for index in hand] for hand in hands]
        ),
    }


def _neighbours(hands: list[tuple[int, ...]]) -> dict[str, Run]:
    sevens = [tuple(DECK[index] for index in hand) for hand in hands]
    return {
        "strength": partial(_each, strength, sevens),
        "strength_checked": partial(_each, strength_checked, sevens),
        "showing, 4 cards": partial(_each, showing, [cards[:4] for cards in sevens]),
        "name_of": partial(_each, name_of, [strength(cards) for cards in sevens]),
        "best_five": partial(_each, best_five, sevens),
    }


def _each(rank: Callable[[Any], object], hands: Iterable[Any]) -> None:
    for hand in hands:
        rank(hand)


def _each_spread(rank: Callable[..., object], hands: Iterable[Sequence[Any]]) -> None:
    for hand in hands:
        rank(*hand)


def _table(title: str, runs: dict[str, Run], *, hands: int, windows: int) -> None:
    """Time the runs in turn, window by window; the ratio is to the first run in the same window."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()  # Warm up.
    for _ in range(windows):
        for name, run in runs.items():
            began = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - began)
    first = next(iter(seconds.values()))
    _say(title)
    for name, taken in seconds.items():
        ratio = statistics.median(ours / base for ours, base in zip(taken, first, strict=True))
        _say(f"  {name:<18}{statistics.median(taken) / hands * 1e6:8.3f} µs  x{ratio:.2f}")


def _build_ms() -> float:
    spec = importlib.util.find_spec("engine.rules.ranking_tables")
    assert spec is not None
    assert spec.loader is not None
    # A second copy of the module, so that the one in use keeps its tables.
    module = importlib.util.module_from_spec(spec)
    began = time.perf_counter()
    spec.loader.exec_module(module)
    return (time.perf_counter() - began) * 1000


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
