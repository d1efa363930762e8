"""Bodies of the history: one's own hands as a list, and one hand with its events."""

from __future__ import annotations

import msgspec

from app.schemas import ToldBody
from engine.rules.actions import SeatNo
from engine.rules.events import HandEvent, HandId
from engine.table.events import TableId


class MyHandBody(ToldBody):
    """A finished hand that the asker was dealt into; `outcome` is `ended` or `cancelled`."""

    hand: str
    table: str
    table_name: str
    game: str
    currency: str
    small_bet_chips: int | None
    big_bet_chips: int | None
    seat: int
    start_chips: int
    net_chips: int
    pot_chips: int
    outcome: str
    started_ms: int
    ended_ms: int


class MyHandsBody(ToldBody):
    """The newest first. `next` is the `before` of the next page, null on the last one."""

    hands: list[MyHandBody]
    next: str | None


class PastEvent(msgspec.Struct, frozen=True):
    """An event of the hand with its number at the table; numbers between belong to what the table did meanwhile."""

    seq: int
    at_ms: int
    event: HandEvent


class HandHistory(msgspec.Struct, frozen=True):
    """A finished hand as the asker may see it; `seat` is the one that he had in it, null for everybody else."""

    hand: HandId
    table: TableId
    currency: str
    seat: SeatNo | None
    events: tuple[PastEvent, ...]
