"""What is still sure of a table: its seats' events and accounts, and no card."""

from __future__ import annotations

import pytest

from app.store.errors import UnreadableEvent
from app.store.opening import Store
from app.store.salvage import SalvagedTable
from engine.rules.cards import DECK
from engine.rules.events import CardDealt, HandStarted
from engine.table.commands import TopUp
from engine.table.errors import StaleOwner
from engine.table.events import TableId, TopUpQueued
from engine.table.recovery import bring_back_seats
from tests.app.store.house import SqlTable, add_player
from tests.app.store.places import Place
from tests.fakes import VirtualClock

CUT = "UPDATE journal SET payload = x'7b' WHERE table_id = 't1' AND type = "


async def in_a_hand(store: Store, clock: VirtualClock) -> SqlTable:
    """A table in its second hand; Ann has topped up meanwhile."""
    ann = await add_player(store, "ann", chips=5_000)
    await add_player(store, "bob", chips=5_000)
    table = await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=clock)
    await table.sit("ann")
    await table.sit("bob")
    await table.play_hand()
    await table.deal()
    await table.do(TopUp(player=ann, command_id="x", added_chips=50))
    return table


async def test_seats_and_their_accounts_are_there_and_no_card(place: Place, store: Store, clock: VirtualClock) -> None:
    table = await in_a_hand(store, clock)
    place.tamper(CUT + "'card_dealt'")
    with pytest.raises(UnreadableEvent):
        await store.journal.load(TableId("t1"))
    kept = await store.journal.salvage(TableId("t1"))
    assert kept.epoch == store.writer.epoch
    assert kept.seat_chips == {seat.player: seat.account_chips for seat in table.state.seats.values()}
    assert [one.seq for one in kept.events][-1] == table.state.seq
    assert [answer.command_id for answer in kept.answers] == [
        commit.answer.command_id for commit in table.commits if commit.answer
    ]
    read = [one.event for one in kept.events if one.event is not None]
    (started,) = [event for event in read if isinstance(event, HandStarted)]
    assert started.deck == ()
    assert not [event for event in read if isinstance(event, CardDealt)]
    assert [event.added_chips for event in read if isinstance(event, TopUpQueued)] == [50]
    assert not [card for card in DECK if card in repr(kept)]
    back = bring_back_seats(kept.checkpoint, kept.events, kept.seat_chips)
    assert (back.void, back.state.seats) == ("journal", table.state.seats)


async def test_a_card_that_can_be_read_is_seen_as_the_public_sees_it(store: Store, clock: VirtualClock) -> None:
    table = await in_a_hand(store, clock)
    kept = await store.journal.salvage(TableId("t1"))
    dealt = [one.event for one in kept.events if isinstance(one.event, CardDealt)]
    assert {event.card for event in dealt if event.face == "down"} == {"??"}
    assert len(kept.events) == table.state.seq - next(one.seq for one in kept.events) + 1


@pytest.mark.parametrize(
    "damage",
    [
        CUT + "'top_up_queued'",
        CUT + "'hand_started' AND seq > 8",
        "UPDATE journal SET type = 'sat_out' WHERE table_id = 't1' AND type = 'top_up_queued'",
        "DELETE FROM journal WHERE table_id = 't1' AND type = 'turn_opened'",
    ],
)
async def test_without_what_is_needed_nothing_is_sure(
    place: Place, store: Store, clock: VirtualClock, damage: str
) -> None:
    await in_a_hand(store, clock)
    place.tamper(damage)
    with pytest.raises(UnreadableEvent) as refused:
        await store.journal.salvage(TableId("t1"))
    assert refused.value.fields["table"] == "t1"


async def test_a_table_of_somebody_elses_is_not_salvaged(place: Place, store: Store, clock: VirtualClock) -> None:
    await in_a_hand(store, clock)
    place.tamper("UPDATE table_heads SET epoch = 99 WHERE table_id = 't1'")
    for table in ("t1", "nowhere"):
        with pytest.raises(StaleOwner):
            await store.journal.salvage(TableId(table))


def test_it_says_nothing_of_what_it_holds() -> None:
    kept = SalvagedTable(TableId("t1"), 1, b"secret", (), (), {})
    assert repr(kept) == "<SalvagedTable t1>"
