"""The network between players and a process: sockets whose frames take their time, and may be lost with either end."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from app.rooms.viewer import Viewer
    from engine.table.events import TableId
    from tests.sim.process import Process
    from tests.sim.world import World


class Listener(Protocol):
    """A player's end of a line."""

    def heard(self, line: Line, text: str) -> None: ...

    def lost(self, line: Line) -> None: ...


class Line:
    """One socket. The process has it as the `websocket` of a conversation, the player talks and listens at its end."""

    def __init__(  # noqa: PLR0913 - both ends of a socket, every part named
        self,
        world: World,
        process: Process,
        *,
        number: int,
        table: TableId,
        viewer: Viewer | None,
        listener: Listener,
    ) -> None:
        self.number = number
        self.table = table
        self.viewer = viewer
        self.process = process
        self.over = False
        """Whether the player knows that the line is gone."""
        self.expects_seq: int | None = None
        """The number of the next event that must come over this line; the judge keeps it."""
        self._world = world
        self._listener = listener
        self._inbox: deque[dict[str, Any]] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self._lands_us = self._arrives_us = 0
        self._frozen: list[asyncio.Future[None]] | None = None

    @property
    def alive(self) -> bool:
        """Whether the process still has its end."""
        return not self._ended and not self.process.dead

    def say(self, text: str, *, at_us: int | None = None) -> None:
        """Send a frame from the player's end, so that it comes after those sent before, or at a moment of its own."""
        if at_us is None:
            at_us = self._world.time.now_us + self._world.network_us()
            if not self._world.disorders():
                at_us = self._arrives_us = max(at_us, self._arrives_us + 1)
        self._world.at(at_us, self._arrives, {"type": "websocket.receive", "text": text})

    def hang_up(self) -> None:
        """Close the line from the player's end."""
        if not self.over:
            self.over = True
            self._world.after(self._world.network_us(), self._arrives, {"type": "websocket.disconnect", "code": 1000})

    def freeze(self) -> None:
        """The player reads no more, so that what the process writes has to wait."""
        if self._frozen is None:
            self._frozen = []

    def thaw(self) -> None:
        frozen, self._frozen = self._frozen, None
        for held in frozen or ():
            if not held.done() and not self.process.dead:
                held.set_result(None)

    def process_died(self, cut_us: int) -> None:
        """What is still on its way comes until the cut, then the player finds the line dead."""
        self._lands_us = min(self._lands_us, self._world.time.now_us + cut_us)
        self._end(cut_us)

    # The process's end: what `Conversation` and `Outgoing` ask of a socket.

    async def receive(self) -> dict[str, Any]:
        while not self._inbox:
            self._waiter = self.process.loop.create_future()
            await self._waiter
        return self._inbox.popleft()

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if self._ended or self.process.dead:
            raise RuntimeError("the socket is closed")
        if message["type"] != "websocket.send":
            self._end(self._world.network_us())
            self._push({"type": "websocket.disconnect", "code": message.get("code", 1000)})
            return
        text: str = message["text"]
        self._world.judge.frame(self, text)
        self._deliver(text)
        if self._frozen is not None:
            held: asyncio.Future[None] = self.process.loop.create_future()
            self._frozen.append(held)
            await held

    def cut(self) -> None:
        if not self._ended:
            self._end(0)
            self._push({"type": "websocket.disconnect", "code": 1006})

    def _deliver(self, text: str) -> None:
        lands_us = max(self._world.time.now_us + self._world.network_us(), self._lands_us + 1)
        self._lands_us = lands_us
        self._world.at(lands_us, self._lands, lands_us, text)

    def _lands(self, lands_us: int, text: str) -> None:
        if not self.over and (lands_us <= self._lands_us):
            self._listener.heard(self, text)

    def _arrives(self, message: dict[str, Any]) -> None:
        if self.alive:
            self._push(message)

    def _push(self, message: dict[str, Any]) -> None:
        self._inbox.append(message)
        if self._waiter is not None and not self._waiter.done() and not self.process.dead:
            self._waiter.set_result(None)

    def _end(self, after_us: int) -> None:
        if not self._ended:
            self._ended = True
            self.process.hung_up(self)
            self._world.at(max(self._world.time.now_us + after_us, self._lands_us), self._is_lost)

    def _is_lost(self) -> None:
        if not self.over:
            self.over = True
            self._listener.lost(self)
