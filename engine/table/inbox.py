"""What waits at a table, in the order in which it came: commands, and at most one tick of the table's timer."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import NamedTuple

from engine.rules.errors import AvenueError, Refusal
from engine.table.answers import again
from engine.table.commands import PlayerCommand


class Asked(NamedTuple):
    """A command and whoever waits for its answer; he may have lost interest."""

    command: PlayerCommand
    future: asyncio.Future[int]

    def succeed(self, seq: int) -> None:
        if not self.future.done():
            self.future.set_result(seq)

    def fail(self, error: AvenueError) -> None:
        if not self.future.done():
            self.future.set_exception(error)
            # Whoever asked may be gone; asking here keeps the loop from complaining that nobody did.
            self.future.exception()


class Inbox:
    """Filled from anywhere in the event loop, emptied by the table's one task."""

    def __init__(self) -> None:
        self._waiting: deque[Asked | None] = deque()  # None is the tick.
        self._wake: asyncio.Future[None] | None = None
        self.tick_waits = False

    def __len__(self) -> int:
        """How many commands wait."""
        return len(self._waiting) - self.tick_waits

    @property
    def is_empty(self) -> bool:
        return not self._waiting

    def put(self, asked: Asked) -> None:
        self._waiting.append(asked)
        self.wake_up()

    def tick(self) -> None:
        """Let a tick wait behind what is there already, unless one waits."""
        if not self.tick_waits:
            self.tick_waits = True
            self._waiting.append(None)
            self.wake_up()

    def take(self) -> Asked | None:
        """Give what came first; None is a tick. It must not be empty."""
        asked = self._waiting.popleft()
        if asked is None:
            self.tick_waits = False
        return asked

    def send_back(self, refusal: Refusal) -> None:
        """Answer all that waits by this refusal; a tick is forgotten."""
        while self._waiting:
            asked = self.take()
            if asked is not None:
                asked.fail(again(refusal))

    async def wait(self) -> None:
        """Wait until something has come, or until somebody wakes the task up."""
        self._wake = asyncio.get_running_loop().create_future()
        try:
            await self._wake
        finally:
            self._wake = None

    def wake_up(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
