"""A whole server process under signals: it starts, says where, and ends with nothing left behind."""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from app.serving import listen

START_S = 60
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)")
SERVE = "import sys; from app.cli import main; sys.argv[0] = 'avenue'; main()"


class Run:
    """A server process and what it has printed so far."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.printed = ""

    async def url(self) -> str:
        """Wait until it serves; gives the address that it prints."""
        assert self.process.stdout is not None
        async with asyncio.timeout(START_S):
            while "Ctrl-C ends it" not in self.printed:
                line = await self.process.stdout.readline()
                assert line, f"it ended before it served:\n{self.printed}"
                self.printed += line.decode()
        found = ADDRESS.search(self.printed)
        assert found is not None
        return found[0]

    async def end(self, *, within_s: float) -> int:
        """Read what it still prints, and give its exit code."""
        async with asyncio.timeout(within_s):
            rest, _ = await self.process.communicate()
        self.printed += rest.decode()
        assert self.process.returncode is not None
        return self.process.returncode


@asynccontextmanager
async def avenue(folder: Path, *arguments: str, program: str = SERVE) -> AsyncIterator[Run]:
    """Run `avenue serve` in a folder of its own; it is ended in any case."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program, "serve", *arguments),
        cwd=folder,
        env={**os.environ, "COLUMNS": "120", "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=PIPE,
        stderr=STDOUT,
    )
    try:
        yield Run(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def children_of(parent: int) -> list[int]:
    """The processes that a process has started and that still run."""
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if stat_of(pid)[1:2] == [str(parent)]]


def runs(pid: int) -> bool:
    return stat_of(pid)[:1] not in ([], ["Z"])


def stat_of(pid: int) -> list[str]:
    """What the system tells of a process behind its name: its state, its parent and so on; nothing when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
async def test_it_serves_with_company_and_one_signal_ends_all_of_it(tmp_path: Path, sign: signal.Signals) -> None:
    async with avenue(tmp_path, "--port", "0") as run:
        url = await run.url()
        tables = await with_bots(url, 24)
        assert len(tables) == 6
        assert all(table["seats"] - table["taken"] >= 2 for table in tables)
        bots = children_of(run.process.pid)
        assert len(bots) == 1
        run.process.send_signal(sign)
        assert await run.end(within_s=15) == 0
        assert not any(runs(pid) for pid in bots)
    assert "Traceback" not in run.printed
    assert "var" in os.listdir(tmp_path)


async def with_bots(url: str, count: int) -> list[dict[str, int]]:
    """Wait until so many house bots sit at the tables, and give these."""
    async with httpx2.AsyncClient(base_url=url) as http, asyncio.timeout(START_S):
        while True:
            tables: list[dict[str, int]] = (await http.get("/api/tables")).json()["tables"]
            if sum(table["house_bots"] for table in tables) >= count:
                return tables
            await asyncio.sleep(0.1)


async def test_a_taken_port_moves_to_the_next_and_says_so(tmp_path: Path) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        async with avenue(tmp_path, "--port", str(port), "--no-bots") as run:
            url = await run.url()
            assert f"Port {port} is taken" in run.printed
            assert not url.endswith(f":{port}")
            assert children_of(run.process.pid) == []
            run.process.send_signal(signal.SIGINT)
            assert await run.end(within_s=15) == 0


async def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    """A request whose body does not come would keep the server for all of its grace."""
    async with avenue(tmp_path, "--port", "0", "--no-bots") as run:
        host, port = (await run.url()).removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        head = "POST /api/accounts HTTP/1.1", "Host: x", "Content-Type: application/json", "Content-Length: 99"
        writer.write("\r\n".join((*head, "", "{")).encode())
        await writer.drain()
        await asyncio.sleep(0.3)
        run.process.send_signal(signal.SIGINT)
        await asyncio.sleep(0.5)
        assert run.process.returncode is None
        run.process.send_signal(signal.SIGINT)
        assert await run.end(within_s=3) == 0
        writer.close()


async def test_a_second_server_on_the_same_database_is_told_so_in_one_line(tmp_path: Path) -> None:
    async with avenue(tmp_path, "--port", "0", "--no-bots") as first:
        await first.url()
        async with avenue(tmp_path, "--port", "0", "--no-bots") as second:
            assert await second.end(within_s=START_S) == 1
            assert "in use by process" in second.printed
            assert "Traceback" not in second.printed
        first.process.send_signal(signal.SIGTERM)
        assert await first.end(within_s=15) == 0


DYING_WRITER = """
import asyncio, sys
from app.store.writer import SqliteWriter
async def wait_ended(self):
    await asyncio.sleep(1)
    raise OSError("the disk is gone")
SqliteWriter.wait_ended = wait_ended
from app.cli import main
main()
"""


async def test_a_server_that_cannot_write_any_more_stops_and_says_so(tmp_path: Path) -> None:
    async with avenue(tmp_path, "--port", "0", program=DYING_WRITER) as run:
        await run.url()
        bots = children_of(run.process.pid)
        assert await run.end(within_s=START_S) == 1
        assert not any(runs(pid) for pid in bots)
    assert "the server could not write any more and has stopped" in run.printed
