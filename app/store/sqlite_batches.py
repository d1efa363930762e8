"""Group commits on SQLite: one connection, one transaction for a batch, a savepoint for each of its writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.exc import SQLAlchemyError

from app.store.batches import ALIVE, LAST_EPOCH, MARK, NEW_EPOCH, READ_MARK, Undecided, Unsettled, not_written
from app.store.errors import StoreUnsafe
from app.store.writes import FOREIGN_KEY, GUARD, NOT_NULL, ROWS, UNIQUE, Row, Statement, Step, Write, failed
from engine.limits import MAX_BUSY_MS, MAX_WAL_BYTES
from engine.rules.errors import AvenueError

DIALECT: Final = sqlite_dialect.dialect(paramstyle="qmark")


class SqliteBatches:
    """See `Batches`. The schema must be there.

    Raises `StoreUnsafe` if the file does not keep what it is told to keep.
    """

    def __init__(
        self,
        path: Path,
        *,
        now_ms: Callable[[], int],
        busy_timeout_ms: int = MAX_BUSY_MS,
        connection_class: type[sqlite3.Connection] = sqlite3.Connection,
    ) -> None:
        self._path = path
        self._now_ms = now_ms
        self._busy_timeout_ms = busy_timeout_ms
        self._connection_class = connection_class
        self._connection: sqlite3.Connection | None = None
        self._one_cursor: sqlite3.Cursor | None = None
        self._batch = 0
        self.epoch = self._take_epoch()

    def run(self, writes: Sequence[Write]) -> list[AvenueError | None]:
        """See `Batches.run`."""
        try:
            cursor = self._cursor()
            cursor.execute("BEGIN IMMEDIATE")
            results = [self._attempt(cursor, write) for write in writes]
            if all(result is not None for result in results):
                cursor.execute("ROLLBACK")
                return results
            _run(cursor, MARK, (self._batch + 1, self._now_ms(), self.epoch))
        except sqlite3.Error as error:
            # Nothing was committed, and without the connection nothing can be.
            self._disconnect()
            return [not_written(error, _name(error)) for _ in writes]
        try:
            cursor.execute("COMMIT")
        except sqlite3.Error as error:
            raise Undecided(results) from error
        self._batch += 1
        return results

    def beat(self) -> None:
        """See `Batches.beat`."""
        try:
            cursor = self._cursor()
            _run(cursor, ALIVE, (self._now_ms(), self.epoch))
        except sqlite3.Error:
            self._disconnect()

    def settle(self) -> bool:
        """See `Batches.settle`."""
        try:
            return self._stands()
        except sqlite3.Error as error:
            raise Unsettled from error

    def close(self) -> None:
        self._disconnect()

    def _stands(self) -> bool:
        self._disconnect()
        cursor = self._cursor()
        wanted = self._batch + 1
        (stands_at,) = _run(cursor, READ_MARK, (self.epoch,)).fetchone()
        if stands_at < wanted:
            # What a failed commit left in the WAL could come to life after a crash. A commit that succeeds writes over
            # it, so only after one is it sure that the batch is gone. It takes the next number, by which it is known
            # should its own success be in doubt.
            cursor.execute("BEGIN IMMEDIATE")
            _run(cursor, MARK, (wanted + 1, self._now_ms(), self.epoch))
            cursor.execute("COMMIT")
            stands_at = wanted + 1
        self._batch = stands_at
        return bool(stands_at == wanted)

    def _attempt(self, cursor: sqlite3.Cursor, write: Write) -> AvenueError | None:
        """Run a write inside the batch; whatever refuses it takes back all of it and nothing else."""
        cursor.execute("SAVEPOINT a_write")
        refusal = _refusal_of(cursor, write)
        if refusal is not None:
            cursor.execute("ROLLBACK TO a_write")
        cursor.execute("RELEASE a_write")
        return refusal

    def _cursor(self) -> sqlite3.Cursor:
        if self._connection is None:
            self._connection = self._connect()
        if self._one_cursor is None:
            self._one_cursor = self._connection.cursor()
        return self._one_cursor

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, factory=self._connection_class)
        for pragma in (
            f"busy_timeout = {self._busy_timeout_ms}",
            "journal_mode = WAL",
            "synchronous = FULL",
            # On macOS a plain fsync leaves the data in the drive's cache. Elsewhere it means nothing.
            "fullfsync = ON",
            "foreign_keys = ON",
            f"journal_size_limit = {MAX_WAL_BYTES}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        for setting, wanted in (("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)):
            (found,) = connection.execute(f"PRAGMA {setting}").fetchone()
            if found != wanted:
                connection.close()
                raise StoreUnsafe(setting=setting, found=found, wanted=wanted)
        return connection

    def _disconnect(self) -> None:
        """Close the connection, which takes back what is not committed; the next batch opens another.

        A cursor that somebody still holds, as an error does that came through its frames, would keep the connection
        open beneath, its transaction with it, and the file locked.
        """
        connection, self._connection = self._connection, None
        cursor, self._one_cursor = self._one_cursor, None
        if cursor is not None:
            cursor.close()
        if connection is not None:
            connection.close()

    def _take_epoch(self) -> int:
        cursor = self._cursor()
        cursor.execute("BEGIN IMMEDIATE")
        _run(cursor, NEW_EPOCH, (self._now_ms(),))
        (epoch,) = _run(cursor, LAST_EPOCH, ()).fetchone()
        cursor.execute("COMMIT")
        return int(epoch)


_BAD_WRITES = (
    sqlite3.ProgrammingError,
    sqlite3.InterfaceError,
    sqlite3.DataError,
    SQLAlchemyError,
    OverflowError,
    ValueError,
    TypeError,
    IndexError,
)


def _refusal_of(cursor: sqlite3.Cursor, write: Write) -> AvenueError | None:
    for step in write.steps:
        try:
            changed = _run_step(cursor, step)
        except sqlite3.IntegrityError as error:
            verdict = step.verdict(_breach_of(error))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                raise
            verdict = failed("bad_statement")
        except _BAD_WRITES:
            # A mistake of ours in this one write must not take the writer down, and all tables with it.
            verdict = failed("bad_value")
        else:
            if step.changes is None or changed == step.changes * len(step.rows):
                continue
            verdict = step.verdict(ROWS)
        return verdict.error()
    return None


def _run_step(cursor: sqlite3.Cursor, step: Step) -> int:
    prepared = step.statement.prepared(DIALECT)
    rows = step.rows if prepared.order is None else [prepared.arrange(row) for row in step.rows]
    if not rows:
        return 0
    if len(rows) == 1:
        return cursor.execute(prepared.sql, rows[0]).rowcount
    return cursor.executemany(prepared.sql, rows).rowcount


def _run(cursor: sqlite3.Cursor, statement: Statement, row: Row) -> sqlite3.Cursor:
    prepared = statement.prepared(DIALECT)
    return cursor.execute(prepared.sql, prepared.arrange(row))


def _breach_of(error: sqlite3.IntegrityError) -> str:
    name = error.sqlite_errorname
    if name in {"SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_ROWID"}:
        return UNIQUE
    if name == "SQLITE_CONSTRAINT_CHECK":
        return str(error).rpartition(": ")[2]
    return _BREACHES.get(name, name)


_BREACHES: Final = {
    "SQLITE_CONSTRAINT_FOREIGNKEY": FOREIGN_KEY,
    "SQLITE_CONSTRAINT_NOTNULL": NOT_NULL,
    "SQLITE_CONSTRAINT_TRIGGER": GUARD,
}


def _name(error: sqlite3.Error) -> str:
    """SQLite's own name for what went wrong, where it has one."""
    return getattr(error, "sqlite_errorname", None) or type(error).__name__
