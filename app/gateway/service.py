"""The conversation on one socket: who is there, `hello`, the table as it stands, then events out and commands in.

    accept ──► who is it? ──► which table? ──► hello ──► snapshot ──► commands and events, until one side ends it

Commands of one socket are taken one after the other, each answered by one `ack` or one `error`, the `ack` after the
events that the command brought. A player may have several sockets at a table: each gets everything, and a command may
come from any of them. Who sends is what the login says and nothing else.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

import structlog
from starlette.websockets import WebSocketDisconnect

from app.access import bearer_token
from app.accounts.service import HOUSE_BOT
from app.gateway.bucket import TokenBucket
from app.gateway.outgoing import Outgoing
from app.gateway.protocol import cut_of
from app.refusals import (
    BinaryFrame,
    FrameTooLarge,
    HelloExpected,
    HelloTooLate,
    NotLoggedIn,
    ServerFull,
    ServerStops,
    TooManyFrames,
    UnexpectedHello,
)
from app.rooms.feed import Subscription
from app.rooms.viewer import Viewer
from app.wire import client, server
from app.wire.frames import Unreadable, decode
from engine.limits import COMMANDS_BURST, COMMANDS_PER_SECOND, MAX_CONNECTIONS, MAX_HELLO_WAIT_MS
from engine.rules.actions import SeatNo
from engine.rules.errors import AvenueError, Fault
from engine.rules.events import HandId
from engine.table import commands

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.websockets import WebSocket

    from app.accounts.service import Accounts
    from app.rooms.room import Room
    from app.rooms.service import Rooms
    from engine.table.events import TableId

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast one socket may send frames."""

    per_second: int = COMMANDS_PER_SECOND
    burst: int = COMMANDS_BURST


class Gateway:
    """All sockets of this process."""

    def __init__(self, accounts: Accounts, rooms: Rooms, *, pace: Pace) -> None:
        self._accounts = accounts
        self._rooms = rooms
        self._pace = pace
        self._open: dict[Outgoing, None] = {}
        self._stopping = False

    def __len__(self) -> int:
        return len(self._open)

    async def serve(self, websocket: WebSocket, table: TableId) -> None:
        """Hold the conversation on a socket from its handshake to its end. Raises nothing but a cancellation.

        A mistake of ours ends this one connection with a code that invites the client to come back.
        """
        try:
            await websocket.accept()
        except (OSError, WebSocketDisconnect):
            return
        outgoing = Outgoing(websocket.send, cut=cut_of(websocket.scope))
        conversation = Conversation(websocket, outgoing, self._rooms, self._pace)
        if self._stopping or len(self._open) >= MAX_CONNECTIONS:
            outgoing.close(ServerStops() if self._stopping else ServerFull())
            await conversation.wait_for_end()
            return
        self._open[outgoing] = None
        try:
            await conversation.hold(await self._who(websocket, outgoing), table)
        except Exception as error:
            log.error("a conversation broke", table=table, exc_info=error)
            outgoing.close(Fault())
            await conversation.wait_for_end()
        finally:
            del self._open[outgoing]
            outgoing.lost()

    def stop(self) -> None:
        """Tell everyone that the server stops, and take nobody any more."""
        self._stopping = True
        for outgoing in tuple(self._open):
            outgoing.close(ServerStops())

    async def _who(self, websocket: WebSocket, outgoing: Outgoing) -> Viewer | None:
        """Who the login says it is, None for somebody without one; a login that is none ends the connection."""
        token = bearer_token(websocket)
        if token is None:
            return None
        try:
            player = await self._accounts.player(token)
        except AvenueError as error:
            outgoing.close(error)
            return None
        return Viewer(player=player.id, name=player.name, house_bot=player.kind == HOUSE_BOT)


class Conversation:
    """One socket's conversation. `outgoing` is over once either side has ended it; then only the end is waited for."""

    def __init__(
        self,
        websocket: WebSocket,
        outgoing: Outgoing,
        rooms: Rooms,
        pace: Pace,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._websocket = websocket
        self._outgoing = outgoing
        self._rooms = rooms
        self._bucket = TokenBucket(per_second=pace.per_second, burst=pace.burst, now=now)

    async def hold(self, viewer: Viewer | None, table: TableId) -> None:
        """Talk until one side ends it."""
        try:
            room = self._rooms.room(table)
            if not self._outgoing.over:
                await self._expect_hello()
        except AvenueError as error:
            self._outgoing.close(error)
        else:
            if not self._outgoing.over:
                await self._follow(room, viewer)
        await self.wait_for_end()

    async def wait_for_end(self) -> None:
        """Let the peer read its close code: whatever it still says is not listened to."""
        while await self._next() is not None:
            pass

    async def _expect_hello(self) -> None:
        try:
            async with asyncio.timeout(MAX_HELLO_WAIT_MS / 1000):
                said = await self._next()
        except TimeoutError:
            raise HelloTooLate(max_wait_ms=MAX_HELLO_WAIT_MS) from None
        if said is None:
            self._outgoing.lost()
        elif not isinstance(self._read(said), client.Hello) and not self._outgoing.over:
            raise HelloExpected

    async def _follow(self, room: Room, viewer: Viewer | None) -> None:
        subscription = Subscription(self._outgoing, viewer)
        room.join(subscription)
        try:
            while not self._outgoing.over and (said := await self._next()) is not None:
                wait_ms = self._bucket.take()
                if wait_ms:
                    self._refuse(None, TooManyFrames(retry_after_ms=wait_ms))
                elif (frame := self._read(said)) is not None:
                    await self._carry_out(frame, room, viewer)
        finally:
            room.leave(subscription)

    async def _carry_out(self, frame: client.ClientFrame, room: Room, viewer: Viewer | None) -> None:
        if isinstance(frame, client.Hello):
            self._refuse(None, UnexpectedHello())
            return
        try:
            if viewer is None:
                raise NotLoggedIn
            seq = await self._rooms.submit(room, command_of(frame, viewer))
        except AvenueError as error:
            if isinstance(error, Fault):
                log.error("command failed", table=room.table, code=error.code)
            self._refuse(frame.id, error)
        else:
            self._outgoing.frame(server.Ack(id=frame.id, seq=seq))

    def _read(self, said: str | bytes) -> client.ClientFrame | None:
        """Make a frame of what was said, or refuse it. One that is too large ends the connection."""
        if isinstance(said, bytes):
            self._refuse(None, BinaryFrame())
            return None
        try:
            return decode(said)
        except Unreadable as unreadable:
            if isinstance(unreadable.refusal, FrameTooLarge):
                self._outgoing.close(unreadable.refusal)
            else:
                self._refuse(unreadable.frame_id, unreadable.refusal)
            return None

    def _refuse(self, frame_id: str | None, error: AvenueError) -> None:
        self._outgoing.frame(server.Error(id=frame_id, code=error.code, fields=error.fields))

    async def _next(self) -> str | bytes | None:
        """What the peer says next, None when the connection is over."""
        try:
            message = await self._websocket.receive()
        except (RuntimeError, WebSocketDisconnect):
            return None
        if message["type"] != "websocket.receive":
            return None
        text = message.get("text")
        said: str | bytes = message["bytes"] if text is None else text
        return said


def command_of(frame: client.CommandFrame, viewer: Viewer) -> commands.PlayerCommand:
    """What a logged-in viewer asks of a table by a frame."""
    player, command_id = viewer.player, frame.id
    match frame:
        case client.Act():
            hand = HandId(frame.hand)
            return commands.Act(player=player, command_id=command_id, hand=hand, turn=frame.turn, action=frame.action)
        case client.Sit():
            return commands.Sit(
                player=player,
                command_id=command_id,
                name=viewer.name,
                seat=None if frame.seat is None else SeatNo(frame.seat),
                buy_in_chips=frame.buy_in_chips,
                house_bot=viewer.house_bot,
            )
        case client.StandUp():
            return commands.StandUp(player=player, command_id=command_id)
        case client.SitOut():
            return commands.SitOut(player=player, command_id=command_id)
        case client.SitIn():
            return commands.SitIn(player=player, command_id=command_id)
        case client.TopUp():
            return commands.TopUp(player=player, command_id=command_id, added_chips=frame.added_chips)
        case _:
            assert_never(frame)
