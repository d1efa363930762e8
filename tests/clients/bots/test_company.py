"""House bots: where they sit, how they come and go, and that their tokens are told to nobody."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.company import admit
from avenue_bots import company
from avenue_bots.company import KEPT_FREE, Admission, BadAdmissions, Company, Table, place, read_admissions
from avenue_sdk import Client, TableSession
from engine.rules.variants import seven_card_stud
from engine.table.errors import TableClosed
from tests.app.served import WAIT_S, Served, serving


def table(name: str, *present: str, seats: int = 8) -> Table:
    return Table(id=name, seats=seats, present=frozenset(present))


@pytest.mark.parametrize(
    ("tables", "going", "chosen"),
    [
        ([table("a"), table("b")], {}, "a"),
        ([table("a", "x", "me"), table("b")], {}, "a"),
        ([table("a", "x"), table("b")], {"x": "a"}, "b"),
        ([table("a"), table("b")], {"x": "a", "y": "a", "z": "b"}, "b"),
        # Six of eight are taken: two stay free.
        ([table("a", *"pqrstu"), table("b", *"vwxyzo")], {}, None),
        ([table("a", *"pqrstu"), table("b", *"vwxyz")], {}, "b"),
        # Those who are on their way count as if they sat there, but nobody is counted twice.
        ([table("a", *"pqrst")], {"x": "a"}, None),
        ([table("a", *"pqrst")], {"p": "a", "q": "a"}, "a"),
        ([table("a", "me", *"pqrstuv")], {}, "a"),
        ([], {}, None),
    ],
)
def test_where_a_bot_goes(tables: list[Table], going: dict[str, str], chosen: str | None) -> None:
    assert place("me", tables, going) == chosen


def test_who_the_bots_are_is_one_line_of_json() -> None:
    line = b'[{"name": "house-ada", "token": "s3cret"}, {"name": "house-bo", "token": "other"}]'
    found = read_admissions(line)
    assert [one.name for one in found] == ["house-ada", "house-bo"]
    assert [one.token for one in found] == ["s3cret", "other"]
    assert "s3cret" not in repr(found)


@pytest.mark.parametrize("line", [b"", b"{}", b'[{"name": "house-ada"}]', b'[{"name": "a", "token": 5}]', b"s3cret"])
def test_what_is_no_such_list_is_refused_without_a_word_of_it(line: bytes) -> None:
    with pytest.raises(BadAdmissions) as refused:
        read_admissions(line)
    assert "s3cret" not in repr(refused.value)
    assert refused.value.__suppress_context__


@contextlib.asynccontextmanager
async def kept(url: str, admissions: list[Admission]) -> AsyncIterator[asyncio.Task[None]]:
    """A company that plays in the background without a thought, and is ended at last."""
    task = asyncio.create_task(Company(url, admissions, think_s=0).keep())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def admissions_of(served: Served, count: int) -> list[Admission]:
    return [Admission(name=one.player.name, token=one.token) for one in await admit(served.house.accounts, count)]


async def full(*tables: TableSession, taken: int) -> None:
    async with asyncio.timeout(WAIT_S):
        for one in tables:
            await one.until(lambda state: len(state.table.seats) == taken)


async def test_two_seats_stay_free_at_every_table_and_the_bots_play(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        rooms = [await served.table(), await served.table(seven_card_stud(small_bet_chips=5, big_bet_chips=10))]
        admissions = await admissions_of(served, 16)
        async with Client(served.url) as client, contextlib.AsyncExitStack() as stack:
            watchers = [await stack.enter_async_context(client.table(room.table)) for room in rooms]
            async with kept(served.url, admissions):
                await full(*watchers, taken=8 - KEPT_FREE)
                for watcher in watchers:
                    state = await watcher.until(lambda state: state.table.hands >= 3)
                    assert all(seat.house_bot for seat in state.table.seats)
                    assert len(state.free_seats) == KEPT_FREE


async def test_bots_that_are_ended_keep_their_seats_and_find_them_again(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        room = await served.table()
        async with Client(served.url).table(room.table) as watcher:
            async with kept(served.url, await admissions_of(served, 4)):
                await full(watcher, taken=4)
            before = [(seat.seat, seat.player) for seat in watcher.state.table.seats]
            async with kept(served.url, await admissions_of(served, 4)):
                hands = watcher.state.table.hands
                await watcher.until(lambda state: state.table.hands >= hands + 2)
            assert [(seat.seat, seat.player) for seat in watcher.state.table.seats] == before


async def test_a_bot_whose_seat_was_given_up_sits_down_again(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        room = await served.table()
        admissions = await admissions_of(served, 1)
        same_player = Client(served.url, token=admissions[0].token).table(room.table)
        async with kept(served.url, admissions), same_player:
            await same_player.until(lambda state: state.seat is not None)
            await same_player.stand_up()
            await same_player.until(lambda state: state.seat is not None)


async def test_the_company_ends_quietly_when_the_server_goes_away(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        room = await served.table()
        keeping = asyncio.create_task(Company(served.url, await admissions_of(served, 4), think_s=0).keep())
        async with Client(served.url).table(room.table) as watcher:
            await full(watcher, taken=4)
    async with asyncio.timeout(WAIT_S):
        await keeping


async def test_a_server_that_is_not_there_ends_it_too() -> None:
    async with asyncio.timeout(WAIT_S):
        await Company("http://127.0.0.1:1", [Admission(name="house-ada", token="t")], think_s=0).keep()


async def test_without_a_login_that_is_taken_there_is_no_company(served: Served) -> None:
    strangers = [Admission(name=f"house-{number}", token="no such token") for number in range(3)]
    await served.table()
    async with asyncio.timeout(WAIT_S):
        await Company(served.url, strangers, think_s=0).keep()


async def test_one_connection_that_breaks_off_ends_one_stay_and_not_the_company(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company, "PAUSE_S", 0.01)
    async with serving(tmp_path) as served:
        room = await served.table()
        async with Client(served.url).table(room.table) as watcher, kept(served.url, await admissions_of(served, 2)):
            await full(watcher, taken=2)
            for subscription in room._feed:  # noqa: SLF001 - no client can have another one's connection closed
                if subscription.viewer is not None and subscription.viewer.name == "house-ada":
                    subscription.outgoing.close(TableClosed())
            hands = watcher.state.table.hands
            async with asyncio.timeout(WAIT_S):
                await watcher.until(lambda state: state.table.hands >= hands + 5)
