"""Worlds hold to every law, and are the same from the same number."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.sim import laws
from tests.sim.run import run_world

HANDS = 120
SEEDS = range(1, 6)
"""These worlds are the same everywhere; `make sim` makes others."""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_world_holds_to_every_law(seed: int) -> None:
    report = run_world(seed, hands=HANDS)
    assert report.hands >= HANDS
    assert min(report.checked[law] for law in (laws.DURABLE, laws.CENSUS, laws.ONE_DEED, laws.CHIPS_STEP)) > 0


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_one_number_makes_one_world_whatever_the_order_of_hashes(hash_seed: str) -> None:
    code = "from tests.sim.run import run_world; print(run_world(7, hands=40).digest)"
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split()[-1] == run_world(7, hands=40).digest
