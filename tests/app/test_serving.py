"""Which port, with which bounds, and in which order a server ends."""

import asyncio
import contextlib
import signal
import socket
from pathlib import Path

import pytest
from fastapi import FastAPI

from app.gateway.protocol import SocketProtocol
from app.serving import NoFreePort, Server, address, config, listen
from engine import limits
from tests.app.served import Served


def test_a_taken_port_moves_to_the_next() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with listen("127.0.0.1", port) as second:
            assert port < second.getsockname()[1] <= port + limits.MAX_PORTS_TRIED


def test_too_many_taken_ports_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.serving.MAX_PORTS_TRIED", 1)
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(NoFreePort, match=f"ports {port} to {port} of 127.0.0.1 are all taken"):
            listen("127.0.0.1", port)


def test_the_last_port_has_no_next() -> None:
    with socket.socket() as blocker:
        blocker.bind(("127.0.0.1", 65_535))
        blocker.listen()
        with pytest.raises(NoFreePort):
            listen("127.0.0.1", 65_535)


def test_an_address_that_is_none() -> None:
    with pytest.raises(OSError, match=r".*"):
        listen("192.0.2.1", 0)


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1")])  # noqa: S104
def test_the_address_is_one_to_type(host: str, shown: str) -> None:
    with listen(host, 0) as listening:
        assert address(listening) == f"http://{shown}:{listening.getsockname()[1]}"


def test_ports_are_bound_for_good() -> None:
    """Somebody else who wants the port finds it taken as soon as we have said that it is ours."""
    with listen("127.0.0.1", 0) as ours, socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(ours.getsockname())


def test_what_uvicorn_would_do_by_itself_is_set() -> None:
    chosen = config(FastAPI())
    assert chosen.ws is SocketProtocol
    assert chosen.ws_max_size == 16 * limits.MAX_FRAME_BYTES
    assert not chosen.ws_per_message_deflate
    assert chosen.timeout_graceful_shutdown == 5
    assert not chosen.server_header
    assert not chosen.proxy_headers


async def test_headers_are_bounded(served: Served) -> None:
    host, port = served.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    with contextlib.suppress(ConnectionError):
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
        for number in range(100):
            writer.write(b"X-%d: %s\r\n" % (number, b"y" * 1_000))
            await writer.drain()
    assert (await asyncio.wait_for(reader.readline(), 10)).startswith(b"HTTP/1.1 400 ")
    writer.close()


async def test_small_frames_are_not_held_back(served: Served) -> None:
    room = await served.table()
    async with served.at(room.table) as one:
        took = []
        for _ in range(5):
            begun = asyncio.get_running_loop().time()
            await one.ask("sit", buy_in_chips=40)
            took.append(asyncio.get_running_loop().time() - begun)
        # A frame that waits for the peer's acknowledgement waits 40 ms.
        assert min(took) < 0.03


async def test_the_house_is_drained_before_sockets_are_closed(tmp_path: Path) -> None:
    order: list[str] = []

    async def drain() -> None:
        order.append("drain")

    server = Server(FastAPI(), drain=drain)
    listening = listen("127.0.0.1", 0)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    await asyncio.wait_for(server.begun(), 10)
    server.stop()
    await asyncio.wait_for(task, 10)
    assert order == ["drain"]
    with pytest.raises(OSError, match=r".*"):
        await asyncio.open_connection(*listening.getsockname()[:2])


async def test_a_hard_stop_waits_for_nobody() -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    server = Server(FastAPI(), drain=never)
    task = asyncio.create_task(server.serve(sockets=[listen("127.0.0.1", 0)]))
    await asyncio.wait_for(server.begun(), 10)
    server.stop(hard=True)
    await asyncio.wait_for(task, 10)


async def test_signals_are_left_to_whoever_runs_the_server() -> None:
    before = signal.getsignal(signal.SIGINT)

    async def drain() -> None:
        return

    server = Server(FastAPI(), drain=drain)
    task = asyncio.create_task(server.serve(sockets=[listen("127.0.0.1", 0)]))
    await asyncio.wait_for(server.begun(), 10)
    assert signal.getsignal(signal.SIGINT) is before
    server.stop()
    await task
