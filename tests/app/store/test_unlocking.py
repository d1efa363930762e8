from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.store.errors import BadSealingKeys
from app.store.keys import key_path, new_key, ring_beside
from app.store.opening import Store, open_store
from app.store.unlocking import unlock, unlock_to_read
from tests.app.store.house import SqlTable, add_player, url_of
from tests.fakes import VirtualClock


async def opened(path: Path, keys: str | None = None) -> Store:
    return await open_store(url_of(path), now_ms=VirtualClock().now_ms, sealing_keys=keys)


async def play(store: Store) -> None:
    clock = VirtualClock()
    table = await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=clock)
    for name in ("ann", "bob"):
        await table.sit(await add_player(store, name, chips=5_000))
    await table.play_hand()
    await store.close()


async def test_a_key_is_made_beside_a_new_database_and_found_again(path: Path) -> None:
    await play(await opened(path))
    text = key_path(path).read_text()
    await (await opened(path)).close()
    assert key_path(path).read_text() == text


async def test_keys_that_are_given_are_the_ones_and_none_is_made(path: Path) -> None:
    keys = new_key()
    await play(await opened(path, keys))
    assert not key_path(path).exists()
    await (await opened(path, f"{new_key()},{keys}")).close()


async def test_a_server_without_a_file_beside_it_wants_a_key(path: Path) -> None:
    store = await opened(path)
    async with store.database.read() as connection:
        with pytest.raises(BadSealingKeys) as caught:
            await unlock(connection, keys=None, beside=None)
    assert str(caught.value) == (
        "there is no sealing key: make one with `avenue keys new` and give it as AVENUE_SEALING_KEYS"
    )
    await store.close()


async def test_where_hands_are_sealed_a_lost_key_is_told_and_no_other_is_made(path: Path) -> None:
    await play(await opened(path))
    key_path(path).unlink()
    with pytest.raises(BadSealingKeys) as caught:
        await opened(path)
    assert caught.value.fields["reason"] == "lost"
    assert not key_path(path).exists()


async def test_keys_of_another_database_are_refused(path: Path, tmp_path: Path) -> None:
    await play(await opened(path))
    ring = ring_beside(path)
    assert ring is not None
    for keys, reason in ((new_key(), "unknown"), (f"{ring.current}:{new_key().partition(':')[2]}", "not_this")):
        with pytest.raises(BadSealingKeys) as caught:
            await opened(path, keys)
        assert caught.value.fields == {"reason": reason, "key": ring.current}
        assert keys.partition(":")[2] not in str(caught.value)


async def test_a_refused_start_gives_the_database_back(path: Path) -> None:
    await play(await opened(path))
    key_path(path).chmod(0o644)
    with pytest.raises(BadSealingKeys):
        await opened(path)
    key_path(path).chmod(0o600)
    await (await opened(path)).close()


async def test_who_only_reads_makes_no_key(path: Path, tmp_path: Path) -> None:
    store = await opened(path)
    other = tmp_path / "elsewhere" / "copy.db"
    other.parent.mkdir()
    shutil.copyfile(path, other)
    async with store.database.read() as connection:
        with pytest.raises(BadSealingKeys):
            await unlock_to_read(connection, keys=None, beside=other)
    assert not key_path(other).exists()
    await store.close()
