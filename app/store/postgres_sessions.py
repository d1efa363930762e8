"""Connections to PostgreSQL that know what this server needs: bounds on every wait, a database that keeps, one lock.

The lock is an advisory one of the database and belongs to the connection that took it: PostgreSQL gives it up when that
connection ends, however it ends, and not before. So whoever holds it knows that the one before has nothing in flight.
"""

from __future__ import annotations

import os
import platform
import time
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from sqlalchemy import URL
from sqlalchemy.dialects.postgresql import psycopg as psycopg_dialect
from sqlalchemy.engine import Dialect

from app.store.errors import StoreInUse, StoreUnreachable, StoreUnsafe
from app.store.urls import server_label
from engine.limits import (
    MAX_CONNECT_MS,
    MAX_LOCK_WAIT_MS,
    MAX_RECONNECT_MS,
    MAX_SILENCE_MS,
    MAX_STATEMENT_MS,
    MAX_TAKEOVER_MS,
)

DIALECT: Final[Dialect] = psycopg_dialect.dialect(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call]
"""Statements as the server itself takes them, with `$1` for the first value."""

APPLICATION: Final = f"avenue {os.getpid()}@{platform.node()}"[:63]
"""How this process shows up in the server's lists; a second server tells by it who has the database."""

LOCK: Final = int.from_bytes(b"AVENUE", "big")

_KEEPALIVE: Final = {"keepalives": 1, "keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}
_RETRY_LOCK_S: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long each thing may take; `engine/limits.py` says what happens then."""

    connect_ms: int = MAX_CONNECT_MS
    reconnect_ms: int = MAX_RECONNECT_MS
    lock_wait_ms: int = MAX_LOCK_WAIT_MS
    statement_ms: int = MAX_STATEMENT_MS
    silence_ms: int = MAX_SILENCE_MS
    takeover_ms: int = MAX_TAKEOVER_MS


PATIENCE: Final = Patience()


class StillThere(Exception):
    """The lock is still held by this very process' former connection, which the server has not ended yet."""


def connect_arguments(patience: Patience = PATIENCE) -> dict[str, Any]:
    """What every connection to PostgreSQL is opened with, so that none waits for ever for a server that is gone."""
    return {
        "application_name": APPLICATION,
        "client_encoding": "utf8",
        # The driver counts in whole seconds.
        "connect_timeout": -(-patience.connect_ms // 1_000),
        "tcp_user_timeout": patience.silence_ms,
        "prepare_threshold": None,
        **_KEEPALIVE,
    }


def connect(url: URL, *, autocommit: bool, patience: Patience = PATIENCE) -> psycopg.Connection[Any]:
    """Connect with bounds on everything that could wait for ever. Raises `StoreUnreachable`."""
    arguments = {**connect_arguments(patience), **DIALECT.create_connect_args(url)[1]}
    try:
        connection = psycopg.connect(**arguments, autocommit=True)
    except psycopg.Error as error:
        raise unreachable(url, error) from error
    try:
        connection.execute(
            f"SELECT {', '.join(['set_config(%s, %s, false)'] * len(_bounds(patience)))}", _flat(patience)
        )
    except psycopg.Error as error:
        connection.close()
        raise unreachable(url, error) from error
    connection.autocommit = autocommit
    return connection


def unreachable(url: URL, error: psycopg.Error) -> StoreUnreachable:
    """What the driver says of a connection that failed: places and users, never a password."""
    return StoreUnreachable(database=server_label(url), reason=" ".join(str(error).split()))


def require_safe(connection: psycopg.Connection[Any]) -> None:
    """Raise `StoreUnsafe` unless a commit is on the disk when it is answered."""
    found = dict(
        connection.execute("SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", [[*_WANTED]]).fetchall()
    )
    for setting, wanted in _WANTED.items():
        if found[setting] not in wanted:
            raise StoreUnsafe(setting=setting, found=found[setting], wanted=wanted[0])


_WANTED: Final = {
    "fsync": ("on",),
    "full_page_writes": ("on",),
    # All of these wait for this server's own disk; some wait for others' too.
    "synchronous_commit": ("on", "local", "remote_write", "remote_apply"),
    "transaction_read_only": ("off",),
    "server_encoding": ("UTF8",),
}


def take_lock(
    connection: psycopg.Connection[Any], *, label: str, within_ms: int, former_backend: int | None = None
) -> None:
    """Hold the database for this connection's life.

    Raises `StoreInUse` if another server has it. A former connection of this process that still holds it is told to
    end; raises `StillThere` if it does not.
    """
    ends_at = time.monotonic() + within_ms / 1_000
    while not _one(connection, "SELECT pg_try_advisory_lock(%s)", LOCK):
        backend, application = _holder(connection)
        is_own = backend is not None and backend == former_backend
        if is_own:
            connection.execute("SELECT pg_terminate_backend(%s)", [backend])
        if time.monotonic() >= ends_at:
            raise StillThere if is_own else in_use(label, application)
        time.sleep(_RETRY_LOCK_S)


def in_use(label: str, application: str | None) -> StoreInUse:
    """A database that another server has, named by how that one shows up in PostgreSQL's lists."""
    pid, _, host = (application or "").removeprefix("avenue ").partition("@")
    if not pid.isdigit():
        return StoreInUse(database=label, pid=None)
    elsewhere = host != APPLICATION.partition("@")[2]
    return StoreInUse(database=label, pid=int(pid), host=host if elsewhere else None)


def lock_holder(connection: psycopg.Connection[Any]) -> str | None:
    """How the one who holds the database shows up; None if nobody does, or if this user may not know."""
    return _holder(connection)[1]


def _holder(connection: psycopg.Connection[Any]) -> tuple[int | None, str | None]:
    row = connection.execute(
        "SELECT l.pid, a.application_name FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid) "
        "WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 "
        "AND (l.classid::bigint << 32) + l.objid::bigint = %s "
        "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        [LOCK],
    ).fetchone()
    return (None, None) if row is None else (row[0], row[1])


def _one(connection: psycopg.Connection[Any], query: str, *values: object) -> Any:
    (found,) = connection.execute(query, values).fetchone()  # type: ignore[misc]  # these queries have a row
    return found


def _bounds(patience: Patience) -> dict[str, str]:
    """What ends by itself on the server's side, so that a client that vanished leaves no lock behind."""
    return {
        "lock_timeout": f"{patience.lock_wait_ms}ms",
        "statement_timeout": f"{patience.statement_ms}ms",
        "idle_in_transaction_session_timeout": f"{patience.silence_ms}ms",
        "tcp_keepalives_idle": "5",
        "tcp_keepalives_interval": "2",
        "tcp_keepalives_count": "3",
        "tcp_user_timeout": f"{patience.silence_ms}",
    }


def _flat(patience: Patience) -> list[str]:
    return [part for setting in _bounds(patience).items() for part in setting]
