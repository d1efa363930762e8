"""What goes out on one socket: written at once while its peer reads, queued within a bound while it does not.

A table hands its frames over and goes on; it never awaits a socket. As long as the transport takes what is written,
`send` of the server beneath ends without having waited, so it is carried out on the spot, without a task. The first
one that has to wait becomes a task that finishes it and then sends what has queued up behind it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from starlette.websockets import WebSocketDisconnect

from app.errors import close_of
from app.refusals import SlowReader
from app.wire.frames import encode
from app.wire.server import Error
from engine.limits import MAX_CLOSE_WAIT_MS, MAX_OUTBOX_FRAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

    from starlette.types import Message

    from app.wire.server import ServerFrame
    from engine.rules.errors import AvenueError

GONE: Final = (OSError, WebSocketDisconnect, RuntimeError)
"""What a send raises when the connection is over; the server beneath says so by any of these."""


class Outgoing:
    """The way out of one accepted socket. Nothing here blocks or raises, whatever the peer does.

    `send` is the socket's own, `cut` ends the transport at once, without a word.
    """

    def __init__(self, send: Callable[[Message], Coroutine[Any, Any, None]], *, cut: Callable[[], None]) -> None:
        self._send = send
        self._cut = cut
        self._waiting: deque[Message] = deque()
        self._draining: asyncio.Task[None] | None = None
        self.over = False

    @property
    def waiting(self) -> int:
        """How many frames wait for the peer, the one that is half written not counted."""
        return len(self._waiting)

    def frame(self, frame: ServerFrame) -> None:
        """Encode a frame and send it."""
        self.text(encode(frame))

    def text(self, text: str) -> None:
        """Send an encoded frame. A peer that has let too many wait is dropped instead."""
        if self.over:
            return
        if len(self._waiting) >= MAX_OUTBOX_FRAMES:
            self.close(SlowReader())
            return
        self._put({"type": "websocket.send", "text": text})

    def close(self, error: AvenueError) -> None:
        """End the connection: an `error` frame, then the close code; what still waited is dropped.

        A peer that does not even read that is cut off after `MAX_CLOSE_WAIT_MS`.
        """
        if self.over:
            return
        self.over = True
        self._waiting.clear()
        last_words = encode(Error(id=None, code=error.code, fields=error.fields))
        self._put({"type": "websocket.send", "text": last_words})
        self._put({"type": "websocket.close", "code": close_of(error).code, "reason": error.code})
        asyncio.get_running_loop().call_later(MAX_CLOSE_WAIT_MS / 1000, self._cut)

    def lost(self) -> None:
        """The peer has gone: nothing more is sent."""
        self.over = True
        self._waiting.clear()
        if self._draining is not None:
            self._draining.cancel()

    def _put(self, message: Message) -> None:
        if self._draining is not None:
            self._waiting.append(message)
            return
        sending = self._send(message)
        try:
            held_up_by = sending.send(None)
        except StopIteration:
            return
        except GONE:
            self._gone()
            return
        self._draining = asyncio.get_running_loop().create_task(self._drain(_Rest(sending, held_up_by)))

    async def _drain(self, begun: _Rest) -> None:
        try:
            await begun
            while self._waiting:
                await self._send(self._waiting.popleft())
        except GONE:
            self._gone()
        finally:
            self._draining = None

    def _gone(self) -> None:
        """Make sure that the transport ends too: one that cannot empty its buffer would wait for ever."""
        self.over = True
        self._waiting.clear()
        self._cut()


class _Rest:
    """A coroutine that was begun by hand and had to wait: awaiting this carries it to its end."""

    def __init__(self, begun: Coroutine[Any, Any, None], held_up_by: Any) -> None:
        self._begun = begun
        self._held_up_by = held_up_by

    def __await__(self) -> Generator[Any, Any, None]:
        held_up_by = self._held_up_by
        while True:
            step: Callable[[], Any]
            try:
                answer = yield held_up_by
            except BaseException as error:  # noqa: BLE001 - handed on: what is thrown in is meant for the one who waits
                step = partial(self._begun.throw, error)
            else:
                step = partial(self._begun.send, answer)
            try:
                held_up_by = step()
            except StopIteration:
                return
