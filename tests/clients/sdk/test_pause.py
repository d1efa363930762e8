"""A table that stands still: the state says why, and a command waits until it goes on."""

from __future__ import annotations

import asyncio

import pytest

from avenue_sdk import ConnectionLost, Unanswered
from avenue_sdk import session as session_module
from avenue_sdk.session import TableSession
from tests.clients.scripted_server import WAIT_S, Line, scripted, session

PAUSED = {"type": "paused", "reason": "storage_failed"}
GOING_ON = {"type": "going_on"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "PAUSED_RETRY_S", 0.001)


def refusal(command_id: str) -> dict[str, object]:
    return {"type": "error", "id": command_id, "code": "table/paused", "fields": {"reason": "storage_failed"}}


async def test_a_command_that_met_a_pause_is_sent_again_under_its_own_id_when_the_table_goes_on() -> None:
    heard: list[str] = []

    async def script(line: Line) -> None:
        await line.greet(player="p")
        for _ in range(2):
            command = await line.hear()
            heard.append(command["id"])
            await line.say(PAUSED)
            await line.say(refusal(command["id"]))
            await asyncio.sleep(0.02)
            await line.say(GOING_ON)
        command = await line.hear()
        heard.append(command["id"])
        await line.say({"type": "ack", "id": command["id"], "seq": 1})
        await line.socket.wait_closed()

    async with scripted(script) as url, session(url) as table:
        await table.sit_in()
        assert table.state.paused is None
    assert len(heard) == 3
    assert len(set(heard)) == 1


async def test_nothing_is_sent_while_the_table_stands_still_however_long_that_is() -> None:
    async def script(line: Line) -> None:
        await line.greet()
        command = await line.hear()
        await line.say(PAUSED)
        await line.say(refusal(command["id"]))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await line.socket.recv()
        await line.say(GOING_ON)
        assert await line.hear() == command
        await line.say({"type": "ack", "id": command["id"], "seq": 1})
        await line.socket.wait_closed()

    async with scripted(script) as url, TableSession(url, timeout_s=0.1) as table:
        await table.sit_out()


async def test_the_state_says_why_it_stands_still_and_an_event_does_not_change_that() -> None:
    sat = {"type": "player_sat", "seat": 1, "player": "p", "name": "Ada", "stack_chips": 400, "house_bot": False}
    seen = asyncio.Event()

    async def script(line: Line) -> None:
        await line.greet()
        await line.say({"type": "paused", "reason": "storage_slow"})
        await line.events(2, sat)
        await seen.wait()
        await line.say(GOING_ON)
        await line.socket.wait_closed()

    async with scripted(script) as url, session(url) as table, asyncio.timeout(WAIT_S):
        state = await table.until(lambda state: state.seq == 2)
        assert state.paused == "storage_slow"
        seen.set()
        state = await table.until(lambda state: state.paused is None)
        assert state.seq == 2


async def test_a_snapshot_says_it_too() -> None:
    seen = asyncio.Event()

    async def script(line: Line) -> None:
        snapshot = await line.greet()
        await line.say({**snapshot, "paused": "recovering"})
        await seen.wait()
        await line.say(snapshot)
        await line.socket.wait_closed()

    async with scripted(script) as url, session(url) as table, asyncio.timeout(WAIT_S):
        await table.until(lambda state: state.paused == "recovering")
        seen.set()
        await table.until(lambda state: state.paused is None)


async def test_a_connection_that_ends_in_a_pause_ends_the_waiting() -> None:
    async def script(line: Line) -> None:
        await line.greet()
        command = await line.hear()
        await line.say(PAUSED)
        await line.say(refusal(command["id"]))
        await line.close(4503, "table/stopped")

    async with scripted(script) as url, session(url) as table:
        with pytest.raises(ConnectionLost, match="table/stopped"):
            await table.sit_out()


async def test_an_answer_that_does_not_come_is_still_none() -> None:
    async def script(line: Line) -> None:
        await line.greet()
        await line.socket.wait_closed()

    async with scripted(script) as url, TableSession(url, timeout_s=0.05) as table:
        with pytest.raises(Unanswered):
            await table.sit_out()
