from __future__ import annotations

import pytest
from msgspec.json import encode
from msgspec.structs import replace

from app.store.audit_pages import Difference, Looker
from app.store.audit_play import hands_played, lying_chips, tables_kept
from app.store.keys import ring_of
from app.store.opening import Store
from app.store.sealing import Seals
from engine.rules.events import HandEnded
from engine.table.commands import TopUp
from tests.app.store.house import SqlTable, add_player
from tests.app.store.places import KEYS, Place
from tests.fakes import VirtualClock


async def played(store: Store, clock: VirtualClock, *, hands: int = 3) -> SqlTable:
    """A table after some hands and in the middle of another, to which somebody has added chips."""
    table = await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=clock)
    for name in ("ann", "bob", "cid"):
        await table.sit(await add_player(store, name, chips=9_000), 3_000)
    for _ in range(hands):
        await table.play_hand()
    await table.deal()
    await table.do(TopUp(player=table.state.cast[table.seat("ann")], command_id="more", added_chips=70))
    return table


async def found_by(store: Store, page_rows: int = 5, with_seals: Seals | None = None) -> list[Difference]:
    looker = Looker(store.database, with_seals, page_rows=page_rows)
    return [one for part in (hands_played, tables_kept) async for one in part(looker)]


@pytest.mark.parametrize("page_rows", [1, 2, 7, 1_000])
async def test_all_is_well_at_any_page_and_all_is_counted(store: Store, clock: VirtualClock, page_rows: int) -> None:
    table = await played(store, clock)
    looker = Looker(store.database, None, page_rows=page_rows)
    assert [one for part in (hands_played, tables_kept) async for one in part(looker)] == []
    assert looker.counted == {
        "hands": 4,
        "tables": 1,
        "events": table.state.seq,
        "chips_at_tables": sum(seat.account_chips for seat in table.state.seats.values()),
    }


async def test_in_a_hand_a_seat_has_what_is_behind_and_what_it_put_in(store: Store, clock: VirtualClock) -> None:
    table = await played(store, clock)
    hand = table.state.hand
    assert hand is not None
    while table.state.hand is not None:
        assert lying_chips(table.state) == {seat.player: seat.account_chips for seat in table.state.seats.values()}
        await table.act()
    assert lying_chips(table.state) == {seat.player: seat.account_chips for seat in table.state.seats.values()}


async def test_what_a_hand_s_rows_say_is_what_its_events_say(store: Store, clock: VirtualClock, place: Place) -> None:
    table = await played(store, clock)
    ended = next(event for commit in table.commits for event in commit.events if isinstance(event, HandEnded))
    richer = encode(replace(ended, results=tuple(replace(one, net_chips=one.net_chips + 1) for one in ended.results)))
    last_seq, first_seq = place.sql("SELECT last_seq, first_seq FROM hands WHERE id = 't1-1'")[0]
    for statement, event in (
        ("UPDATE hand_players SET start_chips = 1 WHERE hand_id = 't1-1' AND seat = 1", "first"),
        (f"UPDATE journal SET payload = x'{richer.hex()}' WHERE seq = {last_seq}", "first"),  # noqa: S608
        ("UPDATE hand_players SET start_chips = 3000 WHERE hand_id = 't1-1' AND seat = 1", "last"),
        ("UPDATE hands SET outcome = 'cancelled' WHERE id = 't1-1'", "last"),
        (f"UPDATE journal SET payload = x'7b' WHERE seq = {first_seq}", "unreadable"),  # noqa: S608
    ):
        place.tamper(statement)
        wrong = [one for one in await found_by(store) if one.what == "hand/unlike_the_journal"]
        assert [one.figures for one in wrong] == [{"id": "t1-1", "event": event}], statement


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("DELETE FROM journal WHERE seq = 1", {"table/broken_journal"}),
        ("DELETE FROM journal WHERE seq BETWEEN 9 AND 12", {"table/broken_journal"}),
        (
            "INSERT INTO journal SELECT table_id, seq + 1000, at_ms, format, type, payload FROM journal WHERE seq = 2",
            {"table/broken_journal", "table/unreadable"},
        ),
        ("UPDATE answers SET seq = 100000 WHERE command_id = 'c1'", {"answer/ahead_of_its_table"}),
        ("UPDATE table_heads SET hands = 9", {"table/miscounted_hands"}),
        ("INSERT INTO archives VALUES ('t1', 3, 4, 1, 'x')", {"table/broken_archive"}),
        ("UPDATE hands SET outcome = NULL, ended_ms = NULL WHERE id = 't1-2'", {"table/misplaced_hand"}),
        ("UPDATE table_heads SET running_hand_id = 't1-2'", {"table/misplaced_hand"}),
        ("UPDATE accounts SET balance_chips = 1 WHERE id = 'seat:PLAY:t1:bob'", {"table/seat_unlike_account"}),
        ("UPDATE hand_players SET net_chips = net_chips + 1 WHERE hand_id = 't1-1' AND seat = 1", None),
    ],
)
async def test_a_table_that_was_tampered_with(
    store: Store, clock: VirtualClock, place: Place, statement: str, what: set[str] | None
) -> None:
    await played(store, clock)
    place.tamper(statement)
    found = {one.what for one in await found_by(store)}
    assert found == (what or {"hand/does_not_add_up", "hand/unlike_the_ledger", "hand/unlike_the_journal"})


async def test_a_seat_is_told_with_its_player_and_both_figures(store: Store, clock: VirtualClock, place: Place) -> None:
    table = await played(store, clock)
    chips = table.stack("ann")
    place.tamper("UPDATE accounts SET balance_chips = balance_chips + 3 WHERE id = 'seat:PLAY:t1:ann'")
    figures = {"player": "ann", "seat_chips": chips, "account_chips": chips + 3}
    assert await found_by(store) == [Difference("table/seat_unlike_account", "t1", figures)]


async def test_with_the_keys_a_seal_that_does_not_open_is_found_and_without_them_not(
    store: Store, clock: VirtualClock, place: Place
) -> None:
    table = await played(store, clock)
    first_seq = place.sql("SELECT first_seq FROM hands WHERE id = 't1-4'")[0][0]
    (payload,) = place.sql("SELECT payload FROM journal WHERE seq = ?", first_seq)[0]
    changed = payload[:-1] + bytes([payload[-1] ^ 1])
    place.tamper(f"UPDATE journal SET payload = x'{changed.hex()}' WHERE seq = {first_seq}")  # noqa: S608
    assert await found_by(store) == []
    found = await found_by(store, with_seals=Seals(ring_of(KEYS)))
    assert [(one.what, one.figures["reason"], one.figures["seq"]) for one in found] == [
        ("table/unreadable", "seal_broken", first_seq)
    ]
    assert table.state.hand is not None
    assert table.state.hand.deck[0] not in repr(found)
