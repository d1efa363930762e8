from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import Insert, delete, func, insert, select, text
from sqlalchemy.exc import DBAPIError

from app.store.database import Database
from app.store.opening import Store
from app.store.tables import accounts, players, sessions
from engine.limits import MAX_CHIPS, MAX_READ_MS, MAX_READERS
from engine.table.errors import CommitFailed
from tests.app.store.house import add_player
from tests.app.store.places import Place, PostgresPlace
from tests.fakes import VirtualClock

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
        with pytest.raises(DBAPIError, match=r"readonly|read-only"):
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


async def test_writes_under_load_are_not_starved(database: Database, store: Store) -> None:
    """A plain write takes its turn among all others: it does not ask again and again for a lock that others keep."""
    busy = [asyncio.ensure_future(add_player(store, f"p{n}", chips=10)) for n in range(200)]
    async with database.write() as write:
        await write.execute(session())
    assert await tokens(database) == [TOKEN]
    await asyncio.gather(*busy)


async def test_sums_of_whole_numbers_are_whole_on_either_database(database: Database, store: Store) -> None:
    await add_player(store, "bob", chips=MAX_CHIPS)
    async with database.read() as connection:
        query = select(func.sum(accounts.c.balance_chips), func.count(), func.max(accounts.c.balance_chips))
        total, number, most = (await connection.execute(query)).one()
    assert (total, number, most) == (0, 2, MAX_CHIPS)
    assert [type(one) for one in (total, number, most)] == [int, int, int]


async def test_bytes_and_numbers_come_back_as_they_went(database: Database) -> None:
    data = bytes(range(256))
    async with database.write() as write:
        await write.execute(session(data, expires_ms=2**63 - 1))
    async with database.read() as connection:
        query = select(sessions.c.token_sha256, sessions.c.expires_ms)
        ((token, expires_ms),) = (await connection.execute(query)).all()
    assert (token, expires_ms) == (data, 2**63 - 1)
    assert (type(token), type(expires_ms)) == (bytes, int)


async def test_text_is_ordered_by_its_bytes(database: Database, place: Place) -> None:
    """Another order would page differently, and give two names that differ in an accent the same place."""
    words = ["a", "B", "b", "é", "e", "Z", "z", "_", "-", "10", "9", "ß", "ss", "A", "\u212b", "å"]
    for word in words:
        place.sql(
            "INSERT INTO players (id, kind, name, name_key, created_ms) VALUES (?, 'person', 'x', ?, 1)", word, word
        )
    async with database.read() as connection:
        query = select(players.c.id).where(players.c.id != "ann").order_by(players.c.id)
        found = list((await connection.execute(query)).scalars())
        above = select(players.c.id).where(players.c.id > "Z", players.c.id != "ann").order_by(players.c.id)
        rest = list((await connection.execute(above)).scalars())
    assert found == sorted(words, key=str.encode)
    assert rest == [word for word in found if word.encode() > b"Z"]


async def test_a_statement_may_hold_a_list(database: Database) -> None:
    async with database.write() as write:
        for number in range(3):
            await write.execute(session(b"%d" % number, expires_ms=number))
        await write.execute(delete(sessions).where(sessions.c.expires_ms.in_([0, 2]), sessions.c.player_id == "ann"))
    assert await tokens(database) == [b"1"]


async def test_a_read_whose_connection_was_cut_is_followed_by_one_that_works(on_postgres: PostgresPlace) -> None:
    store = await on_postgres.open(VirtualClock())
    try:
        assert await tokens(store.database) == []
        on_postgres.sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'avenue %'"
        )
        assert await tokens(store.database) == []
    finally:
        await store.close()


async def test_a_read_that_is_given_up_leaves_nothing_open(on_postgres: PostgresPlace) -> None:
    store = await on_postgres.open(VirtualClock())
    try:
        with pytest.raises(TimeoutError):
            async with store.database.read(max_ms=100) as connection:
                await connection.execute(text("SELECT pg_sleep(30)"))
        assert await tokens(store.database) == []
        running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(30)'"
        assert on_postgres.sql(running) == [(0,)]
    finally:
        await store.close()


async def test_an_audit_has_no_limit_and_every_other_read_has_one(on_postgres: PostgresPlace) -> None:
    store = await on_postgres.open(VirtualClock())
    try:
        for max_ms, wanted in ((MAX_READ_MS, f"{MAX_READ_MS // 1_000}s"), (None, "0"), (MAX_READ_MS, "10s")):
            async with store.database.read(max_ms=max_ms) as connection:
                found = (await connection.execute(text("SHOW statement_timeout"))).scalar_one()
            assert found == wanted
    finally:
        await store.close()
