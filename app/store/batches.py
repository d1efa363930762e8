"""Group commits on SQLite: many writes in one transaction, each of them kept or taken back by itself.

This is the part without a thread: `app/store/writer.py` runs it in one. `run` takes a batch and says of each write what
became of it, after the disk has it. When the commit itself goes wrong, nobody knows at first whether it stands: `run`
raises `Undecided`, and `settle` finds out from the database before anybody is told anything.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from sqlalchemy import bindparam, func, insert, literal_column, select, update
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.exc import SQLAlchemyError

from app.store.errors import StoreUnsafe
from app.store.tables import server_epochs
from app.store.writes import FOREIGN_KEY, ROWS, UNIQUE, Prepared, Row, Statement, Step, Write, failed
from engine.limits import MAX_BUSY_MS, MAX_WAL_BYTES
from engine.rules.errors import AvenueError
from engine.table.errors import CommitFailed

DIALECT: Final = sqlite_dialect.dialect(paramstyle="qmark")

_NEW_EPOCH = Statement(
    insert(server_epochs).from_select(
        ["epoch", "started_ms", "alive_ms", "batch"],
        select(
            func.coalesce(func.max(server_epochs.c.epoch), literal_column("0")) + literal_column("1"),
            bindparam("now_ms", type_=server_epochs.c.started_ms.type),
            bindparam("now_ms", type_=server_epochs.c.started_ms.type),
            literal_column("0"),
        ),
    ),
    row=("now_ms",),
).prepared(DIALECT)
_LAST_EPOCH = Statement(select(func.max(server_epochs.c.epoch)), row=()).prepared(DIALECT)
_MARK = Statement(
    update(server_epochs)
    .where(server_epochs.c.epoch == bindparam("of_epoch"))
    .values(batch=bindparam("to_batch"), alive_ms=bindparam("now_ms")),
    row=("to_batch", "now_ms", "of_epoch"),
).prepared(DIALECT)
_ALIVE = Statement(
    update(server_epochs).where(server_epochs.c.epoch == bindparam("of_epoch")).values(alive_ms=bindparam("now_ms")),
    row=("now_ms", "of_epoch"),
).prepared(DIALECT)
_READ_MARK = Statement(
    select(server_epochs.c.batch).where(server_epochs.c.epoch == bindparam("of_epoch")), row=("of_epoch",)
).prepared(DIALECT)


class Undecided(Exception):
    """The commit went wrong in a way that leaves open whether it stands. Call `settle` until it says.

    `results` is what each write is to be told if it does.
    """

    def __init__(self, results: list[AvenueError | None]) -> None:
        super().__init__("the commit's outcome is not known yet")
        self.results = results


class SqliteBatches:
    """One connection that writes, for one thread. Every start is a new `epoch`, every batch commits its own number.

    The schema must be there. Raises `StoreUnsafe` if the file does not keep what it is told to keep.
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
        self._batch = 0
        self.epoch = self._take_epoch()

    def run(self, writes: Sequence[Write]) -> list[AvenueError | None]:
        """Commit a batch; give for each write None if it stands, else why nothing of it does.

        Raises `Undecided`, and then the whole batch stands or none of it.
        """
        try:
            cursor = self._cursor()
            cursor.execute("BEGIN IMMEDIATE")
            results = [self._attempt(cursor, write) for write in writes]
            if all(result is not None for result in results):
                cursor.execute("ROLLBACK")
                return results
            _run(cursor, _MARK, (self._batch + 1, self._now_ms(), self.epoch))
        except sqlite3.Error as error:
            # Nothing was committed, and without the connection nothing can be.
            self._disconnect()
            return [_not_written(error) for _ in writes]
        try:
            cursor.execute("COMMIT")
        except sqlite3.Error as error:
            raise Undecided(results) from error
        self._batch += 1
        return results

    def beat(self) -> None:
        """Write a sign of life. It is no harm if it fails: the next one comes."""
        try:
            cursor = self._cursor()
            _run(cursor, _ALIVE, (self._now_ms(), self.epoch))
        except sqlite3.Error:
            self._disconnect()

    def settle(self) -> bool:
        """Say whether the batch that was undecided stands. Raises `sqlite3.Error` while the database cannot tell."""
        self._disconnect()
        cursor = self._cursor()
        wanted = self._batch + 1
        (stands_at,) = _run(cursor, _READ_MARK, (self.epoch,)).fetchone()
        if stands_at < wanted:
            # What a failed commit left in the WAL could come to life after a crash. A commit that succeeds writes over
            # it, so only after one is it sure that the batch is gone. It takes the next number, by which it is known
            # should its own success be in doubt.
            cursor.execute("BEGIN IMMEDIATE")
            _run(cursor, _MARK, (wanted + 1, self._now_ms(), self.epoch))
            cursor.execute("COMMIT")
            stands_at = wanted + 1
        self._batch = stands_at
        return bool(stands_at == wanted)

    def close(self) -> None:
        self._disconnect()

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
        return self._connection.cursor()

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
        """Close the connection, which takes back what is not committed; the next batch opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _take_epoch(self) -> int:
        cursor = self._cursor()
        cursor.execute("BEGIN IMMEDIATE")
        _run(cursor, _NEW_EPOCH, (self._now_ms(),))
        (epoch,) = _run(cursor, _LAST_EPOCH, ()).fetchone()
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


def _run(cursor: sqlite3.Cursor, prepared: Prepared, row: Row) -> sqlite3.Cursor:
    return cursor.execute(prepared.sql, prepared.arrange(row))


def _breach_of(error: sqlite3.IntegrityError) -> str:
    name = error.sqlite_errorname
    if name in {"SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_ROWID"}:
        return UNIQUE
    if name == "SQLITE_CONSTRAINT_FOREIGNKEY":
        return FOREIGN_KEY
    if name == "SQLITE_CONSTRAINT_CHECK":
        return str(error).rpartition(": ")[2]
    return name


def _not_written(error: sqlite3.Error) -> CommitFailed:
    fault = CommitFailed(reason="not_written", error=_name(error))
    fault.__cause__ = error
    return fault


def _name(error: sqlite3.Error) -> str:
    """SQLite's own name for what went wrong, where it has one."""
    return getattr(error, "sqlite_errorname", None) or type(error).__name__
