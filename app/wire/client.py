"""Frames from a client to a table, JSON text. What is not described here is refused."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

from engine.limits import MAX_CHIPS, MAX_COMMAND_ID_CHARS, MAX_SEATS_PER_TABLE
from engine.rules.actions import Action

CommandId = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_COMMAND_ID_CHARS, pattern=r"^[!-~]+$")]
WishedChips = Annotated[int, msgspec.Meta(ge=1, le=MAX_CHIPS)]


class _Frame(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """A client's frame."""


class Hello(_Frame, frozen=True, tag="hello"):
    """The first frame of every connection; the answer is a snapshot, and events follow it."""


class _CommandFrame(_Frame, frozen=True):
    """A wish with the client's own `id`: it gets one `ack` or one `error`, and sent again the same answer."""

    id: CommandId


class Sit(_CommandFrame, frozen=True, tag="sit"):
    """Buy in at a free seat; without `seat`, at the first free one."""

    buy_in_chips: WishedChips
    seat: Annotated[int, msgspec.Meta(ge=1, le=MAX_SEATS_PER_TABLE)] | None = None


class StandUp(_CommandFrame, frozen=True, tag="stand_up"):
    """Leave with the whole stack, at the running hand's end."""


class SitOut(_CommandFrame, frozen=True, tag="sit_out"):
    """Be dealt no more hands."""


class SitIn(_CommandFrame, frozen=True, tag="sit_in"):
    """Be dealt in from the next hand on."""


class TopUp(_CommandFrame, frozen=True, tag="top_up"):
    """Add chips from the wallet; they count from the next hand on."""

    added_chips: WishedChips


class Act(_CommandFrame, frozen=True, tag="act"):
    """Act on one's turn: `hand` and `turn` as the turn's event named them, `action` as an option gave it."""

    hand: str
    turn: int
    action: Action


CommandFrame: TypeAlias = Sit | StandUp | SitOut | SitIn | TopUp | Act
ClientFrame: TypeAlias = Hello | CommandFrame
