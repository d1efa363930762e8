"""One fault at each of a run's first writes breaks no law; here at some of them, by `tests.sim.injection` at all."""

from __future__ import annotations

import pytest

from tests.sim.injection import KINDS, Injection, inject

STRIDE, WRITES = 70, 500


@pytest.mark.parametrize("write", [*range(1, 4), *range(STRIDE, WRITES, STRIDE)])
def test_a_fault_at_a_write_breaks_no_law(write: int) -> None:
    for number, kind in enumerate(KINDS):
        happened = inject(Injection(write + number * 3, kind))
        assert happened[f"flaw: {kind}"] >= 1, "the fault was met"
