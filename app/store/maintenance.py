"""Connections for what an operator does to a database himself: archive, and wrap keys anew.

On SQLite that is done while no server runs: who writes to the file holds its lock, as a server does. On PostgreSQL it
may be done beside a running server, in short transactions that give way: one that does not get a lock at once leaves
the server in peace and tries again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Final, TypeVar

from psycopg.errors import DeadlockDetected, LockNotAvailable
from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from app.store.errors import StoreBusy
from app.store.lock import DatabaseLock
from app.store.migrate import check
from app.store.postgres_sessions import connect
from app.store.urls import place_of, sync_url
from engine.limits import MAX_BUSY_MS, MAX_UPKEEP_LOCK_MS, MAX_UPKEEP_TRIES

T = TypeVar("T")

_PAUSE_S: Final = 0.2


class Upkeep:
    """An operator's way to a database. `is_server`: it is PostgreSQL, and a server may run beside."""

    def __init__(self, engine: Engine, *, is_server: bool) -> None:
        self._engine = engine
        self.is_server = is_server

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One snapshot. Leave it soon."""
        with self._engine.connect() as connection:
            yield connection

    def write(self, change: Callable[[Connection], T]) -> T:
        """Run a change in one transaction, again if a lock is not to be had. Raises `StoreBusy` when it never is."""
        for _ in range(MAX_UPKEEP_TRIES):
            try:
                with self._engine.begin() as connection:
                    if self.is_server:
                        connection.execute(text(f"SET LOCAL lock_timeout = {MAX_UPKEEP_LOCK_MS}"))
                    return change(connection)
            except OperationalError as error:
                if not isinstance(error.orig, LockNotAvailable | DeadlockDetected):
                    raise
                time.sleep(_PAUSE_S)
        raise StoreBusy(tries=MAX_UPKEEP_TRIES)


@contextmanager
def upkeep(url: str) -> Iterator[Upkeep]:
    """Open a database that has this version's schema for its operator.

    Raises `BadDatabaseUrl`, `WrongSchema`, `StoreUnreachable`, and `StoreInUse` while a server runs on a SQLite file.
    """
    place = place_of(url)
    check(url)
    alone: AbstractContextManager[object] = DatabaseLock(place) if isinstance(place, Path) else nullcontext()
    with alone:
        engine = _sqlite(place) if isinstance(place, Path) else _postgres(place)
        try:
            yield Upkeep(engine, is_server=isinstance(place, URL))
        finally:
            engine.dispose()


def _sqlite(path: Path) -> Engine:
    engine = create_engine(
        sync_url(path),
        hide_parameters=True,
        connect_args={"timeout": MAX_BUSY_MS // 1_000, "isolation_level": None},
    )

    @event.listens_for(engine, "connect")
    def keep_safe(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "fullfsync = ON", "foreign_keys = ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _postgres(url: URL) -> Engine:
    return create_engine(url, hide_parameters=True, creator=lambda: connect(url, autocommit=False))
