"""A bot's life at a table, against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from avenue_bots.seated import NoSeat, Seated
from avenue_sdk import Client, ConnectionLost, Option, Options, Refused, TableState
from engine.rules.variants import five_card_stud
from tests.app.served import WAIT_S, Served


def reckless(state: TableState, options: Options) -> Option:
    return options.big_wager or options.stay


def stay(state: TableState, options: Options) -> Option:
    return options.stay


def never(state: TableState) -> bool:
    return False


async def bot(served: Served, table: str, decide: Any = stay, **fields: Any) -> Seated:
    guest = await served.guest()
    return Seated(Client(served.url, token=guest.token), table, decide, **fields)


@asynccontextmanager
async def playing(*bots: Seated) -> AsyncIterator[None]:
    """The bots play in the background, and are ended at last whatever happens."""
    tasks = [asyncio.create_task(one.stay(done=never)) for one in bots]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for one in bots:
            await one.client.__aexit__(None, None, None)


async def test_a_bot_that_is_low_buys_more_and_plays_on(served: Served) -> None:
    room = await served.table()
    first, second = await bot(served, room.table, reckless), await bot(served, room.table, reckless)
    async with playing(first, second), first.client.table(room.table) as watcher:
        await watcher.until(lambda state: state.table.hands >= 12)
        lines = [*(await first.client.ledger()).entries, *(await second.client.ledger()).entries]
        assert "top_up" in {line.reason for line in lines}
        assert not first.played.refused
        assert not second.played.refused


async def test_a_bot_without_chips_asks_for_a_refill_and_leaves_when_there_is_none(served: Served) -> None:
    """At stakes that take nearly the whole grant: what is lost is bought again once, after a refill, then no more."""
    dear = five_card_stud(small_bet_chips=500, big_bet_chips=1_000)
    room = await served.table(dear, min_buy_in_chips=4_600)
    bots = [await bot(served, room.table, reckless, buy_in_chips=9_500) for _ in range(2)]
    tasks = [asyncio.create_task(one.stay(done=never)) for one in bots]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED, timeout=WAIT_S)
        assert [type(task.exception()) for task in ended] == [NoSeat]
        loser = bots[tasks.index(ended.pop())]
        assert (await loser.client.balance()).balance_chips < 4_600
        assert "refill" in {line.reason for line in (await loser.client.ledger()).entries}
        assert (await loser.client.table_detail(room.table)).taken == 1
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for one in bots:
        await one.client.__aexit__(None, None, None)


async def test_a_bot_leaves_the_last_seats_to_others(served: Served) -> None:
    room = await served.table()
    bots = [await bot(served, room.table, keep_free=6) for _ in range(3)]
    async with playing(*bots[:2]), bots[2].client.table(room.table) as watcher:
        await watcher.until(lambda state: len(state.table.seats) == 2)
        with pytest.raises(NoSeat):
            await bots[2].stay(done=never)


async def test_a_table_that_is_too_dear_is_no_seat(served: Served) -> None:
    room = await served.table(min_buy_in_chips=100_000)
    poor = await bot(served, room.table)
    with pytest.raises(NoSeat):
        await poor.stay(done=never)
    await poor.client.__aexit__(None, None, None)


async def test_a_bot_that_is_ended_keeps_its_seat_and_finds_it_again(served: Served) -> None:
    room = await served.table()
    first, second = await bot(served, room.table), await bot(served, room.table)
    async with Client(served.url).table(room.table) as watcher:
        task = asyncio.create_task(first.stay(done=never))
        await watcher.until(lambda state: len(state.table.seats) == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with playing(first, second):
            await watcher.until(lambda state: state.table.hands >= 2)
            assert [seat.seat for seat in watcher.state.table.seats] == [1, 2]


async def test_a_seat_that_was_given_up_is_taken_again(served: Served) -> None:
    room = await served.table()
    one = await bot(served, room.table)
    async with playing(one), one.client.table(room.table) as same_player:
        await same_player.until(lambda state: state.seat is not None)
        await same_player.stand_up()
        await same_player.until(lambda state: state.seat is not None)


async def test_a_bot_in_a_hurry_leaves_with_its_chips(served: Served) -> None:
    room = await served.table()
    one = await bot(served, room.table)
    async with Client(served.url).table(room.table) as watcher:
        task = asyncio.create_task(one.stay(done=never))
        await watcher.until(lambda state: len(state.table.seats) == 1)
        one.hurry()
        await task
        assert (await watcher.until(lambda state: not state.table.seats)).table.seats == ()
    await one.client.__aexit__(None, None, None)


async def test_what_the_server_refuses_otherwise_is_told(served: Served) -> None:
    room = await served.table(max_buy_in_chips=60)
    one = await bot(served, room.table, buy_in_chips=10)
    with pytest.raises(Refused, match="table/buy_in_out_of_range"):
        await one.stay(done=never)
    rich = await bot(served, room.table, buy_in_chips=1_000)
    assert rich.played.hands == 0
    await rich.stay(done=lambda state: state.me is not None and state.me.stack_chips == 60)
    lost = Seated(Client("http://127.0.0.1:1"), "t", stay)
    with pytest.raises(ConnectionLost):
        await lost.stay(done=never)
    for seated in (one, rich, lost):
        await seated.client.__aexit__(None, None, None)
