"""No acknowledgement leaves the process before the commit that holds it is synced: counted in its system calls."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.chaos.bots import Bot, live_on
from tests.chaos.house import furnish
from tests.chaos.process import STOP_S, start
from tests.chaos.trace import CALLS, MAX_BUFFER, promises
from tests.programs import require_program

PAGE = '7 pwrite64(9</var/a.db-wal>, "\\0p_1b1-7.ffa0\\3", 4096, 24) = 4096'
SYNC = "7 fdatasync(9</var/a.db-wal>) = 0"
ACK = '5 write(21<socket:[18]>, "\\201\\"{\\"type\\":\\"ack\\",\\"id\\":\\"b1-7.\\",\\"seq\\":2}", 36) = 36'
OTHER_ACK = ACK.replace("b1-7.", "b1-70.")
SYNC_BEGINS, SYNC_ENDS = "7 fdatasync(9</var/a.db-wal> <unfinished ...>", "7 <... fdatasync resumed>) = 0"


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        ([PAGE, SYNC, ACK], True),
        ([PAGE, SYNC_BEGINS, SYNC_ENDS, ACK], True),
        ([PAGE, SYNC, SYNC, PAGE, ACK], True),
        ([PAGE, ACK], False),
        ([PAGE, ACK, SYNC], False),
        ([SYNC, PAGE, ACK, SYNC], False),
        ([PAGE, SYNC_BEGINS, ACK, SYNC_ENDS], False),
        ([SYNC_BEGINS, PAGE, SYNC_ENDS, ACK], False),
        ([PAGE, SYNC.replace("= 0", "= -1 EIO (Input/output error)"), ACK], False),
        ([PAGE, SYNC.replace("a.db-wal", "a.db"), ACK], False),
        ([PAGE, SYNC, OTHER_ACK], False),
        ([ACK], False),
    ],
)
def test_the_order_in_a_trace_is_understood(lines: list[str], kept: bool) -> None:  # noqa: FBT001 - the table's column
    (promised,) = promises(lines)
    assert promised.kept is kept


@pytest.fixture
def strace() -> Path:
    """The program, where it is there and may look at processes."""
    found = require_program("strace", cure="apt-get install strace")
    if subprocess.run([found, "-o", "/dev/null", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this system does not let strace look at a process")
    return found


def child_of(pid: int) -> int:
    """The process that strace runs."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


async def test_no_acknowledgement_leaves_before_its_commit_is_synced(strace: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    url = f"sqlite:///{tmp_path}/avenue.db"
    made = await furnish(url, tables=4, seed=1)
    watched = (str(strace), "-f", "-y", "-s", str(MAX_BUFFER), "-e", f"trace={CALLS}", "-o", str(trace))
    server = await start(url, prefix=watched)
    bots = [Bot(place, number, Random(number)) for number, place in enumerate(made.places, start=1)]
    playing = asyncio.create_task(live_on(bots, server.url))
    await asyncio.sleep(1.5)
    # strace ends with what it watches.
    os.kill(child_of(server.pid), signal.SIGTERM)
    try:
        async with asyncio.timeout(STOP_S):
            lives = await playing
            await server.process.wait()
    finally:
        await server.end()
    acked = {one.id for life in lives for one in life.acked}
    with trace.open(encoding="ascii", errors="replace") as lines:
        found = promises(lines)
    assert len(acked) > 50
    assert acked <= {promised.id for promised in found}
    assert [promised for promised in found if not promised.kept] == []
