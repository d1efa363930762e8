"""Many bots on throwaway accounts, against a real server."""

from __future__ import annotations

import asyncio

import pytest

from avenue_bots import load
from avenue_bots.load import Order, run_bots
from avenue_bots.strategies import STRATEGIES
from avenue_sdk import Client, ConnectionLost, Option, Options, Refused, TableState
from tests.app.served import Served


async def test_bots_play_their_hands_and_leave_with_their_chips(served: Served) -> None:
    room = await served.table(name="Load")
    summary = await run_bots(Order(url=served.url, count=4, strategy="random", hands=5, table="Load", seconds=20))
    assert (summary.bots, dict(summary.tables)) == (4, {room.table: 4})
    assert 5 <= summary.bot_hands <= 4 * 6
    assert not summary.errors
    assert not summary.refused
    async with Client(served.url) as client:
        assert (await client.table_detail(room.table)).taken == 0


async def test_the_time_ends_it_and_the_chips_add_up(served: Served) -> None:
    room = await served.table()
    summary = await run_bots(Order(url=served.url, count=3, strategy="loose", seconds=0.7, table=room.table))
    assert summary.bot_hands > 0
    assert summary.net_chips == 0


async def test_a_stop_lets_them_leave_at_once(served: Served) -> None:
    room = await served.table()
    stop = asyncio.Event()
    run = asyncio.create_task(run_bots(Order(url=served.url, count=2, table=room.table), stop=stop))
    async with Client(served.url).table(room.table) as watcher:
        await watcher.until(lambda state: state.table.hands >= 2)
        stop.set()
        summary = await run
        assert (await watcher.until(lambda state: not state.table.seats)).table.seats == ()
    assert (summary.bots, summary.net_chips) == (2, 0)
    assert not summary.errors


async def test_without_a_table_they_spread_over_the_free_seats_and_no_further(served: Served) -> None:
    tables = await load._tables_for(Order(url=served.url, count=10_000))  # noqa: SLF001 - who goes where, without playing
    async with Client(served.url) as client:
        free = {line.id: line.free for line in await client.lobby() if line.free}
    assert {table: tables.count(table) for table in tables} == free
    few = await load._tables_for(Order(url=served.url, count=3))  # noqa: SLF001 - as above
    assert len(few) == 3
    assert len(set(few)) == min(3, len(free))


async def test_a_bot_that_finds_no_seat_is_counted_and_stops_nobody_else(served: Served) -> None:
    room = await served.table()
    summary = await run_bots(Order(url=served.url, count=9, strategy="random", hands=2, seconds=20, table=room.table))
    assert summary.bots == 9
    assert summary.errors == {"no seat, or no chips left": 1}
    assert summary.bot_hands >= 2


async def test_what_cannot_even_begin_is_raised(served: Served) -> None:
    with pytest.raises(Refused, match="table/not_found"):
        await run_bots(Order(url=served.url, table="nowhere"))
    with pytest.raises(ConnectionLost):
        await run_bots(Order(url="http://127.0.0.1:1"))


async def test_a_mistake_in_a_strategy_is_not_hidden(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    class Puzzled(Exception): ...

    def puzzled(state: TableState, options: Options, random: object) -> Option:
        raise Puzzled

    monkeypatch.setitem(STRATEGIES, "puzzled", puzzled)
    room = await served.table()
    with pytest.raises(Puzzled):
        await run_bots(Order(url=served.url, count=2, strategy="puzzled", table=room.table))
