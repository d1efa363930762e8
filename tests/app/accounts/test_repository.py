"""What accounts keep in SQL besides the player's own row."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from app.accounts.repository import AccountRepository
from app.store import migrate
from app.store.bank import NewPlayer
from app.store.database import Database
from app.store.opening import open_store
from engine.rules.events import PlayerId

ADA = PlayerId("p_ada")


@pytest.mark.parametrize("keep", [0, 2])
async def test_sessions_are_kept_up_to_a_bound_and_dropped_when_they_run_out(tmp_path: Path, keep: int) -> None:
    url = f"sqlite:///{tmp_path}/avenue.db"
    migrate.upgrade(url)
    store = await open_store(url, now_ms=lambda: 0)
    repository = AccountRepository(store.database)
    new = NewPlayer(
        id=ADA, kind="person", name="Ada", name_key="ada", password_hash="h", created_ms=0, of_age_word_ms=0
    )
    await store.bank.register(new, grant_chips=5)
    tokens = [bytes([number]) * 32 for number in range(5)]
    for number, token in enumerate(tokens):
        await repository.add_session(ADA, token, created_ms=number, expires_ms=100 + number, keep=keep)
    alive = [await repository.player_of_session(token, now_ms=50) is not None for token in tokens]
    assert alive == [number >= 4 - keep for number in range(5)]
    assert await repository.player_of_session(tokens[4], now_ms=103) == (ADA, "Ada", "person")
    assert await repository.player_of_session(tokens[4], now_ms=104) is None
    await repository.end_session(tokens[4])
    assert await repository.player_of_session(tokens[4], now_ms=50) is None
    await store.close()


async def test_nobody_has_no_login(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/avenue.db"
    migrate.upgrade(url)
    store = await open_store(url, now_ms=lambda: 0)
    assert await AccountRepository(store.database).login("nobody") is None
    await store.close()


class CountingDatabase:
    """Reads through another database, and counts; fails while it is told to."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.reads = 0
        self.fails = False

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        self.reads += 1
        if self.fails:
            raise TimeoutError
        async with self._database.read() as connection:
            yield connection


async def test_all_who_come_back_at_once_share_a_read(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/avenue.db"
    migrate.upgrade(url)
    store = await open_store(url, now_ms=lambda: 0)
    counting = CountingDatabase(store.database)
    repository = AccountRepository(counting)  # type: ignore[arg-type]  # it only reads here
    for number in range(4):
        new = NewPlayer(
            id=PlayerId(f"p{number}"), kind="person", name=f"Ada{number}", name_key=f"ada{number}",
            password_hash="h", created_ms=0, of_age_word_ms=0,
        )  # fmt: skip
        await store.bank.register(new, grant_chips=5)
        await AccountRepository(store.database).add_session(
            new.id, bytes([number]) * 32, created_ms=0, expires_ms=100, keep=0
        )
    tokens = [bytes([number % 5]) * 32 for number in range(200)]
    asked = [asyncio.create_task(repository.player_of_session(token, now_ms=50)) for token in tokens]
    await asyncio.sleep(0)
    asked[7].cancel()
    late = asyncio.create_task(repository.player_of_session(tokens[0], now_ms=100))
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(found.pop(7), asyncio.CancelledError)
    del tokens[7]
    assert [one and one.id for one in found] == [None if token[0] == 4 else f"p{token[0]}" for token in tokens]  # type: ignore[union-attr]  # no other is an exception
    assert await late is None
    assert counting.reads <= 2
    counting.fails = True
    told = await asyncio.gather(
        *(repository.player_of_session(token, now_ms=50) for token in tokens[:5]), return_exceptions=True
    )
    assert [type(one) for one in told] == [TimeoutError] * 5
    counting.fails = False
    assert await repository.player_of_session(tokens[1], now_ms=50) == ("p1", "Ada1", "person")
    await store.close()
