"""What happened at a table besides the hand: seats, stacks between hands, turns and clocks.

A table's events and its hands' events share one `seq`, from 1. Times are UTC milliseconds.
"""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

import msgspec

from engine.rules.actions import Options, SeatNo
from engine.rules.events import HandEvent, PlayerId, PublicEvent
from engine.rules.variants import Variant

TableId = NewType("TableId", str)

LeaveReason = Literal["stood_up", "absent"]
SitOutReason = Literal["asked", "timed_out", "no_chips"]


class TableConfig(msgspec.Struct, frozen=True):
    """What an operator sets for a table. The variant with its stakes is what the next hand is dealt by.

    `max_buy_in_chips` None is no maximum. `quiet_pause_ms` is the pause between hands while only house bots are there.
    """

    name: str
    variant: Variant
    currency: str
    min_buy_in_chips: int
    max_buy_in_chips: int | None = None
    dealer: int = 0
    turn_ms: int = 20_000
    time_bank_ms: int = 60_000
    pause_ms: int = 3_000
    quiet_pause_ms: int = 60_000
    absent_ms: int = 600_000


class TableOpened(PublicEvent, frozen=True):
    """The first event of every table."""

    table: TableId
    config: TableConfig


class PlayerSat(PublicEvent, frozen=True):
    seat: SeatNo
    player: PlayerId
    name: str
    stack_chips: int
    house_bot: bool


class LeaveAnnounced(PublicEvent, frozen=True):
    """Who sits here leaves when the running hand is over."""

    seat: SeatNo


class PlayerLeft(PublicEvent, frozen=True):
    """The seat is free; the whole stack went to the player's wallet."""

    seat: SeatNo
    player: PlayerId
    cashed_out_chips: int
    reason: LeaveReason


class SatOut(PublicEvent, frozen=True):
    seat: SeatNo
    reason: SitOutReason


class SatIn(PublicEvent, frozen=True):
    seat: SeatNo


class TopUpQueued(PublicEvent, frozen=True):
    """Chips have left the wallet and join the stack when the running hand is over."""

    seat: SeatNo
    added_chips: int


class ToppedUp(PublicEvent, frozen=True):
    seat: SeatNo
    added_chips: int
    stack_chips: int


class Turn(msgspec.Struct, frozen=True):
    """One seat's decision: `turn` is its number, which no other seat's doing makes stale.

    At `deadline_ms` the time bank, `time_bank_ms` of it, begins; when that is used up, silence decides.
    """

    seat: SeatNo
    turn: int
    options: Options
    deadline_ms: int
    time_bank_ms: int


class TurnOpened(PublicEvent, frozen=True):
    """These seats may act now, each with its options: one in stud, several at the bank."""

    turns: tuple[Turn, ...]


class TimeBankStarted(PublicEvent, frozen=True):
    """The turn's own time is over and the bank runs; at `deadline_ms` it is used up."""

    seat: SeatNo
    turn: int
    deadline_ms: int


class TurnTimedOut(PublicEvent, frozen=True):
    """Silence: what the rules do for a silent player comes next (`rules.md` A10)."""

    seat: SeatNo
    turn: int


class ClockResumed(PublicEvent, frozen=True):
    """The server was away, or nothing could be kept; the seat has until `deadline_ms`."""

    seat: SeatNo
    turn: int
    deadline_ms: int


TableEvent: TypeAlias = (
    TableOpened
    | PlayerSat
    | LeaveAnnounced
    | PlayerLeft
    | SatOut
    | SatIn
    | TopUpQueued
    | ToppedUp
    | TurnOpened
    | TimeBankStarted
    | TurnTimedOut
    | ClockResumed
)

AnyEvent: TypeAlias = TableEvent | HandEvent
"""Everything that stands in a journal and goes over the wire."""
