"""The disk of a simulated world: one SQLite file in memory-backed storage, and what may go wrong with it.

A process that dies leaves its files as they lie at that instant. The next one opens a copy of them, so nothing that the
dead one might still do, a rollback or a checkpoint while its connections are closed, can tidy up after it.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

from app.store import migrate
from tests.sim.loop import ProcessDied

FlawKind = Literal["io_error", "disk_full", "lost_before", "lost_after", "dies_before", "dies_after", "writer_breaks"]

COMMIT = "COMMIT"


class Flaw:
    """What goes wrong in one transaction: at its `at`-th statement, or at its COMMIT if that comes first.

    `times` is how often it happens at that place: the connection that reads back may be lost again.
    """

    def __init__(self, kind: FlawKind, *, at: int | None = None, times: int = 1) -> None:
        self.kind = kind
        self.at = at
        self.times = times


def broken(kind: FlawKind) -> sqlite3.OperationalError:
    """The error that SQLite raises for it."""
    if kind == "disk_full":
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_FULL, "SQLITE_FULL"
    else:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_IOERR, "SQLITE_IOERR"
    return error


class Disk:
    """Holds the file of the running process. `next_flaw` is asked at every transaction that writes."""

    def __init__(self, folder: Path, *, next_flaw: Callable[[int], Flaw | None]) -> None:
        self._folder = folder
        self._next_flaw = next_flaw
        self._copies = 0
        self.path = folder / "avenue-0.db"
        self.transactions = 0
        self.out_of_order = False
        """While it is, nothing can be read or written."""
        self.happened: Callable[[FlawKind], None] = lambda kind: None
        self.path.write_bytes(_template())

    def left_by_the_dead(self) -> Path:
        """Give the path of a copy of the files as they lie now; the old ones go with `forget`."""
        self._copies += 1
        old, self.path = self.path, self._folder / f"avenue-{self._copies}.db"
        for suffix in ("", "-wal"):
            if (source := old.with_name(old.name + suffix)).exists():
                shutil.copyfile(source, self.path.with_name(self.path.name + suffix))
        return old

    @staticmethod
    def forget(path: Path) -> None:
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)

    def connection_class(self, attempt: Attempt) -> type[sqlite3.Connection]:
        """A connection whose every statement goes by `attempt` first."""

        class FlawedCursor(sqlite3.Cursor):
            def execute(self, sql: str, parameters: Any = (), /) -> Self:
                flaw = attempt.before(sql)
                sqlite3.Cursor.execute(self, sql, parameters)
                if flaw is not None:
                    attempt.after(flaw)
                return self

            def executemany(self, sql: str, rows: Iterable[Any], /) -> Self:
                flaw = attempt.before(sql)
                sqlite3.Cursor.executemany(self, sql, rows)
                if flaw is not None:
                    attempt.after(flaw)
                return self

        class FlawedConnection(sqlite3.Connection):
            def cursor(self, factory: Any = None, /) -> Any:
                return super().cursor(FlawedCursor)

        return FlawedConnection

    def flaw_of_next(self) -> Flaw | None:
        self.transactions += 1
        return self._next_flaw(self.transactions)


class Attempt:
    """One process's dealings with the disk: counts the statements of each transaction and lets its flaw happen."""

    def __init__(self, disk: Disk, *, dies: Callable[[], None]) -> None:
        self._disk = disk
        self._dies = dies
        self._flaw: Flaw | None = None
        self._statement = 0
        self.dead = False

    def before(self, sql: str) -> Flaw | None:  # noqa: C901 - one branch a kind of flaw
        """Let what goes wrong before a statement go wrong; gives the flaw that comes after it."""
        if self.dead:
            raise ProcessDied
        if self._disk.out_of_order:
            raise broken("io_error")
        if sql.startswith("BEGIN"):
            self._statement = 0
            if self._flaw is None:
                self._flaw = self._disk.flaw_of_next()
        flaw = self._flaw
        if flaw is None:
            return None
        self._statement += 1
        commits = sql == COMMIT
        if not commits and (flaw.at is None or flaw.at != self._statement):
            return None
        flaw.times -= 1
        if flaw.times <= 0:
            self._flaw = None
        self._disk.happened(flaw.kind)
        match flaw.kind:
            case "io_error" | "disk_full" | "lost_before":
                raise broken(flaw.kind)
            case "writer_breaks":
                raise RuntimeError("the writer breaks here")
            case "dies_before":
                self.die()
            case "lost_after" | "dies_after":
                return flaw
        raise AssertionError("unreachable")

    def after(self, flaw: Flaw) -> None:
        if flaw.kind == "dies_after":
            self.die()
        raise broken(flaw.kind)

    def die(self) -> None:
        self._dies()
        raise ProcessDied


@cache
def _template() -> bytes:
    """An empty database of this version, made once a run."""
    with tempfile.TemporaryDirectory(prefix="avenue-sim-") as folder:
        path = Path(folder) / "template.db"
        migrate.upgrade(f"sqlite:///{path}")
        return path.read_bytes()


def world_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for one world, in memory where the system offers that: then a sync of the disk costs nothing."""
    memory = Path("/dev/shm")  # noqa: S108 - a name of the system's own, in which a private folder is made
    return tempfile.TemporaryDirectory(prefix="avenue-sim-", dir=memory if memory.is_dir() else None)
