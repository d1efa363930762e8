"""A disk in trouble, over a real store: tables stand still, keep what they said, and go on by themselves."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url

from app.store.postgres_sessions import Patience
from app.store.writer import PostgresWriter
from engine.limits import SLOW_COMMIT_MS
from engine.rules.events import PlayerId
from engine.rules.replay import replayed
from engine.table.commands import TopUp
from engine.table.errors import TablePaused
from engine.table.events import ClockResumed
from engine.table.state import TableState
from tests.app.rooms.real import Disk, RealHouse, Table, Trouble, living, moving, real_house, until
from tests.app.store.house import Template, add_player
from tests.e2e.journal import Row
from tests.e2e.replay import hands_of
from tests.engine.table.desk import fingerprint
from tests.fakes import VirtualClock
from tests.postgres import PostgresServer

PLAYERS = ("ann", "bob", "cid", "dan")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return Template(tmp_path_factory.mktemp("template"))


@pytest.fixture
def path(template: Template, tmp_path: Path) -> Path:
    return template.copy(tmp_path / "avenue.db")


async def furnished(house: RealHouse) -> tuple[Table, Table]:
    """Two tables with a hand at each."""
    for player in PLAYERS:
        await add_player(house.store, player, chips=10_000)
    return await house.table("ann", "bob"), await house.table("cid", "dan")


def names(events: Sequence[object]) -> list[str]:
    return [type(event).__name__ for event in events]


def top_up(player: str, house: RealHouse) -> TopUp:
    return TopUp(player=PlayerId(player), command_id=house.id(), added_chips=5)


async def standing_still(house: RealHouse, table: Table, state: TableState) -> None:
    """The disk takes nothing: whatever is asked, nothing changes, no clock runs out, and reads go on."""
    stood, deadline_ms = fingerprint(state), table.turn().deadline_ms
    await moving(house.clock, lambda: house.clock.now_ms() > deadline_ms + 30_000, step_ms=2_000)
    for command in (table.wish(), top_up("ann", house)):
        with pytest.raises(TablePaused):
            await table.ask(command)
    assert fingerprint(table.state) == stood
    assert len(await table.events()) == state.seq


@pytest.mark.parametrize("trouble", ["full", "broken"])
async def test_a_disk_that_takes_nothing_lets_tables_stand_still_until_it_does(path: Path, trouble: Trouble) -> None:
    clock, disk = VirtualClock(), Disk()
    async with real_house(path, clock, disk) as house:
        one, other = await furnished(house)
        await clock.advance(5_000)
        asked, turn = one.wish(), one.turn()
        left_ms = turn.deadline_ms - clock.now_ms()
        disk.fails(trouble)
        with pytest.raises(TablePaused) as paused:
            await one.ask(asked)
        assert paused.value.fields == {"reason": "storage_failed"}
        await standing_still(house, one, one.state)
        assert one.notices == ["storage_failed"]
        assert disk.refused > 5, "it has been tried again and again"
        (report,) = [report for report in house.faults.reports if report.table == one.id]
        assert (report.code, report.reason) == (
            "fault/commit_failed",
            f"not_written SQLITE_{'FULL' if trouble == 'full' else 'IOERR_WRITE'}",
        )
        disk.fails(None)
        await moving(clock, lambda: one.paused is None and other.paused is None)
        assert one.notices == ["storage_failed", "going_on"]
        assert await one.ask(asked) == one.state.seq, "the very same command is done now"
        (resumed,) = [row for row in await one.rows() if isinstance(row.event, ClockResumed)]
        assert resumed.event == ClockResumed(seat=turn.seat, turn=turn.turn, deadline_ms=resumed.at_ms + left_ms)
        await both_play_on(house, one, other)


async def test_a_disk_that_is_full_at_the_very_commit(path: Path) -> None:
    """Nobody knows at first whether it stands: the writer asks until the disk tells, and the table waits."""
    clock, disk = VirtualClock(), Disk()
    async with real_house(path, clock, disk) as house:
        one, other = await furnished(house)
        turn, asked = one.turn(), one.wish()
        disk.fails("full_at_commit")
        answer = house.rooms.submit(one.room, asked)
        await until(lambda: disk.refused > 0)
        await moving(clock, lambda: one.paused == "storage_slow")
        await standing_still(house, one, one.state)
        assert not answer.done()
        disk.fails(None)
        with pytest.raises(TablePaused):
            await answer
        await moving(clock, lambda: one.paused is None)
        assert one.notices == ["storage_slow", "storage_failed", "going_on"]
        assert one.turn().turn == turn.turn
        assert await one.ask(asked) == one.state.seq
        await both_play_on(house, one, other)


async def test_a_database_that_somebody_else_has_locked(path: Path) -> None:
    clock = VirtualClock()
    async with real_house(path, clock) as house:
        one, other = await furnished(house)
        with closing(sqlite3.connect(path, isolation_level=None)) as thief:
            thief.execute("BEGIN IMMEDIATE")
            asked = one.wish()
            with pytest.raises(TablePaused):
                await one.ask(asked)
            assert house.faults.reports[-1].reason == "not_written SQLITE_BUSY"
            assert other.paused is None, "who asks for nothing notices nothing"
            await standing_still(house, one, one.state)
            thief.execute("ROLLBACK")
        await moving(clock, lambda: one.paused is None and other.paused is None)
        assert await one.ask(asked) == one.state.seq
        await both_play_on(house, one, other)


async def test_a_lock_that_is_held_for_less_than_a_connection_waits_is_a_slow_disk(path: Path) -> None:
    clock = VirtualClock()
    async with real_house(path, clock, busy_timeout_ms=60_000) as house:
        one, other = await furnished(house)
        turn = one.turn()
        with closing(sqlite3.connect(path, isolation_level=None)) as thief:
            thief.execute("BEGIN IMMEDIATE")
            answer, began_ms = house.rooms.submit(one.room, top_up("ann", house)), clock.now_ms()
            await clock.advance(SLOW_COMMIT_MS)
            assert one.paused == "storage_slow"
            await standing_still(house, one, one.state)
            stood_ms = clock.now_ms()
            thief.execute("ROLLBACK")
        await answer
        await until(lambda: one.paused is None and one.turn() != turn)
        assert one.notices == ["storage_slow", "going_on"]
        assert one.turn().deadline_ms == turn.deadline_ms + stood_ms - began_ms, "all of it is given back"
        assert names(await one.events())[-2:] == ["TopUpQueued", "ClockResumed"]
        await both_play_on(house, one, other)


async def both_play_on(house: RealHouse, *tables: Table) -> None:
    """Each table plays its hand to the end, nothing was cancelled, and everything adds up."""
    for table in tables:
        await table.play_out()
        events = await table.events()
        assert "HandCancelled" not in names(events)
        # At the other table somebody may have been silent for as long as he had.
        assert table is not tables[0] or "TurnTimedOut" not in names(events)
        for hand in hands_of([Row(seq, event) for seq, event in enumerate(events, start=1)]):
            assert replayed(hand) == hand
    assert await house.audit() == ()


async def test_a_postgresql_that_goes_away_and_comes_back(postgres: PostgresServer) -> None:
    clock, url = VirtualClock(), postgres.database()
    patience = Patience(connect_ms=1_000, reconnect_ms=200)
    writer = PostgresWriter(make_url(url), now_ms=clock.now_ms, patience=patience)
    await writer.start()
    async with living(make_url(url), writer, clock, Disk()) as house:
        one, other = await furnished(house)
        turn, asked = one.turn(), one.wish()
        left_ms = turn.deadline_ms - clock.now_ms()
        await asyncio.to_thread(postgres.order, "stop")
        try:
            with pytest.raises(TablePaused):
                await one.ask(asked)
            assert one.notices == ["storage_failed"]
            assert other.paused is None, "who asks for nothing notices nothing"
            await moving(clock, lambda: clock.now_ms() > turn.deadline_ms + 30_000, step_ms=5_000)
            with pytest.raises(TablePaused):
                await one.ask(asked)
            assert one.turn() == turn
        finally:
            await asyncio.to_thread(postgres.order, "start")
        await moving(clock, lambda: one.paused is None and other.paused is None)
        (resumed,) = [row for row in await one.rows() if isinstance(row.event, ClockResumed)]
        assert resumed.event == ClockResumed(seat=turn.seat, turn=turn.turn, deadline_ms=resumed.at_ms + left_ms)
        assert await one.ask(asked) == one.state.seq
        await both_play_on(house, one, other)
    postgres.drop(url)
