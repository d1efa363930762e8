"""Runs the application on uvicorn: which port, with which bounds, and how it ends.

Players are told first, then the sockets go: uvicorn by itself would cut every socket the moment it is asked to stop.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from typing import TYPE_CHECKING, Final

import uvicorn

from app.gateway.protocol import SocketProtocol
from engine.limits import MAX_FRAME_BYTES, MAX_HEAD_BYTES, MAX_PORTS_TRIED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

    from fastapi import FastAPI

SHUTDOWN_S: Final = 5
"""How long open requests may take to end once the server stops."""

WS_MAX_BYTES: Final = 16 * MAX_FRAME_BYTES
"""Up to here a frame that is too large gets a word before its close code; beyond, the code alone."""


_ANY_HOST: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what is listened on is the settings' choice
"""Who listens on every address is reached at this one."""


class NoFreePort(Exception):
    """Every port that was tried is taken."""

    def __init__(self, *, host: str, first_port: int, last_port: int) -> None:
        super().__init__(f"ports {first_port} to {last_port} of {host} are all taken")


def listen(host: str, port: int) -> socket.socket:
    """Bind the port, or the next one that is free; 0 takes any. Raises `NoFreePort`, and `OSError` for a bad host."""
    tried = range(port, min(port + MAX_PORTS_TRIED, 65_536)) if port else range(1)
    for candidate in tried:
        try:
            return _bound(host, candidate)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    raise NoFreePort(host=host, first_port=tried[0], last_port=tried[-1])


def address(listening: socket.socket) -> str:
    """The address to type on this machine, as `http://127.0.0.1:8000`."""
    host, port = listening.getsockname()[:2]
    host = _ANY_HOST.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """A uvicorn whose signals are somebody else's, and which drains the house before it closes sockets."""

    def __init__(self, app: FastAPI, *, drain: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config(app))
        self._drain = drain
        self._begun = asyncio.Event()

    async def begun(self) -> None:
        """Wait until the house is open and requests are taken."""
        await self._begun.wait()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._begun.set()

    def stop(self, *, hard: bool = False) -> None:
        """Begin to stop; `hard` waits for nobody any more."""
        self.should_exit = True
        self.force_exit = self.force_exit or hard

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        if not self.force_exit:
            await self._drain()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def config(app: FastAPI) -> uvicorn.Config:
    """How the application is served, wherever it listens."""
    return uvicorn.Config(
        app,
        lifespan="on",
        # The other one that uvicorn offers lets headers grow without bound.
        http="h11",
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        ws=SocketProtocol,
        ws_max_size=WS_MAX_BYTES,
        ws_per_message_deflate=False,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        timeout_graceful_shutdown=SHUTDOWN_S,
        server_header=False,
        proxy_headers=False,
        log_config=None,
    )


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With its protocol named, the event loop sends small frames at once instead of holding them back for more.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        # Whoever else wants the port finds out now, not when the server begins to accept.
        listening.listen(2048)
    except OSError:
        listening.close()
        raise
    listening.settimeout(0)
    return listening
