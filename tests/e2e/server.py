"""The server as a process of its own, exactly as an operator starts it, with tables that were opened beforehand."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from argon2 import PasswordHasher

from app.accounts.passwords import Passwords
from app.bootstrap import open_house
from app.settings import Settings
from app.store import migrate
from engine.table.events import TableConfig, TableId

START_S = 60
STOP_S = 30
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
SERVE = "import sys; from app.cli import main; sys.argv[0] = 'avenue'; main()"


def settings_in(folder: Path) -> Settings:
    return Settings(database_url=f"sqlite:///{folder}/avenue.db", demo=False, log_level="warning")


async def open_tables(folder: Path, configs: Sequence[TableConfig]) -> list[TableId]:
    """Make the database and open the tables in it, without serving anybody."""
    settings = settings_in(folder)
    await asyncio.to_thread(migrate.upgrade, settings.database_url)
    async with open_house(settings, passwords=Passwords(PasswordHasher())) as house:
        return [(await house.rooms.open(config)).table for config in configs]


@asynccontextmanager
async def server_process(folder: Path, *, commands_per_second: int) -> AsyncIterator[str]:
    """Run `avenue serve` on the folder's database; gives its address. It must end with 0 when it is asked to.

    What it logs from warnings on is a failure: nothing that clients do is worth one.
    """
    settings = settings_in(folder)
    arguments = ("--database", settings.database_url, "--port", "0", "--no-demo", "--no-bots", "--log-level", "warning")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "COLUMNS": "120",
        "AVENUE_COMMANDS_PER_SECOND": str(commands_per_second),
        "AVENUE_COMMANDS_BURST": str(3 * commands_per_second),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVE, "serve", *arguments), env=environment, stdout=PIPE, stderr=STDOUT
    )
    printed: list[str] = []
    try:
        url = await _address(process, printed)
        reading = asyncio.create_task(_read(process, printed))
        yield url
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(STOP_S):
            code = await process.wait()
            await reading
        said = "".join(printed)
        assert code == 0, f"the server ended with {code}:\n{said}"
        assert not re.search(r"\[(warning|error|critical) *\]|Traceback", said), said
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


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
