"""The two places where everything may be kept, so that one test runs over both: an empty database of this version."""

from __future__ import annotations

import re
import shutil
import sqlite3
from abc import ABC, abstractmethod
from base64 import b64encode
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from app.store.keys import KEY_BYTES
from app.store.opening import Store, open_store
from tests.fakes import VirtualClock
from tests.postgres import PostgresServer, rows

KEYS = f"room:{b64encode(b'r' * KEY_BYTES).decode()}"
"""A ring of sealing keys that everybody knows."""

_copies = count(1)


class Place(ABC):
    """A database, and a look at it that does not go through the store."""

    url: str
    name: str

    async def open(self, clock: VirtualClock) -> Store:
        return await open_store(self.url, now_ms=clock.now_ms, sealing_keys=KEYS)

    @abstractmethod
    def sql(self, statement: str, *values: object) -> list[Any]:
        """Run a statement by itself; a `?` stands for a value, `x'7b'` for bytes."""

    @abstractmethod
    def tamper(self, *statements: str) -> None:
        """Do what no server could: without guards, keys and checks. Each statement must change something."""

    @abstractmethod
    def copy(self) -> Place:
        """A copy that goes its own way; nobody may have this one open."""

    def balances(self) -> dict[str, int]:
        return dict(self.sql("SELECT id, balance_chips FROM accounts"))

    def names(self) -> list[str]:
        return [name for (name,) in self.sql("SELECT name FROM players ORDER BY id")]


class SqlitePlace(Place):
    name = "sqlite"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.url = f"sqlite:///{path}"

    def sql(self, statement: str, *values: object) -> list[Any]:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("PRAGMA foreign_keys = ON")
            return connection.execute(statement, values).fetchall()

    def tamper(self, *statements: str) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                assert connection.execute(statement).rowcount > 0, "the test must change something"

    def copy(self) -> SqlitePlace:
        path = self.path.with_name(f"copy{next(_copies)}.db")
        shutil.copyfile(self.path, path)
        return SqlitePlace(path)


class PostgresPlace(Place):
    name = "postgres"

    def __init__(self, server: PostgresServer, url: str) -> None:
        self.server = server
        self.url = url

    def sql(self, statement: str, *values: object) -> list[Any]:
        return rows(self.url, _bytes_as_here(statement), *values)

    def tamper(self, *statements: str) -> None:
        with psycopg.connect(self.url) as connection:
            # As a replica does: no trigger is run, neither the guards nor those that hold the keys.
            connection.execute("SET session_replication_role = replica")
            checks = connection.execute(
                "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype = 'c' AND conrelid <> 0"
            ).fetchall()
            for table, check in checks:
                connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT {check}".encode())
            for statement in statements:
                changed = connection.execute(_bytes_as_here(statement).encode()).rowcount
                assert changed > 0, "the test must change something"

    def cut_all(self) -> None:
        """End every connection of the store, and wait until they have ended."""
        self.sql(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE application_name LIKE 'avenue %' AND datname = current_database()"
        )

    def copy(self) -> PostgresPlace:
        return PostgresPlace(self.server, self.server.copy(self.url))


def _bytes_as_here(statement: str) -> str:
    return re.sub(r"\bx'([0-9a-f]*)'", r"'\\x\1'::bytea", statement)
