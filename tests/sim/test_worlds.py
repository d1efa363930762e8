"""Worlds hold to every law, and are the same from the same number."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from tests.sim import laws
from tests.sim.run import run_world

HANDS = 120
WORLDS = 5


def test_new_worlds_hold_to_every_law(capsys: pytest.CaptureFixture[str]) -> None:
    seed = random.randrange(10**6)
    with capsys.disabled():
        print(f"\nsimulated worlds from seed {seed}")
    for number in range(WORLDS):
        report = run_world(seed + number, hands=HANDS)
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
