"""The server's WebSocket protocol lets an application cut a connection, and is otherwise uvicorn's own."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from app.gateway import service as service_module
from app.gateway.protocol import CUT, SocketProtocol, cut_of
from tests.app.served import Served


def test_it_changes_the_handshake_alone() -> None:
    own = {name for name in vars(SocketProtocol) if not name.startswith("__")}
    assert own == {"handle_connect"}
    for name in ("handle_connect", "send", "receive", "shutdown"):
        assert inspect.isfunction(getattr(WebSocketsSansIOProtocol, name))


async def test_a_cut_ends_the_connection_at_once(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    cuts: list[Callable[[], None]] = []

    def noting(scope: Mapping[str, Any]) -> Callable[[], None]:
        cuts.append(cut_of(scope))
        return cuts[-1]

    monkeypatch.setattr(service_module, "cut_of", noting)
    room = await served.table()
    async with served.at(room.table) as one:
        cuts[-1]()
        assert (await one.closed())[0] == 1006


def test_without_such_a_server_a_cut_is_nothing() -> None:
    cut_of({})()
    cut_of({"extensions": {"websocket.http.response": {}}})()


def test_with_it_the_cut_is_the_transports() -> None:
    calls = []
    cut_of({"extensions": {CUT: {"cut": lambda: calls.append(1)}}})()
    assert calls == [1]
