"""Reads over SQLAlchemy, and the plain writes that move no money (sessions and the like).

Every write of a server goes through its one writer (`app/store/writer.py`), these too. SQLite lets one write at a time,
and a second connection that wants to would ask again and again while the tables go first, without a bound on its wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import Connection, Delete, Insert, Update, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from app.store.batches import DIALECT
from app.store.urls import async_url
from app.store.writer import Writer
from app.store.writes import Step, Write, bound_step
from engine.limits import MAX_BUSY_MS, MAX_READ_MS, MAX_READERS


class PlainWrite:
    """Collects the statements of one write. They are run in their order, all of them or none, when its block ends."""

    def __init__(self) -> None:
        self._steps: list[Step] = []

    async def execute(self, statement: Insert | Update | Delete) -> None:
        """Add a statement with its values. Nothing comes back: let the statement itself say what it is to depend on."""
        self._steps.append(bound_step(statement, DIALECT))

    def as_write(self) -> Write:
        return Write(about="plain", steps=tuple(self._steps))


class Database:
    """The two ways to SQL over SQLAlchemy. The schema must be there; `close` it at the end."""

    def __init__(self, path: Path, writer: Writer, *, busy_timeout_ms: int = MAX_BUSY_MS) -> None:
        self._writer = writer
        self._readers = _readers(path, busy_timeout_ms=busy_timeout_ms)

    @asynccontextmanager
    async def read(self, *, max_ms: int | None = MAX_READ_MS) -> AsyncIterator[AsyncConnection]:
        """One snapshot of the database; whatever tries to write in it fails.

        Take what you need and leave: while it is open, the WAL file grows. After `max_ms` it ends with `TimeoutError`.
        """
        async with asyncio.timeout(None if max_ms is None else max_ms / 1_000), self._readers.connect() as connection:
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[PlainWrite]:
        """Collect a write that moves no money. When the block has ended well it is durable; if it raises, nothing is.

        Raises what `Writer.write` raises.
        """
        collected = PlainWrite()
        yield collected
        await self._writer.write(collected.as_write())

    async def close(self) -> None:
        await self._readers.dispose()


def _readers(path: Path, *, busy_timeout_ms: int) -> AsyncEngine:
    engine = create_async_engine(
        async_url(path),
        # Parameters are names, hashes and tokens: no error may show them.
        hide_parameters=True,
        pool_size=MAX_READERS,
        max_overflow=0,
        connect_args={"isolation_level": None},
    )

    @event.listens_for(engine.sync_engine, "connect")
    def set_up(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        for pragma in (f"busy_timeout = {busy_timeout_ms}", "query_only = ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine
