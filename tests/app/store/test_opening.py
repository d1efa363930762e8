from __future__ import annotations

import pytest

from app.store import migrate
from app.store.errors import BadDatabaseUrl, BadSealingKeys, StoreClosed, StoreUnreachable, WrongSchema
from app.store.opening import open_store
from tests.app.store.house import add_player
from tests.app.store.places import Place, PostgresPlace
from tests.fakes import VirtualClock


async def test_what_one_server_kept_the_next_one_finds(place: Place, clock: VirtualClock) -> None:
    for number in (1, 2):
        store = await place.open(clock)
        assert store.writer.epoch == number
        await add_player(store, f"p{number}", chips=10)
        await store.close()
    assert place.balances() == {"issuer:PLAY": -20, "wallet:PLAY:p1": 10, "wallet:PLAY:p2": 10}


async def test_a_closed_store_takes_nothing(place: Place, clock: VirtualClock) -> None:
    store = await place.open(clock)
    await store.close()
    with pytest.raises(StoreClosed):
        await add_player(store, "ann", chips=10)


async def test_a_database_of_another_version_is_left_alone(place: Place, clock: VirtualClock) -> None:
    migrate.downgrade(place.url, revision="base")
    with pytest.raises(WrongSchema) as caught:
        await place.open(clock)
    assert caught.value.fields == {"found": None, "wanted": migrate.head()}


async def test_a_server_without_a_file_has_no_place_for_keys_of_its_own(
    on_postgres: PostgresPlace, clock: VirtualClock
) -> None:
    with pytest.raises(BadSealingKeys) as caught:
        await open_store(on_postgres.url, now_ms=clock.now_ms)
    assert caught.value.fields["reason"] == "none"
    store = await on_postgres.open(clock)
    assert store.writer.epoch == 2, "and it let the database go"
    await store.close()


async def test_a_server_that_is_not_there_is_told(clock: VirtualClock) -> None:
    with pytest.raises(StoreUnreachable):
        await open_store("postgresql://ann@127.0.0.1:1/avenue", now_ms=clock.now_ms)


async def test_what_is_no_file_is_refused(clock: VirtualClock) -> None:
    with pytest.raises(BadDatabaseUrl):
        await open_store("sqlite://", now_ms=clock.now_ms)
