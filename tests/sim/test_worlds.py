"""Worlds hold to every law, see what they are there for, and are the same from the same number."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import count

import pytest

from tests.sim import laws
from tests.sim.__main__ import main
from tests.sim.run import Report, run_world

FIRST_SEED = int(os.environ.get("AVENUE_TEST_SIM_SEED", "1"))
HANDS_PER_WORLD = 100
BUDGET_S = 45
"""How long worlds are run one after the other, in seconds of one core. `make sim` runs them as long as one likes."""

FEWEST_WORLDS = 5


@pytest.fixture(scope="module")
def played() -> Report:
    """What was seen in as many worlds as there is time for. A broken law ends it, with the number that replays it."""
    total, begun = Report(), time.process_time()
    for seed in count(FIRST_SEED):
        if total.worlds >= FEWEST_WORLDS and time.process_time() - begun > BUDGET_S:
            break
        total.add(run_world(seed, hands=HANDS_PER_WORLD))
    return total


def test_worlds_hold_to_every_law(played: Report, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\nsimulated worlds from seed {FIRST_SEED} on: {played.line()}")
    assert played.broken == 0
    assert played.hands >= HANDS_PER_WORLD * FEWEST_WORLDS


def test_every_law_is_looked_at(played: Report) -> None:
    every = {name: law for name, law in vars(laws).items() if name.isupper()}
    # It can only be looked at when it is broken: no hand is cancelled.
    del every["NONE_CANCELLED"]
    unseen = [name for name, law in every.items() if not played.checked[law] and name not in SELDOM]
    assert not unseen


SELDOM = frozenset({"STALE", "ANSWERED"})
"""Laws about what a few worlds may do without: a frozen owner that wakes up, four minutes without any trouble."""


def test_these_worlds_see_what_they_are_there_for(played: Report) -> None:
    at_least = {
        "death": 5,
        "death with a commit in flight": 3,
        "death between a commit and its answer": 1,
        "flaw: io_error": 3,
        "flaw: disk_full": 3,
        "flaw: lost_before": 3,
        "flaw: lost_after": 3,
        "an answer lost on the way to its table": 3,
        "outage of the disk": 1,
        "slow disk": 1,
        "freeze": 1,
        "stop": 1,
    }
    seldom = {what: played.happened[what] for what, times in at_least.items() if played.happened[what] < times}
    assert not seldom
    events = ("HandsTabled", "HandShown", "ClockResumed", "TurnTimedOut", "TopUpQueued", "PlayerLeft", "RakeTaken")
    assert min(played.seen[event] for event in events) >= 5
    assert played.seen["HandCancelled"] == 0


def test_one_number_makes_one_world(world_of_seven: str) -> None:
    assert run_world(7, hands=40).digest == world_of_seven


@pytest.mark.parametrize(("hash_seed", "collects"), [("1", "gc.disable()"), ("2", "gc.set_threshold(50, 2, 2)")])
def test_no_order_of_hashes_and_no_collection_of_garbage_makes_another_world(
    hash_seed: str, collects: str, world_of_seven: str
) -> None:
    code = f"import gc; {collects}; from tests.sim.run import run_world; print(run_world(7, hands=40).digest)"
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split()[-1] == world_of_seven


def test_another_number_makes_another_world(world_of_seven: str) -> None:
    assert run_world(8, hands=40).digest != world_of_seven


@pytest.fixture(scope="module")
def world_of_seven() -> str:
    return run_world(7, hands=40).digest


def test_the_command_says_what_it_saw(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "3", "--hands", "30", "--worlds", "2"]) == 0
    told = capsys.readouterr().out
    assert "2 worlds, " in told
    assert " deaths, " in told
    assert " 0 broken" in told
    assert laws.DURABLE in told
