"""Every planted bug is found out by the law that is there for it, within a few hands."""

import msgspec
import pytest

from tests.sim.laws import LawBroken
from tests.sim.planted import BUGS, Bug
from tests.sim.run import Broken, run_world

SEEDS, HANDS = range(1, 9), 60
"""The worlds in which a bug may show itself, one after the other, and how many hands are played in each."""


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.plant.__name__)
def test_a_planted_bug_is_found_out(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    bug.plant(monkeypatch)
    broken = first_broken(bug)
    assert broken is not None, f"{len(SEEDS) * HANDS} hands with the bug in them broke no law"
    assert isinstance(broken.cause, LawBroken), broken.cause
    assert broken.law in bug.laws, broken
    assert f"make sim SEED={broken.seed} " in str(broken)
    assert f"at step {broken.step}" in str(broken)


def first_broken(bug: Bug) -> Broken | None:
    for seed in SEEDS:
        try:
            run_world(seed, hands=HANDS, chaos=msgspec.structs.replace(bug.chaos))
        except Broken as broken:
            return broken
    return None
