"""Every worked hand, compared hand and short deck that stands beside this file comes out as it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases.case import load
from tests.cases.run import verdict

FILES = ("hands.yaml", "real-hands.yaml")
CASES = [raw for name in FILES for raw in load(Path(__file__).parent / name)]


@pytest.mark.parametrize("raw", [pytest.param(raw, id=raw["id"]) for raw in CASES])
def test_worked_case(raw: dict[str, Any]) -> None:
    assert verdict(raw) == ("ok", "")


def test_the_cases_are_there() -> None:
    kinds = [raw["kind"] for raw in CASES]
    assert {kind: kinds.count(kind) for kind in sorted(set(kinds))} == {
        "compare": 9,
        "deck_plan": 6,
        "stud5": 7,
        "stud7": 108,
    }
