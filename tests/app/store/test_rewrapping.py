from __future__ import annotations

from base64 import b64encode

import pytest

from app.store.errors import BadSealingKeys, UnreadableEvent
from app.store.keys import KEY_BYTES, ring_of
from app.store.maintenance import upkeep
from app.store.opening import Store, open_store
from app.store.rewrapping import keys_in_use, rewrap
from app.store.sealing import Seals
from engine.table.events import TableId
from tests.app.store.house import SqlTable, add_player
from tests.app.store.places import KEYS, Place
from tests.fakes import VirtualClock

NEW = f"new:{b64encode(b'n' * KEY_BYTES).decode()}"
OLD_ID = KEYS.partition(":")[0]


async def opened(place: Place, keys: str) -> Store:
    return await open_store(place.url, now_ms=VirtualClock().now_ms, sealing_keys=keys)


async def played(place: Place) -> SqlTable:
    store = await opened(place, KEYS)
    table = await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=VirtualClock())
    for name in ("ann", "bob"):
        await table.sit(await add_player(store, name, chips=5_000))
    for _ in range(5):
        await table.play_hand()
    await table.deal()
    await store.close()
    return table


async def test_a_rotation_from_the_old_key_to_the_new(place: Place) -> None:
    """As docs/operations.md has it: the new key before the old one, wrap anew, the old one away."""
    table = await played(place)
    sealed = place.sql("SELECT payload FROM journal WHERE format = 2 ORDER BY seq")
    both = f"{NEW},{KEYS}"
    await (await opened(place, both)).close()
    with upkeep(place.url) as database:
        assert keys_in_use(database) == {OLD_ID: 6}
        assert rewrap(database, Seals(ring_of(both))) == 6
        assert keys_in_use(database) == {"new": 6}
        assert rewrap(database, Seals(ring_of(both))) == 0, "again it finds nothing to do"
    assert place.sql("SELECT payload FROM journal WHERE format = 2 ORDER BY seq") == sealed, "no card was touched"
    with pytest.raises(BadSealingKeys):
        await opened(place, KEYS)
    store = await opened(place, NEW)
    kept = await store.journal.events_after(TableId("t1"), 0, limit=10_000)
    assert [one.event for one in kept] == [event for commit in table.commits for event in commit.events]
    table.journal, table.epoch = store.journal, store.writer.epoch
    await store.journal.load(TableId("t1"))
    while table.state.hand is not None:
        await table.act()
    await table.play_hand()
    await store.close()


async def test_a_key_that_no_given_one_unwraps_stops_it(place: Place) -> None:
    await played(place)
    with upkeep(place.url) as database:
        with pytest.raises(UnreadableEvent) as caught:
            rewrap(database, Seals(ring_of(NEW)))
        assert caught.value.fields == {"reason": "unknown_key", "key": OLD_ID}
        assert keys_in_use(database) == {OLD_ID: 6}


async def test_archived_hands_have_no_key_to_wrap(place: Place) -> None:
    await played(place)
    place.sql("UPDATE hands SET wrapped_key = NULL WHERE number < 4")
    with upkeep(place.url) as database:
        assert rewrap(database, Seals(ring_of(f"{NEW},{KEYS}"))) == 3
