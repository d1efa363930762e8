"""A SQLite connection that goes wrong when a test says so."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable
from typing import Any, Self


class Flaw:
    """Something that goes wrong at the next statement that begins with `at`.

    `before` runs instead of it if it raises; `after` runs when it has been done, and takes its success away if it
    raises.
    """

    def __init__(
        self, at: str, *, before: Callable[[], None] | None = None, after: Callable[[], None] | None = None
    ) -> None:
        self.at = at
        self.before = before
        self.after = after


class Flaws:
    """The flaws to come, in order. Tests plan them from their thread, the writer meets them in its own."""

    def __init__(self) -> None:
        self._planned: list[Flaw] = []
        self._lock = threading.Lock()
        self.statements: list[str] = []

    def plan(self, *flaws: Flaw) -> None:
        with self._lock:
            self._planned += flaws

    def connection_class(self) -> type[sqlite3.Connection]:
        flaws = self

        class FlakyCursor(sqlite3.Cursor):
            def execute(self, sql: str, parameters: Any = (), /) -> Self:
                flaws.run(sql, lambda: sqlite3.Cursor.execute(self, sql, parameters))
                return self

            def executemany(self, sql: str, rows: Iterable[Any], /) -> Self:
                flaws.run(sql, lambda: sqlite3.Cursor.executemany(self, sql, rows))
                return self

        class FlakyConnection(sqlite3.Connection):
            def cursor(self, factory: Any = None, /) -> Any:
                return super().cursor(FlakyCursor)

        return FlakyConnection

    def run(self, sql: str, do: Callable[[], object]) -> None:
        with self._lock:
            self.statements.append(sql)
            meets = bool(self._planned) and sql.startswith(self._planned[0].at)
            flaw = self._planned.pop(0) if meets else None
        if flaw is not None and flaw.before is not None:
            flaw.before()
        do()
        if flaw is not None and flaw.after is not None:
            flaw.after()


def disk_full() -> None:
    raise sqlite3.OperationalError("database or disk is full")


def disk_broken() -> None:
    raise sqlite3.OperationalError("disk I/O error")


def thread_dies() -> None:
    raise RuntimeError("the thread dies here")
