"""Bots as functions: seated, asked, and paid out, against a real server."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from avenue_sdk import Action, Call, Client, Option, Options, Played, Raise, Refused, TableState, play
from avenue_sdk.messages import HandEnded, SeatResult
from tests.app.served import PASSWORD, Served
from tests.clients.scripted_server import Line, scripted
from tests.clients.world import PLAYERS, World, seen_by

SAT = {"type": "player_sat", "seat": 1, "player": "p", "name": "p", "stack_chips": 40, "house_bot": False}
LEFT = {"type": "player_left", "seat": 1, "player": "p", "cashed_out_chips": 40, "reason": "stood_up"}

_numbers = itertools.count(1)


def new_name() -> str:
    return f"Play-{next(_numbers)}"


def stay(state: TableState, options: Options) -> Option:
    return options.stay


def give_up(state: TableState, options: Options) -> Option:
    return options.passive


async def both(served: Served, table: str, first: object, second: object, **options: object) -> list[Played]:
    """Two bots at a table, each with an account of its own."""
    return list(
        await asyncio.gather(
            *(
                play(served.url, name=new_name(), password=PASSWORD, of_age=True, table=table, decide=one, **options)  # type: ignore[arg-type]
                for one in (first, second)
            )
        )
    )


async def seated_in_wallets(served: Served, table: str) -> int:
    async with Client(served.url) as client:
        return (await client.table_detail(table)).taken


async def test_two_bots_play_and_leave_with_their_chips(served: Served) -> None:
    room = await served.table()
    ada, bo = await both(served, room.table, stay, stay, hands=3, buy_in=80)
    # The next hand may be dealt before one has stood up: it is given up then, and counted.
    assert ada.hands == bo.hands
    assert 3 <= ada.hands <= 5
    assert ada.net_chips + bo.net_chips == 0
    assert not ada.refused
    assert await seated_in_wallets(served, room.table) == 0


async def test_the_wallet_has_what_was_won_and_lost(served: Served) -> None:
    room = await served.table()
    name = new_name()
    async with Client(served.url) as client:
        await client.register(name, PASSWORD, of_age=True)
        before = (await client.balance()).balance_chips
        mine, _ = await asyncio.gather(
            play(served.url, name=name, password=PASSWORD, table=room.table, decide=stay, hands=4),
            play(served.url, name=new_name(), password=PASSWORD, of_age=True, table=room.table, decide=stay, hands=4),
        )
        assert (await client.balance()).balance_chips == before + mine.net_chips


async def test_it_ends_when_the_time_is_over(served: Served) -> None:
    room = await served.table()
    ada, bo = await both(served, room.table, give_up, stay, seconds=0.5)
    assert ada.hands >= 1
    assert ada.net_chips + bo.net_chips == 0
    assert await seated_in_wallets(served, room.table) == 0


async def test_alone_at_a_table_the_time_ends_too(served: Served) -> None:
    room = await served.table(name="Play Alone")
    played = await play(
        served.url, name=new_name(), password=PASSWORD, of_age=True, table="Play Alone", decide=stay, seconds=0.2
    )
    assert played == Played()
    assert await seated_in_wallets(served, room.table) == 0


async def test_it_ends_when_the_chips_are_gone(served: Served) -> None:
    room = await served.table()

    def reckless(state: TableState, options: Options) -> Option:
        return options.big_wager or options.stay

    started = asyncio.get_running_loop().time()
    first, second = await both(served, room.table, reckless, reckless, buy_in=40, seconds=1.5)
    assert sorted([first.net_chips, second.net_chips]) == [-40, 40]
    assert asyncio.get_running_loop().time() - started >= 1.5, "the winner waits for another opponent"
    assert await seated_in_wallets(served, room.table) == 0


async def test_a_bot_may_be_a_coroutine_and_may_answer_with_an_action(served: Served) -> None:
    async def think(state: TableState, options: Options) -> Action:
        await asyncio.sleep(0)
        return options.stay.action

    room = await served.table()
    ada, _ = await both(served, room.table, think, stay, hands=2)
    assert ada.hands >= 2
    assert not ada.refused


@pytest.mark.parametrize("nonsense", [Raise(to_chips=7), Call(to_chips=1), None, "fold"])
async def test_a_bot_that_chooses_what_is_not_offered_passes_and_nobody_waits_for_it(
    served: Served, nonsense: object
) -> None:
    def broken(state: TableState, options: Options) -> Option:
        return nonsense  # type: ignore[return-value]

    room = await served.table()
    bad, good = await both(served, room.table, broken, stay, hands=2)
    assert good.hands >= 2
    assert bad.refused
    assert set(bad.refused) <= {"action/not_offered", "action/wrong_amount", "frame/bad_field"}


async def test_what_a_bot_raises_reaches_its_author_and_the_chips_go_home(served: Served) -> None:
    class Puzzled(Exception): ...

    def puzzled(state: TableState, options: Options) -> Option:
        raise Puzzled

    room = await served.table()
    name = new_name()
    other = asyncio.create_task(
        play(served.url, name=new_name(), password=PASSWORD, of_age=True, table=room.table, decide=stay, hands=1)
    )
    with pytest.raises(Puzzled):
        await play(served.url, name=name, password=PASSWORD, of_age=True, table=room.table, decide=puzzled)
    await other
    async with Client(served.url) as client:
        await client.login(name, PASSWORD)
        lines = (await client.ledger()).entries
        assert lines[0].reason == "cash_out"


async def test_a_bot_that_is_cancelled_stands_up_first(served: Served) -> None:
    room = await served.table()
    bot = asyncio.create_task(
        play(served.url, name=new_name(), password=PASSWORD, of_age=True, table=room.table, decide=stay)
    )
    async with Client(served.url).table(room.table) as watcher:
        await watcher.until(lambda state: len(state.table.seats) == 1)
        bot.cancel()
        with pytest.raises(asyncio.CancelledError):
            await bot
        await watcher.until(lambda state: len(state.table.seats) == 0)


async def test_a_seat_that_one_has_already_is_taken_up_again(served: Served) -> None:
    room = await served.table()
    name = new_name()
    async with Client(served.url) as client:
        await client.register(name, PASSWORD, of_age=True)
        async with client.table(room.table) as table:
            await table.sit(80)
    mine, _ = await asyncio.gather(
        play(served.url, name=name, password=PASSWORD, table=room.table, decide=stay, hands=1, buy_in=60),
        play(served.url, name=new_name(), password=PASSWORD, of_age=True, table=room.table, decide=stay, hands=1),
    )
    assert mine.hands >= 1


async def test_a_bot_that_was_too_slow_sits_in_again(served: Served) -> None:
    room = await served.table(turn_ms=300, time_bank_ms=0)
    slow_once = iter([True])

    async def slow(state: TableState, options: Options) -> Option:
        if next(slow_once, False):
            # Longer than the turn: the server decides, and sits it out.
            await asyncio.sleep(0.5)
        return options.stay

    ada, bo = await both(served, room.table, slow, stay, hands=3)
    assert ada.hands >= 3
    assert bo.hands >= 3
    assert ada.refused.total() == 1


async def test_a_wrong_password_and_a_full_table_are_told(served: Served) -> None:
    guest = await served.guest()
    room = await served.table()
    with pytest.raises(Refused, match="account/wrong_login"):
        await play(served.url, name=guest.name, password="not the password", of_age=True, decide=stay)
    with pytest.raises(Refused, match="table/buy_in_out_of_range"):
        await play(served.url, name=guest.name, password=PASSWORD, table=room.table, decide=stay, buy_in=1)


async def test_an_event_that_the_sdk_does_not_know_brings_a_new_snapshot_and_play_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server is scripted: the first connection tells of something new, the second is the one played on."""
    connections = itertools.count(1)

    async def script(line: Line) -> None:
        number = next(connections)
        seq = (await line.greet(player="p"))["table"]["seq"]
        sit = await line.hear()
        await line.events(seq + 1, SAT)
        await line.say({"type": "ack", "id": sit["id"], "seq": seq + 1})
        if number == 1:
            await line.events(seq + 2, {"type": "table_moved"})
        else:
            stand_up = await line.hear()
            await line.events(seq + 2, LEFT)
            await line.say({"type": "ack", "id": stand_up["id"], "seq": seq + 2})
        await line.socket.wait_closed()

    async with scripted(script) as url:
        monkeypatch.setattr(Client, "enter", nobody_in_particular)
        monkeypatch.setattr(Client, "find_table", the_one_table)
        played = await play(url.replace("ws", "http", 1), name="a", password="b", decide=stay, seconds=0.3, buy_in=40)
    assert next(connections) == 3
    assert played == Played()


async def nobody_in_particular(client: Client, name: str, password: str, *, of_age: bool) -> None:
    """Stands for a login: the scripted server has no accounts."""


async def the_one_table(client: Client, wanted: str | None) -> str:
    return "t"


def test_only_my_own_hands_are_counted() -> None:
    world = World(5, seated=3)
    world.deal()
    state = seen_by(world.state, PLAYERS[1])
    assert state.seat == 2
    played = Played()
    played.note(state, HandEnded(results=(SeatResult(seat=1, stack_chips=5, net_chips=-2),), rake_chips=0))
    assert played == Played()
    both = (SeatResult(seat=1, stack_chips=5, net_chips=-2), SeatResult(seat=2, stack_chips=7, net_chips=2))
    played.note(state, HandEnded(results=both, rake_chips=0))
    assert (played.hands, played.net_chips) == (1, 2)
