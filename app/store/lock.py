"""One server at a time on a SQLite file: whoever writes journals or migrates holds a lock file beside it.

The lock is the operating system's (`flock`): it ends with the process, however that ends, and a file that is left
behind locks nobody out. It holds on one machine; a SQLite file on a network drive is not supported.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from app.store.errors import StoreInUse


class DatabaseLock:
    """Hold the database's lock from `acquire` to `release`, or as a context."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._path = lock_path(database)
        self._fd: int | None = None

    def acquire(self) -> None:
        """Take the lock at once or raise `StoreInUse`; the folder must exist."""
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(fd, 20).decode("ascii", "replace").strip()
            os.close(fd)
            raise StoreInUse(database=str(self._database), pid=int(holder) if holder.isdigit() else None) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode("ascii"), 0)
        self._fd = fd

    def release(self) -> None:
        """Give the lock back. The file stays: to delete it could take it from under a process that just opened it."""
        if self._fd is not None:
            os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> DatabaseLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def lock_path(database: Path) -> Path:
    return database.with_name(database.name + ".lock")
