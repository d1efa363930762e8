"""A table as a given viewer may see it: the snapshot that a client begins with. Cards come through `rules/views.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from engine.rules.actions import SeatNo
from engine.rules.events import PlayerId
from engine.rules.views import HandView, view_hand
from engine.table.events import TableConfig, TableId, Turn

if TYPE_CHECKING:
    from engine.table.state import TableState


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


def table_view(state: TableState, viewer: PlayerId | None) -> TableView:
    """The table as a player, or with None everybody, may see it.

    His cards are those of the seat that he has in the running hand, by that hand's own cast: who sat down since sees
    none.
    """
    hand = None if state.hand is None else view_hand(state.hand, hand_seat(state.cast, viewer))
    behind = {} if hand is None else {one.seat: one.stack_chips for one in hand.seats}
    return TableView(
        table=state.table,
        config=state.config,
        seq=state.seq,
        hands=state.hands,
        seats=tuple(
            SeatView(
                seat=seat.seat,
                player=seat.player,
                name=seat.name,
                stack_chips=behind.get(seat.seat, seat.stack_chips),
                queued_chips=seat.queued_chips,
                sitting_out=seat.sitting_out,
                leaving=seat.leaving,
                house_bot=seat.house_bot,
                time_bank_ms=seat.time_bank_ms,
            )
            for _, seat in sorted(state.seats.items())
        ),
        hand=hand,
        turns=tuple(turn for _, turn in sorted(state.turns.items())),
    )


def hand_seat(cast: Mapping[SeatNo, PlayerId], player: PlayerId | None) -> SeatNo | None:
    """The seat that a player has in the hand of that cast; None for who is not in it."""
    if player is None:
        return None
    return next((seat for seat, its_player in cast.items() if its_player == player), None)
