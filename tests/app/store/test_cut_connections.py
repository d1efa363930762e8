"""PostgreSQL under a server that plays: connections cut at any moment, a server that dies, a second writer beside."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.store import postgres_batches
from app.store.ledger import Account, transfer_steps
from app.store.opening import Store
from app.store.postgres_sessions import Patience
from app.store.tables import PLAY
from app.store.urls import place_of
from app.store.writer import BatchWriter, PostgresWriter
from app.store.writes import Write
from engine.rules.events import PlayerId
from engine.table.errors import CommitFailed, CommitRefused, StaleOwner
from tests.app.store.cuts import Cuts
from tests.app.store.house import SqlTable, add_player
from tests.app.store.journal_contract import fingerprint
from tests.app.store.places import PostgresPlace
from tests.app.store.small_writes import add
from tests.app.store.test_ledger import RAKE, transfer, wallet
from tests.fakes import VirtualClock


@pytest.fixture
def place(on_postgres: PostgresPlace) -> PostgresPlace:
    return on_postgres


@asynccontextmanager
async def writing(place: PostgresPlace, **fields: Any) -> AsyncIterator[BatchWriter]:
    url = place_of(place.url)
    assert isinstance(url, URL)
    writer = PostgresWriter(url, now_ms=VirtualClock().now_ms, **fields)
    await writer.start()
    try:
        yield writer
    finally:
        await writer.close()


CUT = """
    SELECT count(pg_terminate_backend(l.pid)) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE l.locktype = 'advisory' AND l.granted AND d.datname = %s
"""


class Cutter:
    """Cuts the writer's connection again and again, each time some writes and a moment after the last cut."""

    def __init__(self, place: PostgresPlace, dice: random.Random) -> None:
        self._place = place
        self._dice = dice
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.stood = 0
        self.cuts = 0

    def __enter__(self) -> Cutter:
        self._thread.start()
        return self

    def __exit__(self, *about: object) -> None:
        self._over.set()
        self._thread.join(30)

    def _work(self) -> None:
        with psycopg.connect(self._place.server.url, autocommit=True) as connection:
            cut_at = 0
            while not self._over.wait(self._dice.uniform(0.0, 0.003)):
                if self.stood < cut_at:
                    continue
                cut = connection.execute(CUT, [self._place.url.rpartition("/")[2]]).fetchone()
                assert cut is not None
                self.cuts += cut[0]
                cut_at = self.stood + self._dice.randint(1, 15)


@pytest.mark.parametrize("seed", [1, 2])
async def test_what_was_told_is_what_stands_wherever_the_connection_is_cut(place: PostgresPlace, seed: int) -> None:
    """500 transfers of one chip each: who was told that his stands finds it once, who was told that it failed never."""
    async with writing(place) as writer:
        await writer.write(Write("players", add("ann").steps))
        await writer.write(Write("grant", transfer_steps(granted("ann", 10_000), at_ms=1)))

        async def spend(number: int) -> bool:
            steps = transfer_steps(transfer((wallet(PlayerId("ann")), -1), (RAKE, 1), id=f"x{number}"), at_ms=1)
            try:
                await writer.write(Write(f"x{number}", steps))
            except CommitFailed:
                return False
            cutter.stood += 1
            return True

        told: dict[str, bool] = {}
        dice = random.Random(seed)
        with Cutter(place, random.Random(seed)) as cutter:
            number = 0
            while number < 500:
                some = range(number, min(500, number + dice.randint(1, 12)))
                number = some.stop
                found = await asyncio.gather(*(spend(one) for one in some))
                told |= {f"x{one}": stands for one, stands in zip(some, found, strict=True)}
    standing = {id for (id,) in place.sql("SELECT id FROM transfers WHERE id LIKE 'x%'")}
    assert standing == {id for id, stands in told.items() if stands}
    assert cutter.cuts > 20, "the test must cut something"
    assert len(standing) > 250, "and something must get through"
    assert place.balances() == {
        "issuer:PLAY": -10_000,
        "wallet:PLAY:ann": 10_000 - len(standing),
        "rake:PLAY": len(standing),
    }
    assert place.sql("SELECT count(*), count(DISTINCT number) FROM entries WHERE account_id = 'rake:PLAY'") == [
        (len(standing), len(standing))
    ]


def granted(player: str, chips: int) -> Any:
    return transfer((Account("issuer", PLAY), -chips), (wallet(PlayerId(player)), chips), id="grant")


@pytest.mark.parametrize("order", ["restart", "crash"])
async def test_a_table_plays_on_over_a_server_that_comes_back(
    place: PostgresPlace, clock: VirtualClock, order: Any
) -> None:
    store = await place.open(clock)
    try:
        for player in ("ann", "bob"):
            await add_player(store, player, chips=10_000)
        table = await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=clock)
        await table.sit("ann")
        await table.sit("bob")
        await table.deal()
        place.server.order(order)
        await table.act()
        kept = await store.journal.load(table.state.table)
        assert kept.last_seq == table.state.seq
        while table.state.hand is not None:
            await table.act()
    finally:
        await store.close()


async def test_while_the_server_is_gone_writes_wait_and_then_fail_and_then_go_on(place: PostgresPlace) -> None:
    async with writing(place, patience=Patience(reconnect_ms=300)) as writer:
        place.server.order("stop")
        try:
            found = await asyncio.gather(*(writer.write(add(f"p{n}")) for n in range(20)), return_exceptions=True)
        finally:
            place.server.order("start")
        assert all(isinstance(one, CommitFailed) for one in found)
        await writer.write(add("ann"))
    assert place.names() == ["ann"]


async def test_a_commit_whose_answer_was_lost_is_told_as_done(place: PostgresPlace) -> None:
    cuts = Cuts(place)
    async with writing(place, pipeline_class=cuts.pipeline_class()) as writer:
        cuts.plan("COMMIT", "after")
        await writer.write(add("ann"))
        cuts.plan("COMMIT", "before")
        with pytest.raises(CommitFailed) as caught:
            await writer.write(add("bob"))
        assert caught.value.fields == {"reason": "not_kept"}
        await writer.write(add("cid"))
    assert place.names() == ["ann", "cid"]


@pytest.mark.parametrize("how", ["takes it", "lets it be"])
async def test_whoever_takes_a_table_over_meanwhile_makes_the_commit_stale(
    place: PostgresPlace, clock: VirtualClock, how: str
) -> None:
    """Another server is about to take the table: the commit waits for its row, and is judged by what stands then."""
    store = await place.open(clock)
    try:
        await add_player(store, "ann", chips=10_000)
        table = await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=clock)
        with psycopg.connect(place.url) as other:
            other.execute("UPDATE table_heads SET epoch = epoch + 1")
            sitting = asyncio.ensure_future(table.sit("ann"))
            await waits_for_a_lock(place)
            assert not sitting.done()
            if how == "takes it":
                other.commit()
                with pytest.raises(StaleOwner):
                    await sitting
                assert place.balances()["wallet:PLAY:ann"] == 10_000
            else:
                other.rollback()
                await sitting
    finally:
        await store.close()


async def waits_for_a_lock(place: PostgresPlace) -> None:
    for _ in range(1_000):
        if place.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"):
            return
        await asyncio.sleep(0.005)
    raise AssertionError("nobody waits")


@pytest.fixture
def without_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there were many servers: each has its own epoch, and nothing but the statements keeps them apart."""
    monkeypatch.setattr(postgres_batches, "take_lock", lambda *_, **__: None)


@pytest.mark.usefixtures("without_the_lock")
async def test_of_a_hundred_buy_ins_by_two_servers_at_once_one_succeeds(
    place: PostgresPlace, clock: VirtualClock
) -> None:
    stores = [await place.open(clock) for _ in range(2)]
    try:
        await add_player(stores[0], "ann", chips=500)

        async def spend(store: Store, number: int) -> str | None:
            lines = (wallet(PlayerId("ann")), -500), (RAKE, 500)
            steps = transfer_steps(transfer(*lines, id=f"s{number}"), at_ms=1)
            try:
                await store.writer.write(Write("spend", steps))
            except CommitRefused as refused:
                return refused.code
            return None

        found = await asyncio.gather(*(spend(stores[number % 2], number) for number in range(100)))
        assert sorted(found, key=str) == [None] + ["wallet/insufficient"] * 99
        assert place.balances() == {"issuer:PLAY": -500, "wallet:PLAY:ann": 0, "rake:PLAY": 500}
    finally:
        for store in stores:
            await store.close()


@pytest.mark.usefixtures("without_the_lock")
async def test_two_servers_that_move_the_same_money_lose_none_of_it(place: PostgresPlace, clock: VirtualClock) -> None:
    stores = [await place.open(clock) for _ in range(2)]
    try:
        for player in ("ann", "bob"):
            await add_player(stores[0], player, chips=10_000)
        dice = random.Random(5)

        async def move(number: int) -> bool:
            one, other = dice.sample((wallet(PlayerId("ann")), wallet(PlayerId("bob")), RAKE), 2)
            steps = transfer_steps(transfer((one, -1), (other, 1), id=f"m{number}"), at_ms=1)
            try:
                await stores[number % 2].writer.write(Write("move", steps))
            except (CommitRefused, CommitFailed):
                return False
            return True

        stood = sum(await asyncio.gather(*(move(number) for number in range(400))))
        assert stood > 100
        assert place.sql("SELECT count(*) FROM transfers WHERE id LIKE 'm%'") == [(stood,)]
        assert sum(place.balances().values()) == 0
        assert place.sql(
            "SELECT a.id FROM accounts a JOIN entries e ON e.account_id = a.id GROUP BY a.id "
            "HAVING a.balance_chips <> sum(e.amount_chips) OR a.entries <> count(*) OR max(e.number) <> count(*)"
        ) == []  # fmt: skip
    finally:
        for store in stores:
            await store.close()


@pytest.mark.usefixtures("without_the_lock")
async def test_a_server_whose_table_was_taken_commits_nothing_more(place: PostgresPlace, clock: VirtualClock) -> None:
    first, second = [await place.open(clock) for _ in range(2)]
    try:
        for player in ("ann", "bob"):
            await add_player(first, player, chips=10_000)
        table = await SqlTable.open(first.journal, epoch=first.writer.epoch, clock=clock)
        await table.sit("ann")
        kept = await second.journal.load(table.state.table)
        assert kept.epoch == second.writer.epoch > first.writer.epoch
        before = fingerprint(table.state)
        with pytest.raises(StaleOwner):
            await table.sit("bob")
        assert fingerprint(table.state) == before
        with pytest.raises(StaleOwner):
            await first.journal.load(table.state.table)
        table.journal, table.epoch = second.journal, kept.epoch
        await table.sit("bob")
    finally:
        await first.close()
        await second.close()
