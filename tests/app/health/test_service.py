"""Ready is between the moment at which the tables stand and the one at which the server begins to stop."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.exc import OperationalError

from app.health.service import Health
from app.store.database import Database
from tests.app.served import Served


class BrokenDatabase(Database):
    """A database that does not answer."""

    def __init__(self) -> None:
        """It needs nothing."""

    @asynccontextmanager
    async def read(self, *, max_ms: int | None = None) -> AsyncIterator[None]:  # type: ignore[override]  # never used
        raise OperationalError("SELECT 1", None, Exception("disk I/O error"))
        yield


async def test_not_before_and_not_after(served: Served) -> None:
    health = Health(served.house.store.database)
    assert not await health.is_ready()
    health.ready()
    assert await health.is_ready()
    health.stopping()
    assert not await health.is_ready()


async def test_not_without_its_database() -> None:
    health = Health(BrokenDatabase())
    health.ready()
    assert not await health.is_ready()
