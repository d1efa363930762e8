"""The table as a client sees it, with what a player asks most often. Immutable: an event makes a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from avenue_sdk.fold import fold
from avenue_sdk.messages import HandView, PauseReason, PlayerLeft, PlayerSat, SeatView, Snapshot, TableView, You
from avenue_sdk.options import Options
from avenue_sdk.ranking import Made, made

if TYPE_CHECKING:
    from avenue_sdk.messages import Card, Event, HandSeatView, Pot, SeatNo, Turn

HIDDEN = "??"
"""What stands for a card that the viewer may not see."""


class TableState(msgspec.Struct, frozen=True):
    """The table after the event number `seq`, and who the viewer is.

    `table` is all of it in the very form of the protocol's snapshot; the properties are drawn from it. Amounts are
    chips. `at_ms` is the server's time of the last event, in UTC milliseconds. `paused` says why the table stands still
    and takes no commands, None while it does not; no clock runs out meanwhile.
    """

    table: TableView
    you: You | None
    at_ms: int
    paused: PauseReason | None = None

    def after(self, event: Event, at_ms: int) -> TableState:
        """The state after one event more, which must be the very next."""
        you = self.you
        if you is not None and isinstance(event, PlayerSat | PlayerLeft) and event.player == you.player:
            you = replace(you, seat=event.seat if isinstance(event, PlayerSat) else None)
        return TableState(table=fold(self.table, event, at_ms), you=you, at_ms=at_ms, paused=self.paused)

    @property
    def seq(self) -> int:
        return self.table.seq

    @property
    def hand(self) -> HandView | None:
        """The running hand, or None between hands."""
        return self.table.hand

    @property
    def seat(self) -> SeatNo | None:
        """The number of my seat, or None while I do not sit here."""
        return None if self.you is None else self.you.seat

    @property
    def me(self) -> SeatView | None:
        """My seat, also between hands."""
        return next((seat for seat in self.table.seats if seat.seat == self.seat), None)

    @property
    def my_hand(self) -> HandSeatView | None:
        """My part in the running hand, also when I have folded; None when I was not dealt in."""
        if self.you is None or self.hand is None:
            return None
        return next((seat for seat in self.hand.seats if seat.player == self.you.player), None)

    @property
    def my_turn(self) -> Turn | None:
        """My open turn, or None when it is not on me."""
        return next((turn for turn in self.table.turns if turn.seat == self.seat), None)

    @property
    def options(self) -> Options | None:
        """What I may do now, or None when it is not on me."""
        turn = self.my_turn
        return None if turn is None else Options(turn.options)

    @property
    def my_cards(self) -> tuple[Card, ...]:
        """All my cards in the order in which I got them, the common card last where there is one."""
        mine = self.my_hand
        if mine is None or self.hand is None:
            return ()
        common = () if self.hand.common is None else (self.hand.common,)
        return (*(card.card for card in mine.cards), *common)

    @property
    def made(self) -> Made:
        """What my cards make so far, as `made.category` in a word; it compares with what other cards make."""
        return made(self.my_cards)

    @property
    def live_opponents(self) -> tuple[HandSeatView, ...]:
        """The seats that are still in the hand besides mine, clockwise from the dealer's left; all-in ones too."""
        if self.hand is None:
            return ()
        return tuple(seat for seat in self.hand.seats if not seat.folded and seat.seat != self.seat)

    @property
    def boards(self) -> dict[SeatNo, tuple[Card, ...]]:
        """The cards that lie face up before each seat that is still in the hand, mine too."""
        if self.hand is None:
            return {}
        return {seat.seat: board(seat) for seat in self.hand.seats if not seat.folded}

    @property
    def dead_cards(self) -> tuple[Card, ...]:
        """Cards that I have seen and that nobody can hold or catch any more: those of folded hands, mine apart."""
        if self.hand is None:
            return ()
        folded = (seat for seat in self.hand.seats if seat.folded and seat.seat != self.seat)
        return tuple(card.card for seat in folded for card in seat.cards if card.card != HIDDEN)

    @property
    def seen_cards(self) -> tuple[Card, ...]:
        """Every card of the running hand that I know: mine, all boards, the dead ones and the common card."""
        if self.hand is None:
            return ()
        common = () if self.hand.common is None else (self.hand.common,)
        return (*(card.card for seat in self.hand.seats for card in seat.cards if card.card != HIDDEN), *common)

    @property
    def pots(self) -> tuple[Pot, ...]:
        """The pots of the rounds that are over, the main pot first."""
        return () if self.hand is None else self.hand.pots

    @property
    def pot_chips(self) -> int:
        """All chips that are in: pots, and what stands before the seats; antes too, before the first round is over."""
        if self.hand is None:
            return 0
        if not self.hand.pots:
            return sum(seat.total_chips for seat in self.hand.seats)
        return sum(pot.amount_chips for pot in self.hand.pots) + sum(seat.round_chips for seat in self.hand.seats)

    @property
    def price_chips(self) -> int:
        """What a seat's total for the round must reach to stay in."""
        return 0 if self.hand is None else self.hand.price_chips

    @property
    def to_call_chips(self) -> int:
        """What I still owe to stay in, at most my stack."""
        mine = self.my_hand
        if mine is None:
            return 0
        return max(0, min(self.price_chips - mine.round_chips, mine.stack_chips))

    @property
    def free_seats(self) -> tuple[SeatNo, ...]:
        taken = {seat.seat for seat in self.table.seats}
        return tuple(number for number in range(1, self.table.config.variant.seats + 1) if number not in taken)


def board(seat: HandSeatView) -> tuple[Card, ...]:
    """The cards that lie face up before a seat and speak for who opens."""
    return tuple(card.card for card in seat.cards if card.face == "up")


def state_of(snapshot: Snapshot) -> TableState:
    """The state that a snapshot tells."""
    return TableState(table=snapshot.table, you=snapshot.you, at_ms=snapshot.now_ms, paused=snapshot.paused)
