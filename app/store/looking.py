"""Opens a database to look at it, beside a server or without one. Nothing can be written through it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.store.database import Database
from app.store.errors import StoreClosed
from app.store.migrate import check
from app.store.urls import place_of
from app.store.writes import Write


class NoWriter:
    """Stands where a server has its writer."""

    @property
    def epoch(self) -> int:
        return 0

    async def write(self, write: Write) -> None:
        raise StoreClosed


@asynccontextmanager
async def look(url: str) -> AsyncIterator[Database]:
    """A database that has this version's schema, for reading. Raises `BadDatabaseUrl`, `WrongSchema`."""
    place = place_of(url)
    await asyncio.to_thread(check, url)
    database = Database(place, NoWriter())
    try:
        yield database
    finally:
        await database.close()
