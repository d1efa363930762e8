"""The house bots that keep people company: which ones there are, and the process that they run in.

They are clients like any other, over the same protocol, in a process of their own. Their accounts are made by the
server itself; their tokens reach the process through its standard input, where nobody else can read them. That pipe
stays open as long as the server lives: when it ends, so do the bots.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import TYPE_CHECKING, Final

import structlog

from app.accounts.service import HOUSE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.accounts.schemas import LoggedInBody
    from app.accounts.service import Accounts

log = structlog.get_logger(__name__)

STOP_S: Final = 5
"""How long the bots may take to leave before they are ended."""

RESTART_PAUSES_S: Final = (1, 5, 30)
"""How long to wait before bots that ended by themselves are started again; after the last time they stay away."""

FIRST_NAMES: Final = (
    *("ada", "blaise", "camille", "denis", "edith", "fermat", "gaspard", "henri", "irene", "jules", "klara", "louis"),
    *("marie", "nadia", "odile", "pierre", "quentin", "renee", "sophie", "theo", "ursule", "victor", "willy", "xavier"),
    *("yvette", "zoe", "amelie", "boris", "colette", "django", "emile", "fanny", "georges", "hector", "ines", "joseph"),
)


def house_bot_names(count: int) -> list[str]:
    """So many different names; whoever meets one sees that it is the house's."""
    rounds = (f"{HOUSE_PREFIX}{name}{'' if lap == 0 else lap + 1}" for lap in range(count) for name in FIRST_NAMES)
    return [name for name, _ in zip(rounds, range(count), strict=False)]


async def admit(accounts: Accounts, count: int) -> list[LoggedInBody]:
    """Log so many house bots in; the tokens that they had before are void."""
    return [await accounts.admit_house_bot(name) for name in house_bot_names(count)]


class Company:
    """The process of the house bots. `start` it once the server answers, `stop` it in any case."""

    def __init__(self, url: str, bots: Sequence[LoggedInBody], *, command: Sequence[str] | None = None) -> None:
        self._command = list(command or (sys.executable, "-m", "avenue_bots", "company", "--url", url))
        self._admissions = json.dumps([{"name": bot.player.name, "token": bot.token} for bot in bots])
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._stopping = False

    @property
    def pid(self) -> int | None:
        """The process that runs now, if one does."""
        return None if self._process is None or self._process.returncode is not None else self._process.pid

    async def start(self) -> None:
        await self._begin()
        self._watch = asyncio.get_running_loop().create_task(self._keep())

    async def stop(self) -> None:
        """Let the bots leave, and end them if they take too long."""
        self._stopping = True
        if self._watch is not None:
            self._watch.cancel()
        process = self._process
        if process is None:
            return
        if process.returncode is None:
            process.terminate()
            try:
                async with asyncio.timeout(STOP_S):
                    await process.wait()
            except TimeoutError:
                log.warning("house bots did not leave in time", pid=process.pid)
                self.kill()
        await process.wait()

    def kill(self) -> None:
        """End the bots at once."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def _begin(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            env=_plain_environment(os.environ),
            # A Ctrl-C in the terminal is for the server, which then lets its bots leave.
            start_new_session=True,
        )
        stdin = self._process.stdin
        if stdin is not None:
            stdin.write(self._admissions.encode() + b"\n")
        log.info("house bots are coming", pid=self._process.pid)

    async def _keep(self) -> None:
        for pause_s in (*RESTART_PAUSES_S, None):
            if self._process is None:
                return
            code = await self._process.wait()
            if self._stopping:
                return
            log.error("house bots ended by themselves", code=code, again_in_s=pause_s)
            if pause_s is not None:
                await asyncio.sleep(pause_s)
                await self._begin()


def _plain_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a client needs of our environment: none of the server's own settings, which may hold a password."""
    return {name: value for name, value in environment.items() if not name.upper().startswith("AVENUE_")}
