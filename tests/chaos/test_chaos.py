"""A short run: `python -m tests.chaos` is the long one."""

from __future__ import annotations

import sys
from pathlib import Path
from random import SystemRandom

import pytest

from tests.chaos.figures import Run, read, total, write
from tests.chaos.process import SERVE
from tests.chaos.run import chaos
from tests.postgres import PostgresServer

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="whether a commit is in flight is read from Linux")

KILLS = 3
TABLES = 6


@pytest.fixture(params=["sqlite", "postgres"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/avenue.db"
    postgres: PostgresServer = request.getfixturevalue("postgres")
    return postgres.empty_database()


@LINUX
async def test_nothing_is_lost_when_the_server_is_killed(
    empty: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = SystemRandom().randrange(1_000_000)
    said: list[str] = []
    run = await chaos(empty, kills=KILLS, seed=seed, tables=TABLES, say=said.append)
    with capsys.disabled():
        sys.stdout.write(f"\nchaos with seed {seed}: {run.kills} kills, {run.in_flight} with a commit in flight\n")
    assert run.faults == []
    assert run.kills == KILLS
    assert run.acked > 5 * TABLES
    assert run.shown > 3 * run.acked
    assert run.hands >= TABLES
    assert run.hands_over_a_kill >= TABLES // 2
    assert run.histories == run.hands_over_a_kill
    assert run.audits == 1
    assert len(run.ready_s) == KILLS + 1
    assert len(run.first_act_s) == TABLES
    write(run, tmp_path / "run.json")
    assert read([tmp_path / "run.json"]) == [run]


SPEAKS_FIRST = """
from engine.table.actor import TableActor

commit = TableActor._commit

async def speak_and_commit(self, decision, now_ms, answer):
    if decision.events:
        self._publish(decision, self._state.seq + 1, now_ms)
    self._publish = lambda *told: None
    try:
        await commit(self, decision, now_ms, answer)
    finally:
        del self._publish

TableActor._commit = speak_and_commit
"""
FORGETS_ANSWERS = """
from engine.table import actor

make = actor._commit_of
actor._commit_of = lambda decision, **rest: make(decision, **rest | {"answer": None})
"""


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize("flaw", [SPEAKS_FIRST, FORGETS_ANSWERS])
async def test_a_server_with_a_flaw_is_found_out(tmp_path: Path, flaw: str) -> None:
    url = f"sqlite:///{tmp_path}/avenue.db"
    run = await chaos(url, kills=12, seed=1, tables=TABLES, say=lambda line: None, program=flaw + SERVE)
    assert run.faults


def test_runs_add_up() -> None:
    run = Run(
        seed=7,
        database="sqlite",
        tables=200,
        kills=50,
        in_flight=30,
        sought=20,
        sought_in_flight=18,
        ready_s=[1.0, 2.0],
        faults=["a chip is gone"],
    )
    lines = total([run, run])
    assert lines[0] == "100 kills on sqlite with 200 tables; seeds 7, 7"
    assert lines[1] == "60 kills with a commit in flight (24 of 60 where the dice said, 36 of 40 that looked for one)"
    assert lines[2] == "from the process's start to ready: p50 2.00 s, p99 2.00 s, max 2.00 s, over 4 starts"
    assert lines[-1] == "2 faults\n  seed 7: a chip is gone\n  seed 7: a chip is gone"
