"""Over real sockets and a real store: players see that their table stands still, and that it goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.store import opening
from app.store.writer import SqliteWriter
from tests.app.playing import Player, cheapest, play_together
from tests.app.rooms.real import Disk
from tests.app.served import Served, Socket, serving


@pytest.fixture
async def disk() -> Disk:
    return Disk()


@pytest.fixture
async def troubled(tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Served]:
    """A server whose disk is in trouble when the test says so."""

    def writer_of(place: Path, *, now_ms: Any) -> SqliteWriter:
        return SqliteWriter(place, now_ms=now_ms, connection_class=disk.connection_class())

    monkeypatch.setattr(opening, "writer_of", writer_of)
    async with serving(tmp_path) as served:
        yield served
        disk.fails(None)


async def frame(socket: Socket, kind: str) -> dict[str, Any]:
    """Hear on until a frame of this type comes."""
    while (heard := await socket.hear())["type"] != kind:
        pass
    return heard


def asked(*sockets: Socket) -> tuple[Socket, dict[str, Any]]:
    """Whose turn it is, and the command with which he stays in."""
    events = sockets[0].events
    (started,) = [event for _, event in events if event["type"] == "hand_started"][-1:]
    (turn,) = [turn for _, event in events if event["type"] == "turn_opened" for turn in event["turns"]][-1:]
    socket = next(socket for socket in sockets if Player(socket).seat == turn["seat"])
    return socket, {
        "type": "act",
        "id": "again",
        "hand": started["hand"],
        "turn": turn["turn"],
        "action": cheapest(turn["options"]),
    }


async def test_players_see_that_a_table_stands_still_and_that_it_goes_on(troubled: Served, disk: Disk) -> None:
    room = await troubled.table()
    ada, bob = await troubled.guest(), await troubled.guest()
    async with troubled.at(room.table, ada) as one, troubled.at(room.table, bob) as two:
        assert one.snapshot["paused"] is None
        await one.sit()
        await two.sit()
        for socket in (one, two):
            await socket.event("turn_opened")
        acting, act = asked(one, two)
        disk.fails("full")
        await acting.say(act)
        refused = await frame(acting, "error")
        assert (refused["id"], refused["code"], refused["fields"]) == (
            "again",
            "table/paused",
            {"reason": "storage_failed"},
        )
        assert {"type": "paused", "reason": "storage_failed"} in acting.heard
        other = two if acting is one else one
        assert await frame(other, "paused") == {"type": "paused", "reason": "storage_failed"}
        # Whoever comes now sees it too, and whatever can be read still is.
        async with troubled.at(room.table) as late:
            assert late.snapshot["paused"] == "storage_failed"
            assert late.snapshot["table"]["turns"][0]["turn"] == act["turn"]
        assert (await troubled.http.get("/api/wallet", headers=ada.headers)).status_code == 200
        assert (await troubled.http.get("/api/tables")).status_code == 200
        answer = await troubled.http.post("/api/wallet/refills", headers=ada.headers, json={"id": "r1"})
        assert (answer.status_code, answer.json()["code"]) == (503, "fault/commit_failed")
        disk.fails(None)
        for socket in (one, two):
            await frame(socket, "going_on")
            assert socket.events[-1][1]["type"] == "clock_resumed"
        await acting.say(act)
        assert (await acting.answer())["type"] == "ack"
        await play_together(one, two)
        kinds = [event["type"] for _, event in one.events]
        assert kinds.count("hand_ended") >= 1
        assert "hand_cancelled" not in kinds
        numbers = [seq for seq, _ in one.events]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), "a pause takes no number"


async def test_tables_that_nobody_asks_for_anything_do_not_pause(troubled: Served, disk: Disk) -> None:
    room, other = await troubled.table(), await troubled.table(pause_ms=60_000, quiet_pause_ms=60_000)
    ada = await troubled.guest()
    async with troubled.at(room.table, ada) as one, troubled.at(other.table, ada) as two:
        disk.fails("broken")
        assert (await one.ask("sit", buy_in_chips=100))["code"] == "table/paused"
        disk.fails(None)
        await frame(one, "going_on")
        assert (await one.ask("sit", buy_in_chips=100))["type"] == "ack"
        assert (await two.ask("sit", buy_in_chips=100))["type"] == "ack"
        assert [heard["type"] for heard in two.heard] == ["snapshot", "events", "ack"]
