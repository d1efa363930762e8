"""One table over one WebSocket: its state, kept by folding events, and the commands of a player there."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from avenue_sdk.codec import EventsInPart, UnknownEvent, UnknownFrame, read_frame, write_frame
from avenue_sdk.errors import ConnectionLost, Outdated, ProtocolBroken, Refused, SdkError, Unanswered, refusal_of
from avenue_sdk.messages import (
    Ack,
    Act,
    Action,
    Command,
    Error,
    Event,
    Events,
    GoingOn,
    Hello,
    Option,
    Paused,
    SeatNo,
    ServerFrame,
    Sit,
    SitIn,
    SitOut,
    Snapshot,
    StandUp,
    TopUp,
)
from avenue_sdk.state import TableState, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

EventListener: TypeAlias = "Callable[[TableState, Event], None]"
"""Called with the state after the event. It must return at once; what it raises ends the session."""

_log = logging.getLogger("avenue_sdk.session")
# In detail it would write down every header and every frame: the login's token, and the player's cards.
_log.setLevel(logging.INFO)

PAUSED_RETRY_S = 0.1
"""How long a command waits after the table has gone on, before it is sent again."""

MAX_SERVER_FRAME_BYTES = 1 << 20
"""A server's frame. A larger one ends the connection."""


class TableSession:
    """A table that one plays at or watches. Use it as `async with client.table(table_id) as table:`.

    `state` is the table after the last event that came; it is replaced, never changed. Each command returns when the
    server has acknowledged it and `state` has what it brought about, or raises `Refused`, `Unanswered` or
    `ConnectionLost`; while the table stands still, it waits. A session that has ended stays so: open another one, the
    seat is kept.
    """

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        on_event: EventListener | None = None,
        timeout_s: float = 30,
    ) -> None:
        self._url = url
        self._headers = dict(headers or {})
        self._on_event = on_event
        self._timeout_s = timeout_s
        self._state: TableState | None = None
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._ended: BaseException | None = None
        self._pending: dict[str, asyncio.Future[int]] = {}
        self._waiting: list[tuple[Callable[[TableState], bool], asyncio.Future[TableState]]] = []
        self._id_prefix = secrets.token_hex(6)
        self._commands = 0

    async def __aenter__(self) -> Self:
        try:
            self._socket = await connect(
                self._url,
                additional_headers=self._headers,
                compression=None,
                logger=_log,
                max_size=MAX_SERVER_FRAME_BYTES,
                open_timeout=self._timeout_s,
                proxy=None,
            )
        except InvalidStatus as error:
            raise ConnectionLost(reason=f"HTTP {error.response.status_code}") from error
        except (OSError, InvalidHandshake) as error:
            raise ConnectionLost(reason=type(error).__name__) from error
        try:
            self._state = await self._greet(self._socket)
        except BaseException:
            await self._socket.close()
            raise
        self._reader = asyncio.create_task(self._read(self._socket), name=f"read {self._url}")
        self._reader.add_done_callback(self._end)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._socket is not None:
            await self._socket.close()
        if self._reader is not None:
            # The close ends the reading; what it ended with has been told to everyone who waited.
            await asyncio.wait([self._reader])

    @property
    def state(self) -> TableState:
        """The table as it stands now."""
        if self._state is None:
            raise SdkError("open the table first: async with client.table(…) as table")
        return self._state

    async def until(self, holds: Callable[[TableState], bool]) -> TableState:
        """Wait for the first state, this one included, of which `holds` is true.

        No state is left out, however quickly they follow each other. `holds` must return at once. Raises what ended
        the session: `ConnectionLost`, `Outdated`, `ProtocolBroken`, or what a listener raised.
        """
        if holds(self.state):
            return self.state
        self._require_running()
        future: asyncio.Future[TableState] = asyncio.get_running_loop().create_future()
        entry = (holds, future)
        self._waiting.append(entry)
        try:
            return await future
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)

    async def sit(self, buy_in_chips: int, *, seat: SeatNo | None = None) -> None:
        """Take a seat with a buy-in from the wallet; without `seat`, the first free one."""
        await self._do(Sit(id=self._new_id(), buy_in_chips=buy_in_chips, seat=seat))

    async def stand_up(self) -> None:
        """Leave with the whole stack: at once, or at the end of the running hand, which is folded on one's turn."""
        await self._do(StandUp(id=self._new_id()))

    async def sit_out(self) -> None:
        """Be dealt no more hands."""
        await self._do(SitOut(id=self._new_id()))

    async def sit_in(self) -> None:
        """Be dealt in from the next hand on."""
        await self._do(SitIn(id=self._new_id()))

    async def top_up(self, added_chips: int) -> None:
        """Add chips from the wallet; they count from the next hand on."""
        await self._do(TopUp(id=self._new_id(), added_chips=added_chips))

    async def act(self, wish: Option | Action, *, state: TableState | None = None) -> None:
        """Act on my turn: with one of its options, or with an option's action.

        `state` is the one that the wish was made for, by default the present one. If its turn is over by now, the
        server refuses the action and nothing happens.
        """
        state = state or self.state
        if state.my_turn is None or state.hand is None:
            raise Refused("action/not_your_turn")
        action = wish.action if isinstance(wish, Option) else wish
        await self._do(Act(id=self._new_id(), hand=state.hand.hand, turn=state.my_turn.turn, action=action))

    async def _do(self, command: Command) -> None:
        """Send the command until it is answered, and wait until the state has what it brought about.

        While the table stands still nothing is done: the same command is sent again when it goes on.
        """
        while not await self._done(command):
            await self.until(lambda state: state.paused is None)
            await asyncio.sleep(PAUSED_RETRY_S)

    async def _done(self, command: Command) -> bool:
        try:
            async with asyncio.timeout(self._timeout_s):
                seq = await self._answer_to(command)
                await self.until(lambda state: state.seq >= seq)
        except TimeoutError as error:
            raise Unanswered(self._timeout_s) from error
        except Refused as refusal:
            if refusal.code == "table/paused":
                return False
            raise
        return True

    async def _answer_to(self, command: Command) -> int:
        while True:
            try:
                return await self._send_once(command)
            except Refused as refusal:
                if refusal.code != "frame/too_many":
                    raise
                # The frame was not even read: the same may be sent again when the server has room for it.
                await asyncio.sleep(refusal.fields.get("retry_after_ms", 1_000) / 1_000)

    async def _send_once(self, command: Command) -> int:
        self._require_running()
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._pending[command.id] = answer
        try:
            await self._send(command)
            return await answer
        finally:
            del self._pending[command.id]
            if answer.done() and not answer.cancelled():
                # Looked at, so that an answer which came after the waiting had ended is not reported as forgotten.
                answer.exception()

    async def _send(self, frame: Hello | Command) -> None:
        if self._socket is None:
            raise SdkError("open the table first: async with client.table(…) as table")
        try:
            await self._socket.send(write_frame(frame))
        except ConnectionClosed as error:
            raise _lost(error) from error

    async def _greet(self, socket: ClientConnection) -> TableState:
        """Say hello and take the snapshot. Raises `Refused` with the server's code when it lets nobody in."""
        try:
            async with asyncio.timeout(self._timeout_s):
                with contextlib.suppress(ConnectionClosed):
                    # Who is turned away at once is still told why.
                    await socket.send(write_frame(Hello()))
                while True:
                    frame = read_frame(await socket.recv())
                    if isinstance(frame, Snapshot):
                        return state_of(frame)
                    if isinstance(frame, Error):
                        raise _turned_away(frame.code, frame.fields)
                    if not isinstance(frame, UnknownFrame):
                        raise ProtocolBroken("no snapshot came first")
        except TimeoutError as error:
            raise Unanswered(self._timeout_s) from error
        except ConnectionClosed as error:
            lost = _lost(error)
            raise (_turned_away(lost.reason, {}) if "/" in lost.reason else lost) from error

    async def _read(self, socket: ClientConnection) -> None:
        """Take every frame as it comes, until the connection ends."""
        try:
            while True:
                self._take(read_frame(await socket.recv()))
        except ConnectionClosed as error:
            raise _lost(error) from error
        except (Outdated, ProtocolBroken):
            # Nothing more can be told from this connection.
            await socket.close()
            raise

    def _take(self, frame: ServerFrame | EventsInPart | UnknownFrame) -> None:
        match frame:
            case Events() | EventsInPart():
                self._fold(frame)
            case Ack():
                self._settle(frame.id, frame.seq)
            case Error():
                self._refuse(frame)
            case Snapshot():
                self._replace(state_of(frame))
            case Paused():
                self._replace(replace(self.state, paused=frame.reason))
            case GoingOn():
                self._replace(replace(self.state, paused=None))
            case _:
                # Any other frame is a notice: it changes nothing that the state tells.
                pass

    def _fold(self, frame: Events | EventsInPart) -> None:
        if frame.seq > self.state.seq + 1:
            raise Outdated(f"events {self.state.seq + 1} to {frame.seq - 1} are missing")
        for seq, event in enumerate(frame.events, start=frame.seq):
            if seq <= self.state.seq:
                continue
            if isinstance(event, UnknownEvent):
                raise Outdated(f"this SDK does not know the event {event.type!r}")
            self._replace(self.state.after(event, frame.at_ms))
            if self._on_event is not None:
                self._on_event(self.state, event)

    def _replace(self, state: TableState) -> None:
        self._state = state
        for entry in tuple(self._waiting):
            holds, future = entry
            if not future.done() and holds(state):
                future.set_result(state)
                self._waiting.remove(entry)

    def _settle(self, command_id: str, seq: int) -> None:
        answer = self._pending.get(command_id)
        if answer is not None and not answer.done():
            answer.set_result(seq)

    def _refuse(self, frame: Error) -> None:
        answer = self._pending.get(frame.id) if frame.id is not None else self._only_pending(frame.code)
        if answer is not None and not answer.done():
            answer.set_exception(refusal_of(frame.code, frame.fields))

    def _only_pending(self, code: str) -> asyncio.Future[int] | None:
        """A frame that the server did not even read has no id; it can be told which when only one is unanswered."""
        if code.startswith("frame/") and len(self._pending) == 1:
            return next(iter(self._pending.values()))
        return None

    def _end(self, reader: asyncio.Task[None]) -> None:
        """Tell everyone who still waits what the reading ended with."""
        self._ended = ConnectionLost(reason="closed here") if reader.cancelled() else reader.exception()
        error = self._ended or ConnectionLost(reason="closed here")
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(error)
        for _, reached in self._waiting:
            if not reached.done():
                reached.set_exception(error)

    def _require_running(self) -> None:
        if self._ended is not None:
            raise self._ended

    def _new_id(self) -> str:
        self._commands += 1
        return f"{self._id_prefix}-{self._commands}"


def _turned_away(code: str, fields: dict[str, Any]) -> Refused | ConnectionLost:
    """What it means that the server answers the hello with this code."""
    return ConnectionLost(reason=code) if code.startswith("connection/") else refusal_of(code, fields)


def _lost(error: ConnectionClosed) -> ConnectionLost:
    close = error.rcvd or error.sent
    return ConnectionLost(close.code, close.reason) if close is not None else ConnectionLost()
