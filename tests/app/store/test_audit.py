from __future__ import annotations

import pytest

from app.store.audit import Difference, audit
from app.store.opening import Store
from tests.app.store.house import SqlTable, Template, add_player
from tests.app.store.places import Place, PostgresPlace, SqlitePlace
from tests.fakes import VirtualClock
from tests.postgres import PostgresServer

CHIPS = 10_000


async def differences(store: Store, *, page_rows: int = 3) -> list[Difference]:
    """What an audit finds, also over the seams of small pages."""
    return list((await audit(store.database, page_rows=page_rows)).differences)


async def played(store: Store, clock: VirtualClock) -> list[SqlTable]:
    """Two tables after some hands, one of them in the middle of another; somebody has come and gone."""
    for player in ("ann", "bob", "cid"):
        await add_player(store, player, chips=CHIPS)
    tables = []
    for number in (1, 2):
        table = await SqlTable.open(
            store.journal, epoch=store.writer.epoch, clock=clock, table=f"t{number}", seed=number
        )
        for player in ("ann", "bob", "cid"):
            await table.sit(player, 2_000)
        for _ in range(3):
            await table.play_hand()
        tables.append(table)
    await tables[0].stand_up("cid")
    await tables[1].deal()
    await tables[1].act()
    return tables


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
async def played_in(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A database of a room that has played, made once; take a copy."""
    place: Place
    if request.param == "sqlite":
        template: Template = request.getfixturevalue("template")
        place = SqlitePlace(template.copy(tmp_path_factory.mktemp("played") / "played.db"))
    else:
        server: PostgresServer = request.getfixturevalue("postgres")
        place = PostgresPlace(server, server.database())
    clock = VirtualClock()
    store = await place.open(clock)
    await played(store, clock)
    await store.close()
    return place


async def differences_in(place: Place) -> list[Difference]:
    store = await place.open(VirtualClock())
    try:
        return await differences(store)
    finally:
        await store.close()


async def test_an_empty_database_is_in_order(store: Store) -> None:
    assert await differences(store) == []


async def test_a_room_that_plays_is_in_order_at_any_moment(store: Store, clock: VirtualClock) -> None:
    tables = await played(store, clock)
    assert await differences(store) == []
    while tables[1].state.hand is not None:
        await tables[1].act()
        assert await differences(store) == []


FORGED = (
    "INSERT INTO transfers VALUES ('forged', 'grant', 'PLAY', '', 1)",
    "INSERT INTO entries SELECT 'forged', 1, id, 'PLAY', 5, entries + 1, balance_chips + 5 FROM accounts "
    "WHERE id = 'wallet:PLAY:ann'",
    "UPDATE accounts SET balance_chips = balance_chips + 5, entries = entries + 1 WHERE id = 'wallet:PLAY:ann'",
)


@pytest.mark.parametrize(
    ("what", "statements"),
    [
        ("transfer/unbalanced", FORGED),
        ("transfer/unbalanced", ("DELETE FROM entries WHERE transfer_id = 'grant:ann'",)),
        ("account/wrong_balance", ("UPDATE accounts SET balance_chips = 1 WHERE id = 'wallet:PLAY:ann'",)),
        ("account/wrong_balance", ("DELETE FROM entries WHERE transfer_id = 'grant:ann' AND line = 2",)),
        ("account/wrong_running_balance", ("UPDATE entries SET balance_after_chips = 0 WHERE number = 2",)),
        ("entry/crosses_currencies", ("UPDATE entries SET currency = 'EUR' WHERE number = 1",)),
        ("account/below_floor", ("UPDATE accounts SET balance_chips = -1 WHERE kind = 'seat'",)),
        ("hand/does_not_add_up", ("UPDATE hands SET rake_chips = rake_chips + 1 WHERE outcome = 'ended'",)),
        (
            "hand/does_not_add_up",
            ("UPDATE hand_players SET net_chips = NULL WHERE hand_id = 't1-1' AND seat = 1",),
        ),
        ("hand/unlike_the_ledger", ("UPDATE hand_players SET net_chips = -net_chips WHERE hand_id = 't1-1'",)),
        ("hand/unlike_the_ledger", ("UPDATE transfers SET reference = 't1-9' WHERE reference = 't1-1'",)),
        ("table/broken_journal", ("DELETE FROM journal WHERE seq = 3 AND table_id = 't1'",)),
        ("table/broken_journal", ("UPDATE table_heads SET last_seq = last_seq + 1 WHERE table_id = 't1'",)),
        ("table/misplaced_hand", ("UPDATE table_heads SET running_hand_id = NULL WHERE table_id = 't2'",)),
        ("table/misplaced_hand", ("UPDATE table_heads SET running_hand_id = 't1-1' WHERE table_id = 't1'",)),
        (
            "table/unreadable",
            ("UPDATE journal SET payload = x'7b' WHERE table_id = 't2' AND type = 'hand_started'",),
        ),
        ("table/unreadable", ("UPDATE checkpoints SET state = x'7b' WHERE table_id = 't1'",)),
        (
            "table/seat_unlike_account",
            ("UPDATE accounts SET balance_chips = balance_chips + 1 WHERE id = 'seat:PLAY:t1:ann'",),
        ),
        (
            "table/seat_unlike_account",
            ("UPDATE accounts SET balance_chips = 7 WHERE id = 'seat:PLAY:t1:cid'",),
        ),
    ],
)
async def test_whatever_was_tampered_with_is_found(played_in: Place, what: str, statements: tuple[str, ...]) -> None:
    place = played_in.copy()
    place.tamper(*statements)
    found = await differences_in(place)
    assert what in {difference.what for difference in found}, found


async def test_a_difference_says_where_and_how_much(store: Store, clock: VirtualClock, place: Place) -> None:
    await add_player(store, "ann", chips=50)
    place.tamper("UPDATE accounts SET balance_chips = 51 WHERE id = 'wallet:PLAY:ann'")
    found = await differences(store)
    assert [one.what for one in found] == ["account/wrong_balance", "currency/does_not_sum_to_zero"]
    assert found[:1] == [
        Difference(
            what="account/wrong_balance",
            where="wallet:PLAY:ann",
            figures={
                "id": "wallet:PLAY:ann",
                "balance_chips": 51,
                "entries_chips": 50,
                "entries": 1,
                "counted": 1,
            },
        )
    ]


async def test_what_cannot_be_read_is_told_without_what_it_holds(
    store: Store, clock: VirtualClock, place: Place
) -> None:
    await played(store, clock)
    broken = b'{"card": "As"'.hex()
    place.tamper(f"UPDATE journal SET payload = x'{broken}' WHERE table_id = 't2'")  # noqa: S608
    found = await differences(store)
    assert any(difference.what == "table/unreadable" for difference in found)
    assert "As" not in repr(found)
