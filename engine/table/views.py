"""A table as a given viewer may see it: the snapshot that a client begins with. Cards come through `rules/views.py`."""

from __future__ import annotations

import msgspec

from engine.rules.actions import SeatNo
from engine.rules.events import PlayerId
from engine.rules.views import HandView
from engine.table.events import TableConfig, TableId, Turn


class SeatView(msgspec.Struct, frozen=True):
    """A taken seat. `stack_chips` is what is behind right now, `queued_chips` joins it when the hand is over."""

    seat: SeatNo
    player: PlayerId
    name: str
    stack_chips: int
    queued_chips: int
    sitting_out: bool
    leaving: bool
    house_bot: bool
    time_bank_ms: int


class TableView(msgspec.Struct, frozen=True):
    """A table after the event number `seq`. `hands` is how many have been dealt, the running one included.

    Folding every later event's view into it gives the view at that event: a client needs nothing else.
    """

    table: TableId
    config: TableConfig
    seq: int
    hands: int
    seats: tuple[SeatView, ...]
    hand: HandView | None
    turns: tuple[Turn, ...]
