"""Opens all that there is in SQL for one server, in the order in which it stands on each other."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from app.store.bank import Bank
from app.store.database import Database
from app.store.journal import SqlJournal
from app.store.migrate import check
from app.store.unlocking import unlock
from app.store.urls import place_of
from app.store.writer import BatchWriter, PostgresWriter, SqliteWriter
from engine.deal.shuffle import Entropy


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """An opened database. Watch `writer.wait_ended`: without its writer a server must stop."""

    database: Database
    writer: BatchWriter
    journal: SqlJournal
    bank: Bank

    async def close(self) -> None:
        """Write what waits and let the database go. Nothing may be asked of it any more."""
        await self.writer.close()
        await self.database.close()


async def open_store(
    url: str, *, now_ms: Callable[[], int], sealing_keys: str | None = None, entropy: Entropy = os.urandom
) -> Store:
    """Open a database that has this version's schema (see `app/store/migrate.py`) and take it for this process.

    `sealing_keys` is the text of a ring (`app/store/keys.py`); without it the keys lie beside a SQLite file. Keys of
    hands and nonces come from `entropy`.

    Raises `BadDatabaseUrl`, `WrongSchema`, `StoreInUse` if another server has it, `StoreUnsafe`, `StoreUnreachable`,
    `BadSealingKeys`.
    """
    place = place_of(url)
    await asyncio.to_thread(check, url)
    writer = writer_of(place, now_ms=now_ms)
    await writer.start()
    database = Database(place, writer)
    beside = place if isinstance(place, Path) else None
    try:
        async with database.read() as connection:
            seals = await unlock(connection, keys=sealing_keys, beside=beside, entropy=entropy)
    except BaseException:
        await writer.close()
        await database.close()
        raise
    return Store(
        database=database,
        writer=writer,
        journal=SqlJournal(writer, database, seals),
        bank=Bank(writer, database, now_ms=now_ms),
    )


def writer_of(place: Path | URL, *, now_ms: Callable[[], int]) -> BatchWriter:
    """The writer for a place, not started yet."""
    return SqliteWriter(place, now_ms=now_ms) if isinstance(place, Path) else PostgresWriter(place, now_ms=now_ms)
