"""Reads over SQLAlchemy, and the plain writes that move no money (sessions and the like).

Money and journals never go this way: they go through the writer (`app/store/writer.py`). Both sides may write at once;
SQLite lets one in and the other waits. On SQLite a transaction that will write says so when it begins, since one that
reads first and writes later would lose what was written in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import Connection, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from app.store.batches import BUSY_TIMEOUT_MS
from app.store.urls import async_url
from engine.limits import MAX_READ_MS, MAX_READERS


class Database:
    """The two ways to SQL over SQLAlchemy. The schema must be there; `close` it at the end."""

    def __init__(self, path: Path, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> None:
        self._readers = _engine(path, connections=MAX_READERS, reads_only=True, busy_timeout_ms=busy_timeout_ms)
        # One is enough: SQLite lets one write at a time, and here the others wait without asking again and again.
        self._writer = _engine(path, connections=1, reads_only=False, busy_timeout_ms=busy_timeout_ms)

    @asynccontextmanager
    async def read(self, *, max_ms: int | None = MAX_READ_MS) -> AsyncIterator[AsyncConnection]:
        """One snapshot of the database; whatever tries to write in it fails.

        Take what you need and leave: while it is open, the WAL file grows. After `max_ms` it ends with `TimeoutError`.
        """
        async with asyncio.timeout(None if max_ms is None else max_ms / 1_000), self._readers.connect() as connection:
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """One transaction that is kept if the block ends well, and taken back if it raises."""
        async with self._writer.begin() as connection:
            yield connection

    async def close(self) -> None:
        await self._readers.dispose()
        await self._writer.dispose()


def _engine(path: Path, *, connections: int, reads_only: bool, busy_timeout_ms: int) -> AsyncEngine:
    engine = create_async_engine(
        async_url(path),
        # Parameters are names, hashes and tokens: no error may show them.
        hide_parameters=True,
        pool_size=connections,
        max_overflow=0,
        connect_args={"isolation_level": None},
    )
    pragmas = (
        f"busy_timeout = {busy_timeout_ms}",
        "synchronous = FULL",
        "fullfsync = ON",
        "foreign_keys = ON",
        f"query_only = {'ON' if reads_only else 'OFF'}",
    )

    @event.listens_for(engine.sync_engine, "connect")
    def set_up(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")

    return engine
