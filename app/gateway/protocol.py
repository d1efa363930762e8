"""The server's WebSocket protocol with one thing added: an application may cut the connection beneath a socket.

ASGI has a close only, which waits until a peer has read what is buffered; a peer that never reads would be kept for
ever. The cut stands in the scope's extensions, where an application finds what its server can do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from websockets.http11 import Request

CUT: Final = "avenue.cut"


class SocketProtocol(WebSocketsSansIOProtocol):
    """One connection's protocol. Give the class to uvicorn as `ws`."""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.response.status_code == 101:
            # The application's task is made by now and has not yet run.
            extensions = cast("dict[str, Any]", self.scope["extensions"])
            extensions[CUT] = {"cut": self.transport.abort}


def cut_of(scope: Mapping[str, Any]) -> Callable[[], None]:
    """What cuts this connection; nothing where the server beneath is another, as in a test without one."""
    found = scope.get("extensions", {}).get(CUT)
    return _nothing if found is None else found["cut"]


def _nothing() -> None:
    """There is no connection to cut."""
