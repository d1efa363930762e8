"""The way out of a socket: written at once, queued within a bound, dropped with a code, cut in the end."""

import asyncio
import json
from typing import Any

import pytest
from starlette.types import Message
from starlette.websockets import WebSocketDisconnect

from app.gateway import outgoing as outgoing_module
from app.gateway.outgoing import Outgoing
from app.refusals import ServerStops
from engine.limits import MAX_OUTBOX_FRAMES


class Peer:
    """A socket's far end as the server beneath shows it: `reading` False lets a send wait, as a full buffer does."""

    def __init__(self) -> None:
        self.got: list[Message] = []
        self.reading = asyncio.Event()
        self.reading.set()
        self.cuts = 0
        self.fails_with: Exception | None = None

    async def send(self, message: Message) -> None:
        await self.reading.wait()
        if self.fails_with is not None:
            raise self.fails_with
        self.got.append(message)

    def cut(self) -> None:
        self.cuts += 1
        self.fails_with = OSError()
        self.reading.set()

    def texts(self) -> list[str]:
        return [message["text"] for message in self.got if message["type"] == "websocket.send"]

    def closes(self) -> list[tuple[int, str]]:
        return [(one["code"], one["reason"]) for one in self.got if one["type"] == "websocket.close"]


async def settle() -> None:
    """Let everything run that can run."""
    for _ in range(5):
        await asyncio.sleep(0)


def made() -> tuple[Peer, Outgoing]:
    peer = Peer()
    return peer, Outgoing(peer.send, cut=peer.cut)


async def test_a_reading_peer_is_written_to_on_the_spot() -> None:
    peer, out = made()
    before = len(asyncio.all_tasks())
    for number in range(3 * MAX_OUTBOX_FRAMES):
        out.text(str(number))
    assert peer.texts() == [str(number) for number in range(3 * MAX_OUTBOX_FRAMES)]
    assert len(asyncio.all_tasks()) == before


async def test_order_holds_through_a_stop_and_a_start() -> None:
    peer, out = made()
    out.text("0")
    peer.reading.clear()
    for number in range(1, 6):
        out.text(str(number))
    await settle()
    assert peer.texts() == ["0"]
    assert out.waiting == 4
    peer.reading.set()
    out.text("6")
    await settle()
    out.text("7")
    assert peer.texts() == [str(number) for number in range(8)]
    assert out.waiting == 0


async def test_b199_a_slow_reader_is_dropped_with_its_code() -> None:
    peer, out = made()
    peer.reading.clear()
    for number in range(MAX_OUTBOX_FRAMES + 1):
        out.text(str(number))
    assert not out.over
    out.text("one too many")
    assert out.over
    peer.reading.set()
    await settle()
    # What was half written, then the word and the code; nothing of what had waited.
    assert peer.texts()[0] == "0"
    assert json.loads(peer.texts()[1]) == {"type": "error", "id": None, "code": "connection/slow_reader", "fields": {}}
    assert len(peer.texts()) == 2
    assert peer.closes() == [(4529, "connection/slow_reader")]


async def test_a_peer_that_does_not_read_its_dismissal_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing_module, "MAX_CLOSE_WAIT_MS", 1)
    peer, out = made()
    peer.reading.clear()
    out.text("0")
    out.close(ServerStops())
    await asyncio.sleep(0.02)
    assert peer.cuts >= 1
    assert peer.got == []
    assert out.waiting == 0


async def test_a_close_comes_after_what_was_sent_and_ends_it_all() -> None:
    peer, out = made()
    out.text("0")
    out.close(ServerStops())
    out.close(ServerStops())
    out.text("too late")
    assert len(peer.texts()) == 2
    assert peer.closes() == [(1012, "connection/server_stops")]


@pytest.mark.parametrize("error", [OSError(), RuntimeError("closed"), WebSocketDisconnect(1006)])
@pytest.mark.parametrize("waiting", [False, True])
async def test_b205_a_peer_that_has_gone_is_nobodys_trouble(error: Exception, *, waiting: bool) -> None:
    peer, out = made()
    if waiting:
        peer.reading.clear()
        out.text("0")
        out.text("1")
    peer.fails_with = error
    peer.reading.set()
    out.text("2")
    await settle()
    assert out.over
    assert peer.cuts >= 1
    out.text("3")
    assert peer.got == []


async def test_a_lost_peer_leaves_no_task_behind() -> None:
    peer, out = made()
    before = asyncio.all_tasks()
    peer.reading.clear()
    for number in range(5):
        out.text(str(number))
    out.lost()
    await settle()
    assert asyncio.all_tasks() == before
    assert out.waiting == 0


async def test_a_send_that_waits_several_times_is_carried_to_its_end() -> None:
    """The server beneath may wait more than once in one send."""
    steps: list[Any] = []

    async def send(message: Message) -> None:
        for step in range(3):
            await asyncio.sleep(0)
            steps.append((step, message["text"]))

    out = Outgoing(send, cut=lambda: None)
    out.text("a")
    out.text("b")
    assert steps == []
    for _ in range(12):
        await asyncio.sleep(0)
    assert steps == [(step, text) for text in "ab" for step in range(3)]
