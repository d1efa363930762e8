"""Reads over SQLAlchemy, and the plain writes that move no money (sessions and the like).

Every write of a server goes through its one writer (`app/store/writer.py`), these too. SQLite lets one write at a time,
and a second connection that wants to would ask again and again while the tables go first, without a bound on its wait.
A read is one snapshot on either database, and what it gives is of the same types: PostgreSQL sums whole numbers to
decimals, which are made whole again here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from psycopg.abc import Buffer
from psycopg.adapt import Loader
from sqlalchemy import URL, Connection, Delete, Dialect, Insert, Update, event, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from app.store import postgres_sessions, sqlite_batches
from app.store.urls import async_url
from app.store.writer import Writer
from app.store.writes import Step, Write, bound_step
from engine.limits import MAX_BUSY_MS, MAX_READ_MS, MAX_READERS


class PlainWrite:
    """Collects the statements of one write. They are run in their order, all of them or none, when its block ends."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._steps: list[Step] = []

    async def execute(self, statement: Insert | Update | Delete) -> None:
        """Add a statement with its values. Nothing comes back: let the statement itself say what it is to depend on."""
        self._steps.append(bound_step(statement, self._dialect))

    def as_write(self) -> Write:
        return Write(about="plain", steps=tuple(self._steps))


class Database:
    """The two ways to SQL over SQLAlchemy. The schema must be there; `close` it at the end."""

    def __init__(self, place: Path | URL, writer: Writer) -> None:
        self._writer = writer
        self._is_server = isinstance(place, URL)
        self._dialect = postgres_sessions.DIALECT if isinstance(place, URL) else sqlite_batches.DIALECT
        self._readers = _postgres_readers(place) if isinstance(place, URL) else _sqlite_readers(place)

    @asynccontextmanager
    async def read(self, *, max_ms: int | None = MAX_READ_MS) -> AsyncIterator[AsyncConnection]:
        """One snapshot of the database; whatever tries to write in it fails.

        Take what you need and leave: while it is open, SQLite's WAL grows and PostgreSQL cannot clean up. After
        `max_ms` it ends with `TimeoutError`.
        """
        async with asyncio.timeout(None if max_ms is None else max_ms / 1_000), self._readers.connect() as connection:
            if max_ms is None and self._is_server:
                await connection.execute(_WITHOUT_LIMIT)
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[PlainWrite]:
        """Collect a write that moves no money. When the block has ended well it is durable; if it raises, nothing is.

        Raises what `Writer.write` raises.
        """
        collected = PlainWrite(self._dialect)
        yield collected
        await self._writer.write(collected.as_write())

    async def close(self) -> None:
        await self._readers.dispose()


def _sqlite_readers(path: Path) -> AsyncEngine:
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
        for pragma in (f"busy_timeout = {MAX_BUSY_MS}", "query_only = ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _postgres_readers(url: URL) -> AsyncEngine:
    engine = create_async_engine(
        url,
        hide_parameters=True,
        pool_size=MAX_READERS,
        max_overflow=0,
        # One that died with its server is found out before it is used.
        pool_pre_ping=True,
        connect_args=postgres_sessions.connect_arguments(),
    )

    @event.listens_for(engine.sync_engine, "connect")
    def set_up(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        cursor.execute(_READ_ONLY)
        cursor.close()
        connection.commit()
        driver: Any = connection.driver_connection
        driver.adapters.register_loader("numeric", _WholeLoader)

    return engine


class _WholeLoader(Loader):
    """Reads a sum of whole numbers as the whole number that it is. There are no others in this database."""

    def load(self, data: Buffer) -> int:
        return int(bytes(data))


_READ_ONLY = "; ".join(
    (
        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
        f"SET statement_timeout = {MAX_READ_MS}",
        f"SET idle_in_transaction_session_timeout = {MAX_READ_MS * 2}",
    )
)
_WITHOUT_LIMIT = text(
    "SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)"
)
