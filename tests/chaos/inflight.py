"""Tells from outside whether a server's commit is in flight, without a word from the server.

SQLite: a writer holds the lock of the WAL's writers from `BEGIN IMMEDIATE` until its `COMMIT` is synced. The lock is a
record lock of the operating system on a known byte of the file `-shm`, and the system tells anyone who holds it.
PostgreSQL: its own view of its sessions tells whether the writer's is inside a transaction.
"""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path
from typing import Final, Protocol

import psycopg
from sqlalchemy import make_url

WRITE_LOCK_BYTE: Final = 120
"""Where SQLite's `WAL_WRITE_LOCK` lies in the file `-shm`, by its file format."""

_FLOCK: Final = struct.Struct("hhqqi4x")
"""`struct flock` of 64-bit Linux: type, whence, start, length, process."""


class Watch(Protocol):
    """Looks at one database for as long as it is chaos there."""

    def commit_in_flight(self, pid: int) -> bool:
        """Whether the server of that process has a transaction open that writes."""
        ...

    def close(self) -> None: ...


class SqliteWatch:
    """Asks the operating system who holds the lock of SQLite's one writer."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(database.name + "-shm")
        self._fd: int | None = None
        self._inode = 0

    def commit_in_flight(self, pid: int) -> bool:
        fd = self._opened()
        if fd is None:
            return False
        asked = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, WRITE_LOCK_BYTE, 1, 0)
        kind, _, _, _, holder = _FLOCK.unpack(fcntl.fcntl(fd, fcntl.F_GETLK, asked))
        return bool(kind == fcntl.F_WRLCK and holder == pid)

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _opened(self) -> int | None:
        """The file as it is there now: it goes when the last connection closes in order, and another one comes."""
        try:
            inode = self._path.stat().st_ino
            if self._fd is None or inode != self._inode:
                self.close()
                self._fd, self._inode = os.open(self._path, os.O_RDWR), inode
        except FileNotFoundError:
            return None
        return self._fd


class PostgresWatch:
    """Asks PostgreSQL whether any session of the server is inside a transaction that has written."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(plain_url(url), autocommit=True)

    def commit_in_flight(self, pid: int) -> bool:
        row = self._connection.execute(_IN_FLIGHT, prepare=True).fetchone()
        return row is not None

    def close(self) -> None:
        self._connection.close()


# A session that has written has a number of a transaction; a reader has none.
_IN_FLIGHT: Final = (
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_xid IS NOT NULL LIMIT 1"
)


def watch(url: str) -> Watch:
    """The watch over the database of a URL."""
    return SqliteWatch(Path(url.removeprefix("sqlite:///"))) if url.startswith("sqlite") else PostgresWatch(url)


def plain_url(url: str) -> str:
    """A PostgreSQL URL as its own library takes it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
