"""Ordinary clients that keep every frame they are sent, as it came."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from avenue_sdk import Client, TableSession, TableState
from avenue_sdk.session import EventListener


@dataclass
class Received:
    """What one viewer was sent at one table. `player` is None for who is not logged in."""

    table: str
    player: str | None
    frames: list[str] = field(default_factory=list)


class RecordingClient(Client):
    """A client whose sessions at tables write down in `received` all that they are sent."""

    def __init__(self, url: str, *, token: str | None = None) -> None:
        super().__init__(url, token=token)
        self.player: str | None = None
        self.received: list[Received] = []

    def table(self, table: str, *, on_event: EventListener | None = None) -> TableSession:
        received = Received(table=table, player=self.player)
        self.received.append(received)
        plain = super().table(table, on_event=on_event)
        return _RecordingSession(plain, received)

    def address(self, table: str) -> tuple[str, dict[str, str]]:
        """The socket of a table and the headers of this client's login, for who speaks to it in his own way."""
        plain = super().table(table)
        return plain._url, plain._headers  # noqa: SLF001 - the SDK hides them for good reason


class _RecordingSession(TableSession):
    def __init__(self, plain: TableSession, received: Received) -> None:
        super().__init__(plain._url, headers=plain._headers, on_event=plain._on_event)  # noqa: SLF001 - its double
        self._received = received

    async def _greet(self, socket: Any) -> TableState:
        return await super()._greet(self._heard(socket))

    async def _read(self, socket: Any) -> None:
        await super()._read(self._heard(socket))

    def _heard(self, socket: Any) -> Any:
        return _Ear(socket, self._received)


class _Ear:
    """A socket that writes down what it hears."""

    def __init__(self, socket: Any, received: Received) -> None:
        self._socket = socket
        self._received = received

    async def recv(self) -> str:
        text: str = await self._socket.recv()
        self._received.frames.append(text)
        return text

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)
