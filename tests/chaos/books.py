"""Plain SQL over a database of either kind, beside the server and past all of its code."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Protocol

import psycopg

from tests.chaos.inflight import plain_url


class Books(Protocol):
    """Runs one query after the other; `?` stands for a value."""

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]: ...


class _Sqlite:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, values).fetchall()


class _Postgres:
    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        self._connection = connection

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(query.replace("?", "%s").encode(), values).fetchall()


@contextmanager
def opened(url: str) -> Iterator[Books]:
    """The books of a database, which this connection cannot change."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(f"file:{url.removeprefix('sqlite:///')}?mode=ro", uri=True)) as connection:
            yield _Sqlite(connection)
        return
    with psycopg.connect(plain_url(url), autocommit=True, options="-c default_transaction_read_only=on") as session:
        yield _Postgres(session)
