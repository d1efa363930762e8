"""Frames from a table to a client, JSON text."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from engine.rules.actions import SeatNo
from engine.rules.events import PlayerId
from engine.table.events import AnyEvent
from engine.table.standstill import PauseReason
from engine.table.views import TableView


class _Frame(msgspec.Struct, frozen=True, tag_field="type"):
    """A server's frame."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class You(msgspec.Struct, frozen=True):
    """Who the server takes the client for, and where he sits."""

    player: PlayerId
    name: str
    seat: SeatNo | None


class Snapshot(_Frame, frozen=True, tag="snapshot"):
    """The table as this viewer may see it after event `table.seq`. `you` is null for who is not logged in.

    `paused` says why the table stands still, and is null while it does not.
    """

    now_ms: int
    you: You | None
    table: TableView
    paused: PauseReason | None = None


class Events(_Frame, frozen=True, tag="events"):
    """What happened at `at_ms`, as this viewer may see it. The first event has the number `seq`, each next one more."""

    seq: int
    at_ms: int
    events: tuple[AnyEvent, ...]


class Ack(_Frame, frozen=True, tag="ack"):
    """The command `id` is done and durable; the table stood at `seq` after it."""

    id: str
    seq: int


class Error(_Frame, frozen=True, tag="error"):
    """Refused, and nothing has changed. `id` is null where the frame had none that could be read."""

    id: str | None
    code: str
    fields: dict[str, Any] = {}


class Paused(_Frame, frozen=True, tag="paused"):
    """The table stands still: it takes no command, and no clock runs out. It is no event and has no number."""

    reason: PauseReason


class GoingOn(_Frame, frozen=True, tag="going_on"):
    """The table takes commands again. What its clocks are owed for the pause comes as `clock_resumed`."""


ServerFrame: TypeAlias = Snapshot | Events | Ack | Error | Paused | GoingOn
