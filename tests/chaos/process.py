"""The server as a process of its own that is killed and started again."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import httpx2

from tests.chaos.house import GRANT_CHIPS, SEALING_KEYS
from tests.chaos.inflight import Watch

SERVE = "import sys; from app.cli import main; sys.argv[0] = 'avenue'; main()"
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
START_S = 60
STOP_S = 60
HUNT_S = 0.25
"""How long a kill that is to meet a commit looks for one."""


class Killed(NamedTuple):
    """How a server died, and whether its commit was in flight then."""

    after_ready_s: float
    in_flight: bool
    sought: bool


class ServerProcess:
    """One server from its start to its death.

    `ready_s` is how long it took until its tables stood, `ready_cpu_s` what of that it spent on a processor: the rest
    it waited, for the disk or for its turn on a busy machine.
    """

    def __init__(self, process: Process, url: str, ready_s: float, printed: list[str]) -> None:
        self.process = process
        self.url = url
        self.ready_s = ready_s
        self.ready_cpu_s = _cpu_s(process.pid)
        self.ready_at = time.monotonic()
        self._printed = printed
        self._reading = asyncio.create_task(_read(process, printed))

    @property
    def pid(self) -> int:
        return self.process.pid

    async def kill(self, watch: Watch, *, after_s: float, hunt: bool, dice: Random) -> Killed:
        """SIGKILL at so many seconds after it was ready; with `hunt`, from then on in the next commit that is met.

        The process is stopped first, so that what is looked at is what is killed. Fails if it has ended by itself.
        """
        await asyncio.sleep(max(0.0, self.ready_at + after_s - time.monotonic()))
        assert self.process.returncode is None, "the server ended by itself:\n" + self.said()
        killed = await asyncio.to_thread(self._kill, watch, hunt, dice)
        await self.process.wait()
        await self._reading
        return killed

    async def stop(self) -> None:
        """End it in order; it must end well."""
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(STOP_S):
            code = await self.process.wait()
            await self._reading
        assert code == 0, f"the server ended with {code}:\n{self.said()}"

    async def end(self) -> None:
        """Make sure that it does not outlive whoever started it."""
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    def said(self) -> str:
        return "".join(self._printed)

    def complaints(self) -> list[str]:
        """What it logged that nothing which happens to it is a reason for."""
        return [line for line in self._printed if re.search(r"\[(error|critical) *\]|Traceback", line)]

    def _kill(self, watch: Watch, hunt: bool, dice: Random) -> Killed:  # noqa: FBT001 - a helper of `kill`
        ends_at = time.monotonic() + HUNT_S
        while True:
            os.kill(self.pid, signal.SIGSTOP)
            _wait_stopped(self.pid)
            in_flight = watch.commit_in_flight(self.pid)
            if in_flight or not hunt or time.monotonic() > ends_at:
                break
            os.kill(self.pid, signal.SIGCONT)
            time.sleep(dice.uniform(0.000_2, 0.004))
        after_ready_s = time.monotonic() - self.ready_at
        os.kill(self.pid, signal.SIGKILL)
        return Killed(after_ready_s, in_flight, hunt)


async def start(url: str, *, prefix: Sequence[str] = (), program: str = SERVE) -> ServerProcess:
    """Start `avenue serve` on a database and wait until `/readyz` says that all its tables stand.

    `program` is the Python that does so, `prefix` the command that runs it.
    """
    begun = time.monotonic()
    arguments = ("serve", "--database", url, "--port", "0", "--no-demo", "--no-bots", "--log-level", "warning")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "COLUMNS": "300",
        "AVENUE_COMMANDS_PER_SECOND": "100000",
        "AVENUE_COMMANDS_BURST": "100000",
        "AVENUE_GRANT_CHIPS": str(GRANT_CHIPS),
        "AVENUE_SEALING_KEYS": SEALING_KEYS,
    }
    process = await asyncio.create_subprocess_exec(
        *prefix, sys.executable, "-c", program, *arguments, env=environment, stdout=PIPE, stderr=STDOUT
    )
    printed: list[str] = []
    try:
        address = await _address(process, printed)
        async with httpx2.AsyncClient(base_url=address, timeout=START_S) as http:
            answer = await http.get("/readyz")
        assert answer.status_code == 200, answer.text
    except BaseException:
        if process.returncode is None:
            process.kill()
            await process.wait()
        raise
    return ServerProcess(process, address, time.monotonic() - begun, printed)


async def _address(process: Process, printed: list[str]) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(START_S):
        while line := (await process.stdout.readline()).decode():
            printed.append(line)
            if found := ADDRESS.search(line):
                return found[0]
    raise AssertionError("the server ended before it served:\n" + "".join(printed))


async def _read(process: Process, printed: list[str]) -> None:
    assert process.stdout is not None
    async for line in process.stdout:
        printed.append(line.decode())


def _cpu_s(pid: int) -> float:
    """What a process has used of processors, its own code and the system's for it."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _wait_stopped(pid: int) -> None:
    """Wait until every thread of a process that was sent SIGSTOP stands still, or it is gone."""
    tasks = Path(f"/proc/{pid}/task")
    while True:
        try:
            states = [(task / "stat").read_text().rpartition(")")[2].split()[0] for task in tasks.iterdir()]
        except (FileNotFoundError, ProcessLookupError):
            return
        if all(state in "TtZX" for state in states):
            return
        time.sleep(0.000_05)
