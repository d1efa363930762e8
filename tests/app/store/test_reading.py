from __future__ import annotations

import random

import msgspec
import pytest

from app.store.errors import UnreadableEvent
from app.store.journal import SqlJournal, StoredTable
from app.store.opening import Store
from app.store.reading import running_key
from engine.rules.events import CardBurnt, HandId, HandStarted
from engine.table.commands import Act
from engine.table.errors import StaleOwner
from engine.table.events import TableId
from engine.table.recovery import recover
from tests.app.store.house import SqlTable, add_player, seals
from tests.app.store.places import Place
from tests.fakes import VirtualClock
from tests.golden.playing import staying


async def seated(store: Store, clock: VirtualClock, *, seed: int = 7) -> SqlTable:
    table = await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=clock, seed=seed)
    for name in ("ann", "bob", "cid"):
        await table.sit(await add_player(store, name, chips=5_000))
    return table


def events_of(table: SqlTable) -> list[object]:
    return [event for commit in table.commits for event in commit.events]


async def stay(table: SqlTable) -> None:
    """Let whoever is asked call or check, so that the hand goes on to its last street."""
    (turn,) = table.state.turns.values()
    assert table.state.hand is not None
    await table.do(
        Act(
            player=table.state.cast[turn.seat],
            command_id=table.id(),
            hand=table.state.hand.hand,
            turn=turn.turn,
            action=staying(random.Random(0), [option.action for option in turn.options]),
        )
    )


async def test_any_range_is_read_wherever_it_begins(store: Store, clock: VirtualClock) -> None:
    table = await seated(store, clock)
    for _ in range(6):
        await table.play_hand()
    everything = events_of(table)
    for seq in range(0, len(everything), 3):
        kept = await store.journal.events_after(table.state.table, seq, limit=40)
        assert [one.event for one in kept] == everything[seq : seq + 40], seq


async def test_a_table_that_is_loaded_seals_on_with_the_hand_s_own_key(store: Store, clock: VirtualClock) -> None:
    table = await seated(store, clock)
    await table.deal()
    hand = table.state.hand
    assert hand is not None
    async with store.database.read() as connection:
        before = await running_key(connection, HandId(hand.hand))
    kept = await store.journal.load(table.state.table)
    assert recover(kept.checkpoint, kept.events).hand == hand
    while table.state.hand is not None:
        await table.act()
    async with store.database.read() as connection:
        assert await running_key(connection, HandId(hand.hand)) == before
    assert [one.event for one in await store.journal.hand_events(HandId(hand.hand))] == events_of(table)[4:]


async def test_a_seal_that_is_not_at_hand_any_more_is_fetched(store: Store, clock: VirtualClock) -> None:
    """Another journal over the same database knows nothing of the running hand, and asks SQL for its key."""
    table = await seated(store, clock)
    await table.deal()
    store_seals = store.journal._seals  # noqa: SLF001 - as if other tables had taken its place
    while table.state.hand is not None:
        store_seals.forget(table.state.table)
        await stay(table)
    assert sum(isinstance(event, CardBurnt) for event in events_of(table)) == 4
    kept = await store.journal.events_after(table.state.table, 0, limit=10_000)
    assert [one.event for one in kept] == events_of(table)


async def test_a_hand_that_began_before_cards_were_sealed_gets_a_key_for_the_rest(
    store: Store, clock: VirtualClock, place: Place
) -> None:
    table = await seated(store, clock)
    await table.deal()
    hand = table.state.hand
    assert hand is not None
    # The rows of the hand so far become what the first version wrote.
    place.tamper(
        "UPDATE hands SET key_id = NULL, wrapped_key = NULL",
        *(
            f"UPDATE journal SET format = 1, payload = x'{msgspec.json.encode(event).hex()}' WHERE seq = {seq}"  # noqa: S608
            for seq, event in enumerate(events_of(table), start=1)
        ),
    )
    kept = await store.journal.load(table.state.table)
    assert recover(kept.checkpoint, kept.events).hand == hand
    while table.state.hand is not None:
        await stay(table)
    assert [one.event for one in await store.journal.hand_events(HandId(hand.hand))] == events_of(table)[4:]
    async with store.database.read() as connected:
        assert await running_key(connected, HandId(hand.hand)) is not None


async def test_without_the_right_keys_a_journal_is_not_read(store: Store, clock: VirtualClock) -> None:
    table = await seated(store, clock)
    await table.deal()
    other = SqlJournal(store.writer, store.database, seals())
    with pytest.raises(UnreadableEvent) as caught:
        await other.load(table.state.table)
    assert caught.value.fields["reason"] == "unknown_key"
    started = next(event for event in events_of(table) if isinstance(event, HandStarted))
    assert started.deck[0] not in str(caught.value.fields)


async def test_tables_are_taken_over_together_and_a_broken_one_is_told_alone(
    store: Store, clock: VirtualClock, place: Place
) -> None:
    tables = [
        await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=clock, seed=number, table=f"t{number}")
        for number in range(1, 6)
    ]
    for number, table in enumerate(tables):
        for name in ("ann", "bob"):
            await table.sit(await add_player(store, f"{name}{number}", chips=5_000))
        await table.play_hand()
        await table.deal()
    ids = [table.state.table for table in tables]
    place.tamper("UPDATE journal SET payload = x'7b' WHERE table_id = 't3' AND type = 'hand_started'")
    found = await store.journal.load_many([*ids, TableId("none")])
    assert list(found) == [*ids, "none"]
    assert isinstance(found[TableId("none")], StaleOwner)
    for table in tables:
        kept = found[table.state.table]
        if table.state.table == "t3":
            assert isinstance(kept, UnreadableEvent)
            assert kept.fields["table"] == "t3"
            continue
        assert isinstance(kept, StoredTable)
        assert kept == await store.journal.load(table.state.table)
        assert recover(kept.checkpoint, kept.events).hand == table.state.hand
        assert [answer.seq for answer in kept.answers] == sorted(answer.seq for answer in kept.answers)
        await table.act()
