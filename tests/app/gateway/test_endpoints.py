"""Sockets against a real server when peers misbehave: they read slowly, go without a word, or come where nothing is."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import websockets

from app.gateway import outgoing as outgoing_module
from app.refusals import SlowReader
from app.rooms.room import Room
from tests.app.playing import Player, play_together
from tests.app.served import WAIT_S, Served, Socket, serving

SMALL_BYTES = 4_096


@pytest.fixture
async def narrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Served]:
    """A server whose buffers are soon full, and which lets few frames wait."""
    monkeypatch.setattr(outgoing_module, "MAX_OUTBOX_FRAMES", 20)
    async with serving(tmp_path, send_buffer_bytes=SMALL_BYTES, commands_burst=10_000) as served:
        yield served


@asynccontextmanager
async def frozen(served: Served, room: Room) -> AsyncIterator[Socket]:
    """Somebody who says hello, hears the snapshot and then reads no more."""
    narrow_socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    narrow_socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BYTES)
    narrow_socket.setblocking(False)  # noqa: FBT003 - the library's own way
    host, port = served.url.removeprefix("http://").split(":")
    await asyncio.get_running_loop().sock_connect(narrow_socket, (host, int(port)))
    async with served.at(room.table, sock=narrow_socket, max_queue=1, close_timeout=1) as follower:
        yield follower


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not holds():  # noqa: ASYNC110 - what is waited for happens on the server's side
            await asyncio.sleep(0.005)


@pytest.fixture
def drops(monkeypatch: pytest.MonkeyPatch) -> list[SlowReader]:
    """Every slow reader that is dropped from now on."""
    noted: list[SlowReader] = []

    def noting() -> SlowReader:
        noted.append(SlowReader())
        return noted[-1]

    monkeypatch.setattr(outgoing_module, "SlowReader", noting)
    return noted


async def test_b199_a_slow_reader_is_dropped_with_its_code_while_the_others_play_on(
    narrow: Served, drops: list[SlowReader]
) -> None:
    room = await narrow.table()
    ada, bob = await narrow.guest(), await narrow.guest()
    async with narrow.at(room.table, ada) as one, narrow.at(room.table, bob) as two, frozen(narrow, room) as slow:
        await one.sit(1_000)
        await two.sit(1_000)
        players = Player(one), Player(two)
        async with asyncio.timeout(60):
            while not drops:
                await play_together(*players)
        hands = room.public_view().hands
        # It reads again in time to be told why.
        assert await slow.closed() == (4529, "connection/slow_reader")
        assert slow.heard[-1]["code"] == "connection/slow_reader"
        await play_together(*players, hands=2)
        assert room.public_view().hands > hands
    assert len(drops) == 1
    # What it heard until then is without a gap.
    first = slow.snapshot["table"]["seq"] + 1
    assert [seq for seq, _ in slow.events] == list(range(first, first + len(slow.events)))


async def test_one_that_does_not_even_read_its_dismissal_is_cut(
    narrow: Served, drops: list[SlowReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing_module, "MAX_CLOSE_WAIT_MS", 50)
    room = await narrow.table()
    ada, bob = await narrow.guest(), await narrow.guest()
    async with narrow.at(room.table, ada) as one, narrow.at(room.table, bob) as two, frozen(narrow, room) as slow:
        await one.sit(1_000)
        await two.sit(1_000)
        players = Player(one), Player(two)
        async with asyncio.timeout(60):
            while not drops:
                await play_together(*players)
        await until(lambda: len(narrow.house.gateway) == 2)
        assert room.watching == 2
        # Its kernel has some frames yet; behind them there is nothing.
        code, _ = await slow.closed()
        assert code == 1006
        await play_together(*players, hands=2)


async def test_b205_b206_peers_that_vanish_in_any_phase_trouble_nobody(served: Served) -> None:
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    eve_too = await served.guest()
    open_before = len(served.house.gateway)

    async def vanish(number: int) -> None:
        """Come, get as far as this number says, and go without a close."""
        async with served.socket(room.table, eve_too if number % 2 else None) as gone:
            if number % 5 > 0:
                await gone.say({"type": "hello"})
            if number % 5 > 1:
                await gone.hear()
            if number % 5 > 2:
                await gone.say({"type": "sit_out", "id": "x"})
            if number % 5 > 3:
                await gone.say("{")
            gone.connection.transport.abort()

    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two, served.at(room.table) as eve:
        await one.sit(1_000)
        await two.sit(1_000)
        players = Player(one), Player(two)
        for start in range(0, 100, 20):
            await asyncio.gather(*(vanish(number) for number in range(start, start + 20)), play_together(*players))
        await until(lambda: room.watching == 3)
        assert len(served.house.gateway) == open_before + 3
        last = room.public_view().seq
        while not eve.events or eve.events[-1][0] < last:
            await eve.hear()
        numbers = [seq for seq, _ in eve.events]
        assert numbers == list(range(eve.snapshot["table"]["seq"] + 1, numbers[-1] + 1))


async def test_an_unknown_socket_is_refused_at_the_handshake(served: Served) -> None:
    with pytest.raises(websockets.InvalidStatus) as caught:
        async with websockets.connect(f"{served.url.replace('http', 'ws')}/ws/elsewhere"):
            pass
    assert caught.value.response.status_code == 403


async def test_a_socket_is_no_page(served: Served) -> None:
    answer = await served.http.get("/ws/tables/t1")
    assert (answer.status_code, answer.json()["code"]) == (404, "request/not_found")


async def test_nothing_is_compressed(served: Served) -> None:
    """Compression costs more than it saves, and what is secret must not meet what a guest chooses in one stream."""
    room = await served.table()
    url = f"{served.url.replace('http', 'ws')}/ws/tables/{room.table}"
    async with websockets.connect(url, compression="deflate") as connection:
        assert connection.response is not None
        assert "sec-websocket-extensions" not in connection.response.headers
        assert "server" not in connection.response.headers


async def test_players_are_told_before_the_server_goes(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        room = await served.table()
        guest = await served.guest()
        async with served.at(room.table, guest) as one, served.at(room.table) as eve:
            await one.sit(40)
            heard = asyncio.gather(one.closed(), eve.closed())
            await served.house.drain()
            assert set(await heard) == {(1012, "connection/server_stops")}
            async with served.socket(room.table) as late:
                assert await late.closed() == (1012, "connection/server_stops")
            ready = await served.http.get("/readyz")
            assert (ready.status_code, ready.json()) == (503, {"status": "not_ready"})


async def test_b172_after_a_restart_everything_is_as_it_was(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        room = await served.table(pause_ms=60_000, quiet_pause_ms=60_000)
        guest = await served.guest()
        async with served.at(room.table, guest) as one:
            await one.sit(40)
            before = room.public_view()
    async with serving(tmp_path) as served:
        async with served.at(room.table, guest) as one:
            assert one.snapshot["you"]["seat"] == 1
            assert one.snapshot["table"]["seq"] == before.seq
            # An answer that was lost with the old server is given by the new one.
            await one.say({"type": "sit", "id": "c1", "buy_in_chips": 40})
            assert (await one.answer())["type"] == "ack"
        wallet = (await served.http.get("/api/wallet", headers=guest.headers)).json()
        assert wallet["balance_chips"] == 9_960


async def test_frames_are_text_and_json(served: Served) -> None:
    room = await served.table()
    async with served.socket(room.table) as one:
        await one.say({"type": "hello"})
        raw = await one.connection.recv()
        assert isinstance(raw, str)
        assert json.loads(raw)["type"] == "snapshot"
