from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import Insert, delete, insert, select, text
from sqlalchemy.exc import DBAPIError

from app.store.database import Database
from app.store.opening import Store
from app.store.tables import players, sessions
from engine.limits import MAX_READERS
from engine.table.errors import CommitFailed
from tests.app.store.house import add_player

TOKEN = b"\x07" * 32


@pytest.fixture
async def database(store: Store) -> Database:
    await add_player(store, "ann", chips=0)
    return store.database


def session(token: bytes = TOKEN, player: str = "ann", expires_ms: int = 9) -> Insert:
    return insert(sessions).values(token_sha256=token, player_id=player, created_ms=1, expires_ms=expires_ms)


async def tokens(database: Database) -> list[bytes]:
    async with database.read() as connection:
        return list((await connection.execute(select(sessions.c.token_sha256))).scalars())


async def test_a_write_is_there_when_its_block_has_ended(database: Database) -> None:
    async with database.write() as write:
        await write.execute(session())
        assert await tokens(database) == []
    assert await tokens(database) == [TOKEN]


async def test_statements_of_a_write_are_run_in_order(database: Database) -> None:
    async with database.write() as write:
        await write.execute(session(b"old", expires_ms=3))
        await write.execute(delete(sessions).where(sessions.c.expires_ms <= 5))
        await write.execute(session(b"new"))
    assert await tokens(database) == [b"new"]


async def test_a_block_that_raises_has_written_nothing(database: Database) -> None:
    async def write_and_raise() -> None:
        async with database.write() as write:
            await write.execute(session())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write_and_raise()
    assert await tokens(database) == []


async def test_a_write_that_the_database_refuses_is_refused_whole(database: Database) -> None:
    async def write_both() -> None:
        async with database.write() as write:
            await write.execute(session())
            await write.execute(session(b"other", player="nobody"))

    with pytest.raises(CommitFailed) as caught:
        await write_both()
    assert caught.value.fields == {"reason": "broken", "breach": "foreign_key"}
    assert "nobody" not in repr(caught.value.fields)
    assert await tokens(database) == []


async def test_a_read_writes_nothing(database: Database) -> None:
    async with database.read() as connection:
        with pytest.raises(DBAPIError, match="readonly"):
            await connection.execute(delete(players))


async def test_a_read_is_one_snapshot(database: Database, store: Store) -> None:
    names = select(players.c.name).order_by(players.c.name)
    async with database.read() as connection:
        before = (await connection.execute(names)).scalars().all()
        await add_player(store, "bob", chips=0)
        assert (await connection.execute(names)).scalars().all() == before == ["ann"]
    async with database.read() as connection:
        assert (await connection.execute(names)).scalars().all() == ["ann", "bob"]


async def test_a_read_that_stays_too_long_is_ended(database: Database) -> None:
    with pytest.raises(TimeoutError):
        async with database.read(max_ms=5):
            await asyncio.Event().wait()
    assert await tokens(database) == []


async def test_more_readers_than_connections_wait_for_each_other(database: Database) -> None:
    found = await asyncio.gather(*(tokens(database) for _ in range(MAX_READERS * 5)))
    assert found == [[]] * MAX_READERS * 5


async def test_no_error_shows_the_parameters(database: Database) -> None:
    async with database.read() as connection:
        with pytest.raises(DBAPIError) as caught:
            await connection.execute(text("SELECT * FROM nowhere WHERE token = :token"), {"token": "secret"})
    assert "secret" not in str(caught.value)


async def test_writes_under_load_are_not_starved(database: Database, path: Path, store: Store) -> None:
    """A plain write takes its turn among all others: it does not ask again and again for a lock that others keep."""
    busy = [asyncio.ensure_future(add_player(store, f"p{n}", chips=10)) for n in range(200)]
    async with database.write() as write:
        await write.execute(session())
    assert await tokens(database) == [TOKEN]
    await asyncio.gather(*busy)
