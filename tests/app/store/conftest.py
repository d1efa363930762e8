"""What the store's tests share: an empty database of this version, a clock that only tests move, an opened store.

What asks for `place` runs over SQLite and over PostgreSQL; what asks for `path` is about SQLite alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.store.opening import Store
from tests.app.store.house import Template
from tests.app.store.places import Place, PostgresPlace, SqlitePlace
from tests.fakes import VirtualClock
from tests.postgres import PostgresServer


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return Template(tmp_path_factory.mktemp("template"))


@pytest.fixture
def path(template: Template, tmp_path: Path) -> Path:
    """The file of an empty database with this version's schema."""
    return template.copy(tmp_path / "avenue.db")


@pytest.fixture
def on_postgres(postgres: PostgresServer) -> Iterator[PostgresPlace]:
    """An empty database of PostgreSQL with this version's schema."""
    url = postgres.database()
    yield PostgresPlace(postgres, url)
    postgres.drop(url)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest) -> Place:
    """An empty database with this version's schema, of either kind."""
    if request.param == "sqlite":
        return SqlitePlace(request.getfixturevalue("path"))
    found: PostgresPlace = request.getfixturevalue("on_postgres")
    return found


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
async def store(place: Place, clock: VirtualClock) -> AsyncIterator[Store]:
    opened = await place.open(clock)
    yield opened
    await opened.close()
