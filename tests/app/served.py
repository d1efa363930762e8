"""A real server in the test's own event loop, on a free port, over real SQLite; and guests that speak to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from socket import SO_SNDBUF, SOL_SOCKET
from typing import Any

import httpx2
import websockets
from argon2 import PasswordHasher
from websockets.asyncio.client import ClientConnection, connect

from app.accounts.passwords import Passwords
from app.bootstrap import House
from app.main import create_app
from app.rooms.room import Room
from app.serving import Server, address, listen
from app.settings import Settings
from app.store import migrate
from app.store.tables import PLAY
from engine.rules.variants import Variant, five_card_stud
from engine.table.events import TableConfig, TableId

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""Hashes that a test need not wait for."""

PASSWORD = "correct horse battery"
WAIT_S = 10
"""How long a test waits for what must come: far longer than it takes, and the test fails then."""

_names = count(1)


@dataclass(slots=True)
class Guest:
    """Somebody with an account."""

    id: str
    name: str
    token: str = field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@dataclass(slots=True)
class Served:
    """A server that runs. `http` asks it as nobody."""

    house: House
    url: str
    http: httpx2.AsyncClient

    async def guest(self, name: str | None = None) -> Guest:
        """Register somebody, under a name of his own."""
        chosen = name or f"guest{next(_names)}"
        body = {"name": chosen, "password": PASSWORD, "of_age": True}
        answer = await self.http.post("/api/accounts", json=body)
        assert answer.status_code == 201, answer.text
        return Guest(id=answer.json()["player"]["id"], name=chosen, token=answer.json()["token"])

    async def table(self, variant: Variant | None = None, **fields: Any) -> Room:
        """Open a table; without a variant five-card stud at 2/4. Hands follow each other at once."""
        config = {
            "min_buy_in_chips": 40,
            "pause_ms": 0,
            "quiet_pause_ms": 0,
            "turn_ms": 60_000,
            "name": "Rue",
            **fields,
        }
        chosen = five_card_stud(small_bet_chips=2, big_bet_chips=4) if variant is None else variant
        return await self.house.rooms.open(TableConfig(variant=chosen, currency=PLAY, **config))

    @asynccontextmanager
    async def socket(self, table: TableId | str, guest: Guest | None = None, **options: Any) -> AsyncIterator[Socket]:
        """Connect to a table, without a word yet."""
        url = f"{self.url.replace('http', 'ws', 1)}/ws/tables/{table}"
        headers = {} if guest is None else guest.headers
        async with connect(url, additional_headers=headers, compression=None, **options) as connection:
            yield Socket(connection)

    @asynccontextmanager
    async def at(self, table: TableId | str, guest: Guest | None = None, **options: Any) -> AsyncIterator[Socket]:
        """Connect to a table and say hello; `snapshot` is there then."""
        async with self.socket(table, guest, **options) as socket:
            await socket.say({"type": "hello"})
            socket.snapshot = await socket.hear()
            assert socket.snapshot["type"] == "snapshot", socket.snapshot
            yield socket


class Socket:
    """A guest's end of a socket. Frames that were heard stand in `heard`, events in `events` by their number."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.snapshot: dict[str, Any] = {}
        self.heard: list[dict[str, Any]] = []
        self.events: list[tuple[int, dict[str, Any]]] = []
        self._ids = count(1)

    async def say(self, frame: dict[str, Any] | str | bytes) -> None:
        await self.connection.send(json.dumps(frame) if isinstance(frame, dict) else frame)

    async def hear(self) -> dict[str, Any]:
        """The next frame."""
        async with asyncio.timeout(WAIT_S):
            frame: dict[str, Any] = json.loads(await self.connection.recv())
        self.heard.append(frame)
        if frame["type"] == "events":
            self.events += enumerate(frame["events"], start=frame["seq"])
        return frame

    async def answer(self) -> dict[str, Any]:
        """The next frame that is an answer; events that come before it are kept."""
        while (frame := await self.hear())["type"] not in ("ack", "error"):
            pass
        return frame

    async def event(self, kind: str) -> dict[str, Any]:
        """Hear on until an event of this type has come."""
        while True:
            frame = await self.hear()
            for event in frame.get("events", ()):
                if event["type"] == kind:
                    return event  # type: ignore[no-any-return]  # events are maps

    async def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send a command with an id of its own and hear its answer."""
        await self.say({"type": kind, "id": f"c{next(self._ids)}", **fields})
        return await self.answer()

    async def sit(self, chips: int = 100, **fields: Any) -> int:
        """Sit down and give the seat."""
        answer = await self.ask("sit", buy_in_chips=chips, **fields)
        assert answer["type"] == "ack", answer
        seats = [int(event["seat"]) for _, event in self.events if event["type"] == "player_sat"]
        return seats[-1]

    async def closed(self) -> tuple[int, str]:
        """Hear on to the end of the connection; gives its close code and reason."""
        try:
            while True:
                await self.hear()
        except websockets.ConnectionClosed:
            pass
        return self.connection.close_code or 0, self.connection.close_reason or ""


@asynccontextmanager
async def serving(folder: Path, *, send_buffer_bytes: int | None = None, **fields: Any) -> AsyncIterator[Served]:
    """Serve from a database in the folder, made anew or found there, without demo tables unless they are asked for.

    A small send buffer lets a test fill it up.
    """
    chosen = {"database_url": f"sqlite:///{folder}/avenue.db", "demo": False, "log_level": "warning", **fields}
    settings = Settings(**chosen)
    await asyncio.to_thread(migrate.upgrade, settings.database_url)
    app = create_app(settings, passwords=Passwords(CHEAP))
    server = Server(app, drain=lambda: app.state.house.drain())
    listening = listen("127.0.0.1", 0)
    if send_buffer_bytes is not None:
        listening.setsockopt(SOL_SOCKET, SO_SNDBUF, send_buffer_bytes)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        async with asyncio.timeout(WAIT_S):
            await server.begun()
        url = address(listening)
        async with httpx2.AsyncClient(base_url=url, timeout=WAIT_S) as http:
            yield Served(house=app.state.house, url=url, http=http)
    finally:
        server.stop()
        await task
