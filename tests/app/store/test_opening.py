from __future__ import annotations

from pathlib import Path

import pytest

from app.store import migrate
from app.store.errors import BadDatabaseUrl, StoreClosed, WrongSchema
from app.store.opening import open_store
from tests.app.store.house import add_player, url_of
from tests.app.store.test_ledger import balances
from tests.fakes import VirtualClock


async def test_what_one_server_kept_the_next_one_finds(path: Path, clock: VirtualClock) -> None:
    for number in (1, 2):
        store = await open_store(url_of(path), now_ms=clock.now_ms)
        assert store.writer.epoch == number
        await add_player(store, f"p{number}", chips=10)
        await store.close()
    assert balances(path) == {"issuer:PLAY": -20, "wallet:PLAY:p1": 10, "wallet:PLAY:p2": 10}


async def test_a_closed_store_takes_nothing(path: Path, clock: VirtualClock) -> None:
    store = await open_store(url_of(path), now_ms=clock.now_ms)
    await store.close()
    with pytest.raises(StoreClosed):
        await add_player(store, "ann", chips=10)


async def test_a_database_of_another_version_is_left_alone(path: Path, clock: VirtualClock) -> None:
    migrate.downgrade(url_of(path), revision="base")
    with pytest.raises(WrongSchema) as caught:
        await open_store(url_of(path), now_ms=clock.now_ms)
    assert caught.value.fields == {"found": None, "wanted": migrate.head()}


async def test_what_is_no_file_is_refused(clock: VirtualClock) -> None:
    with pytest.raises(BadDatabaseUrl):
        await open_store("sqlite://", now_ms=clock.now_ms)
