"""A server that says exactly what a test lays out: for what a real one does seldom, or not yet."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from websockets.asyncio.server import ServerConnection, serve

from app.wire.frames import encode
from app.wire.server import Snapshot, You
from avenue_sdk import TableSession
from engine.rules.events import PlayerId
from engine.table.views import table_view
from tests.clients.world import World

WAIT_S = 10
"""How long a test waits for what must come: far longer than it takes, and the test fails then."""

Script: TypeAlias = Callable[["Line"], Awaitable[None]]


class Line:
    """One connection of a client, from the server's side."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket

    async def hear(self) -> dict[str, Any]:
        async with asyncio.timeout(WAIT_S):
            frame: dict[str, Any] = json.loads(await self.socket.recv())
        return frame

    async def say(self, frame: dict[str, Any] | str) -> None:
        await self.socket.send(frame if isinstance(frame, str) else json.dumps(frame))

    async def greet(self, world: World | None = None, *, player: str | None = None) -> dict[str, Any]:
        """Take the hello and answer with a table's snapshot, by default one that has just opened; gives it."""
        assert await self.hear() == {"type": "hello"}
        you = None if player is None else You(player=PlayerId(player), name=player, seat=None)
        table = table_view((world or World(0, seated=0)).state, None)
        snapshot: dict[str, Any] = json.loads(encode(Snapshot(now_ms=1_000, you=you, table=table)))
        await self.say(snapshot)
        return snapshot

    async def events(self, seq: int, *events: dict[str, Any]) -> None:
        await self.say({"type": "events", "seq": seq, "at_ms": 2_000, "events": events})

    async def close(self, code: int, reason: str) -> None:
        await self.socket.close(code, reason)


@asynccontextmanager
async def scripted(script: Script) -> AsyncIterator[str]:
    """Serve connections by the script; gives the address. What the script raises fails the test."""
    raised: list[BaseException] = []

    async def handle(socket: ServerConnection) -> None:
        try:
            await script(Line(socket))
        except AssertionError as error:
            raised.append(error)

    async with serve(handle, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"ws://127.0.0.1:{port}/"
    if raised:
        raise raised[0]


def session(url: str, **options: Any) -> TableSession:
    return TableSession(url, timeout_s=WAIT_S, **options)
