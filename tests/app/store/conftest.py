"""What the store's tests share: an empty database of this version, a clock that only tests move, an opened store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.store.opening import Store, open_store
from tests.app.store.house import Template, url_of
from tests.fakes import VirtualClock


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return Template(tmp_path_factory.mktemp("template"))


@pytest.fixture
def path(template: Template, tmp_path: Path) -> Path:
    """The file of an empty database with this version's schema."""
    return template.copy(tmp_path / "avenue.db")


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
async def store(path: Path, clock: VirtualClock) -> AsyncIterator[Store]:
    opened = await open_store(url_of(path), now_ms=clock.now_ms)
    yield opened
    await opened.close()
