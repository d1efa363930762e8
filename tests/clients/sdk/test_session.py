"""A session at a table: against a real server, and against scripted ones for what a real one does seldom."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from avenue_sdk import Client, ConnectionLost, Outdated, ProtocolBroken, Refused, TableSession, TableState, Unanswered
from avenue_sdk.messages import Event, PlayerSat
from tests.app.served import Served
from tests.clients.scripted_server import WAIT_S, Line, scripted, session
from tests.clients.world import World

SAT = {"type": "player_sat", "seat": 1, "player": "p", "name": "Ada", "stack_chips": 400, "house_bot": False}


async def player_at(served: Served, table: str, **options: Any) -> TableSession:
    guest = await served.guest()
    return Client(served.url, token=guest.token).table(table, **options)


async def test_after_an_acknowledged_command_the_state_has_what_it_brought(served: Served) -> None:
    room = await served.table()
    async with await player_at(served, room.table) as table:
        assert table.state.me is None
        await table.sit(100, seat=3)
        assert table.state.seat == 3
        assert table.state.me is not None
        assert table.state.me.stack_chips == 100
        await table.top_up(50)
        assert table.state.me.stack_chips == 150
        await table.sit_out()
        assert table.state.me.sitting_out
        await table.sit_in()
        assert not table.state.me.sitting_out
        await table.stand_up()
        assert (table.state.seat, table.state.me) == (None, None)


async def test_a_refusal_is_a_code_with_fields_and_changes_nothing(served: Served) -> None:
    room = await served.table()
    async with await player_at(served, room.table) as table:
        before = table.state
        with pytest.raises(Refused) as refused:
            await table.sit(1)
        assert refused.value.code == "table/buy_in_out_of_range"
        assert refused.value.fields == {"min_chips": 40, "max_chips": None}
        with pytest.raises(Refused, match="table/not_seated"):
            await table.stand_up()
        with pytest.raises(Refused, match="action/not_your_turn"):
            await table.act(action_of_nobody())
        assert table.state is before


async def test_two_play_a_hand_and_each_sees_what_the_server_would_tell_anew(served: Served) -> None:
    room = await served.table()
    async with await player_at(served, room.table) as ada, await player_at(served, room.table) as bo:
        await ada.sit(100)
        await bo.sit(100)
        hands = await asyncio.gather(check_down(ada), check_down(bo))
        assert list(hands) == [2, 2]
        for one in (ada, bo):
            async with TableSession(one._url, headers=one._headers) as fresh:  # noqa: SLF001 - the same login again
                seen = await one.until(lambda state, seq=fresh.state.seq: state.seq >= seq)  # type: ignore[misc]
                assert seen.table == fresh.state.table
                assert seen.you == fresh.state.you


async def check_down(table: TableSession) -> int:
    """Stay in for as little as can be through two hands; gives how many were dealt."""
    while True:
        state = await table.until(lambda state: state.my_turn is not None or state.table.hands > 2)
        if state.table.hands > 2:
            return state.table.hands - 1
        assert state.options is not None
        turn = state.my_turn
        await table.act(state.options.stay, state=state)
        await table.until(lambda state, turn=turn: state.my_turn != turn)  # type: ignore[misc]


async def test_a_wish_for_a_turn_that_is_over_is_refused_and_not_done_in_the_next_hand(served: Served) -> None:
    """Turns are counted anew in each hand, so a number alone would name the wrong one."""
    room = await served.table()
    async with await player_at(served, room.table) as ada, await player_at(served, room.table) as bo:
        await ada.sit(100)
        await bo.sit(100)
        for table in (ada, bo):
            await table.until(lambda state: state.table.turns != ())
        mover, other = (ada, bo) if ada.state.my_turn else (bo, ada)
        old = mover.state
        assert old.options is not None
        await mover.act(old.options.stay, state=old)
        asked = await other.until(lambda state: state.my_turn is not None)
        assert asked.options is not None
        await other.act(asked.options.passive)
        later = await mover.until(lambda state: state.table.hands == 2 and state.table.turns != ())
        assert later.table.turns[0].turn == old.table.turns[0].turn
        with pytest.raises(Refused) as refused:
            await mover.act(old.options.stay, state=old)
        assert refused.value.code == "action/stale_hand"
        assert mover.state.seq == later.seq


async def test_whoever_is_not_logged_in_looks_on(served: Served) -> None:
    room = await served.table()
    async with Client(served.url).table(room.table) as watcher, await player_at(served, room.table) as ada:
        assert (watcher.state.you, watcher.state.seat, watcher.state.me) == (None, None, None)
        await ada.sit(100)
        seen = await watcher.until(lambda state: len(state.table.seats) == 1)
        assert seen.seq == ada.state.seq
        with pytest.raises(Refused, match="account/not_logged_in"):
            await watcher.sit(100)


async def test_a_listener_is_told_each_event_with_the_state_after_it(served: Served) -> None:
    told: list[tuple[int, Event]] = []
    room = await served.table()
    async with await player_at(
        served, room.table, on_event=lambda state, event: told.append((state.seq, event))
    ) as ada:
        await ada.sit(100)
    assert [(seq, type(event)) for seq, event in told] == [(2, PlayerSat)]


async def test_what_the_server_lets_in_is_said_by_its_code(served: Served) -> None:
    with pytest.raises(Refused, match="table/not_found"):
        async with Client(served.url).table("t_nowhere"):
            pass
    room = await served.table()
    with pytest.raises(Refused, match="account/not_logged_in"):
        async with Client(served.url, token="no such token").table(room.table):
            pass


async def test_a_wait_that_is_given_up_leaves_nothing_behind(served: Served) -> None:
    room = await served.table()
    async with await player_at(served, room.table) as ada:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ada.until(lambda state: state.seq > 1_000), timeout=0.01)
        await ada.sit(100)
        assert await ada.until(lambda state: state.seat == 1) is ada.state
        assert not ada._waiting  # noqa: SLF001 - nothing else could show it


async def test_a_table_that_was_not_opened_says_so() -> None:
    closed = session("ws://127.0.0.1:1/")
    with pytest.raises(Exception, match="async with"):
        _ = closed.state


async def test_no_server_is_a_lost_connection() -> None:
    with pytest.raises(ConnectionLost):
        async with session("ws://127.0.0.1:1/"):
            pass


@pytest.mark.parametrize(("code", "reason"), [(1012, "connection/server_stops"), (4529, "connection/slow_reader")])
async def test_a_connection_that_ends_tells_everyone_who_waits_with_its_code(code: int, reason: str) -> None:
    async def script(line: Line) -> None:
        await line.greet()
        await line.hear()
        await line.say({"type": "error", "id": None, "code": reason, "fields": {}})
        await line.close(code, reason)

    async with scripted(script) as url, session(url) as table:
        waiting = asyncio.create_task(table.until(lambda state: state.seq > 1_000))
        with pytest.raises(ConnectionLost) as lost:
            await table.sit(100)
        assert (lost.value.close_code, lost.value.reason) == (code, reason)
        with pytest.raises(ConnectionLost):
            await waiting
        with pytest.raises(ConnectionLost):
            await table.sit(100)


async def test_leaving_the_session_ends_what_waits() -> None:
    async def script(line: Line) -> None:
        await line.greet()
        await line.socket.wait_closed()

    async with scripted(script) as url:
        async with session(url) as table:
            waiting = asyncio.create_task(table.until(lambda state: state.seq > 1_000))
            await asyncio.sleep(0)
        with pytest.raises(ConnectionLost):
            await waiting


async def test_an_unknown_event_ends_the_session_and_a_new_one_begins_with_a_snapshot() -> None:
    """The state after it cannot be told; what came before it is kept, and the next snapshot tells the rest."""

    async def script(line: Line) -> None:
        seq = (await line.greet())["table"]["seq"]
        await line.events(seq + 1, SAT, {"type": "rabbit_hunted"}, {"type": "sat_out", "seat": 1, "reason": "asked"})
        await line.socket.wait_closed()

    async with scripted(script) as url:
        async with session(url) as table:
            first = table.state
            with pytest.raises(Outdated, match="rabbit_hunted"):
                await table.until(lambda state: state.seq == first.seq + 2)
            assert table.state.seq == first.seq + 1
        async with session(url) as again:
            assert again.state.table == first.table


async def test_missing_events_end_the_session_and_known_ones_are_not_folded_twice() -> None:
    async def script(line: Line) -> None:
        seq = (await line.greet())["table"]["seq"]
        await line.events(seq, {"type": "sat_in", "seat": 5}, SAT)
        await line.events(seq + 3, {"type": "sat_out", "seat": 1, "reason": "asked"})
        await line.socket.wait_closed()

    async with scripted(script) as url, session(url) as table:
        await table.until(lambda state: len(state.table.seats) == 1)
        with pytest.raises(Outdated, match="missing"):
            await table.until(lambda state: state.table.seats[0].sitting_out)


async def test_a_notice_of_an_unknown_kind_is_passed_over() -> None:
    async def script(line: Line) -> None:
        assert await line.hear() == {"type": "hello"}
        await line.say({"type": "motd", "text": "welcome"})
        line.hear = hello_again  # type: ignore[method-assign]
        seq = (await line.greet())["table"]["seq"]
        await line.say({"type": "chat", "text": "hi"})
        await line.events(seq + 1, SAT)
        await line.socket.wait_closed()

    async with scripted(script) as url, session(url) as table:
        assert (await table.until(lambda state: state.seq == 2)).table.seats[0].name == "Ada"


async def hello_again() -> dict[str, Any]:
    return {"type": "hello"}


async def test_a_snapshot_in_the_middle_replaces_the_table() -> None:
    """A server that had to bring a table back from its journal tells it anew."""
    world = World(11)
    world.run(hands=1)

    async def script(line: Line) -> None:
        await line.greet()
        await line.say({"type": "events", "seq": 2, "at_ms": 1, "events": [SAT]})
        line.hear = hello_again  # type: ignore[method-assign]
        await line.greet(world)
        await line.socket.wait_closed()

    async with scripted(script) as url, session(url) as table:
        assert (await table.until(lambda state: state.table.hands == 1)).seq == world.state.seq


@pytest.mark.parametrize("nonsense", ["", "[]", '{"type": "snapshot"}', '{"type": "ack", "id": 3}'])
async def test_nonsense_ends_the_session(nonsense: str) -> None:
    async def script(line: Line) -> None:
        await line.greet()
        await line.say(nonsense)
        await line.socket.wait_closed()

    async with scripted(script) as url, session(url) as table:
        with pytest.raises(ProtocolBroken):
            await table.until(lambda state: state.seq > 1_000)


async def test_something_else_than_a_snapshot_first_is_no_avenue_server() -> None:
    async def script(line: Line) -> None:
        await line.hear()
        await line.say({"type": "ack", "id": "a", "seq": 1})

    async with scripted(script) as url:
        with pytest.raises(ProtocolBroken):
            async with session(url):
                pass


async def test_a_command_that_was_not_read_for_haste_is_sent_again_under_its_own_id() -> None:
    heard: list[dict[str, Any]] = []

    async def script(line: Line) -> None:
        await line.greet()
        for _ in range(3):
            heard.append(await line.hear())
            if len(heard) < 3:
                fields = {"retry_after_ms": 1}
                await line.say({"type": "error", "id": None, "code": "frame/too_many", "fields": fields})
        await line.say({"type": "ack", "id": heard[0]["id"], "seq": 1})
        await line.socket.wait_closed()

    async with scripted(script) as url, session(url) as table:
        await table.sit_out()
    assert heard[0] == heard[1] == heard[2]


async def test_a_command_returns_when_the_state_has_what_it_brought_whatever_comes_first() -> None:
    async def script(line: Line) -> None:
        seq = (await line.greet(player="p"))["table"]["seq"]
        sit = await line.hear()
        await line.say({"type": "ack", "id": sit["id"], "seq": seq + 1})
        await asyncio.sleep(0.05)
        await line.events(seq + 1, SAT)
        await line.socket.wait_closed()

    async with scripted(script) as url, session(url) as table:
        await table.sit(400)
        assert table.state.seat == 1


async def test_every_command_has_an_id_of_its_own() -> None:
    heard: list[str] = []

    async def script(line: Line) -> None:
        await line.greet()
        for _ in range(3):
            heard.append((await line.hear())["id"])
            await line.say({"type": "ack", "id": heard[-1], "seq": 1})

    async with scripted(script) as url:
        for _ in range(2):
            async with session(url) as table:
                for _ in range(3):
                    await table.sit_out()
    assert len(set(heard)) == 6


async def test_an_answer_that_does_not_come_is_told_apart_from_a_refusal() -> None:
    async def script(line: Line) -> None:
        await line.greet()
        await line.socket.wait_closed()

    async with scripted(script) as url, TableSession(url, timeout_s=0.2) as table:
        with pytest.raises(Unanswered):
            await table.sit_out()


async def test_what_a_listener_raises_reaches_whoever_waits() -> None:
    class Broken(Exception): ...

    def listen(state: TableState, event: Event) -> None:
        raise Broken

    async def script(line: Line) -> None:
        await line.events((await line.greet())["table"]["seq"] + 1, SAT)
        await line.socket.wait_closed()

    async with scripted(script) as url, session(url, on_event=listen) as table:
        with pytest.raises(Broken):
            async with asyncio.timeout(WAIT_S):
                await table.until(lambda state: state.seq > 1_000)


def action_of_nobody() -> Any:
    return object()
