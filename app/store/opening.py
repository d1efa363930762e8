"""Opens all that there is in SQL for one server, in the order in which it stands on each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from app.store.bank import Bank
from app.store.database import Database
from app.store.journal import SqlJournal
from app.store.migrate import check
from app.store.urls import sqlite_path
from app.store.writer import SqliteWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """An opened database. Watch `writer.wait_ended`: without its writer a server must stop."""

    database: Database
    writer: SqliteWriter
    journal: SqlJournal
    bank: Bank

    async def close(self) -> None:
        """Write what waits and let the database go. Nothing may be asked of it any more."""
        await self.writer.close()
        await self.database.close()


async def open_store(url: str, *, now_ms: Callable[[], int]) -> Store:
    """Open a database that has this version's schema (see `app/store/migrate.py`) and take it for this process.

    Raises `BadDatabaseUrl`, `WrongSchema`, `StoreInUse` if another server has it, `StoreUnsafe`.
    """
    path = sqlite_path(url)
    await asyncio.to_thread(check, url)
    writer = SqliteWriter(path, now_ms=now_ms)
    await writer.start()
    database = Database(path, writer)
    return Store(
        database=database,
        writer=writer,
        journal=SqlJournal(writer, database),
        bank=Bank(writer, database, now_ms=now_ms),
    )
