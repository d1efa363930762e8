"""Who is to act and what he may do, read off `rules.md` A3 to A5 sentence by sentence from a hand's events.

It keeps no state: every question goes through the whole hand again. Nothing of `engine/rules/betting.py` is used, and
of the events only who put in how much, so that neither the engine's own counts nor its flags are believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from engine.rules.actions import SeatNo
from engine.rules.cards import RANK_OF, Card
from engine.rules.events import (
    AntePosted,
    BetMade,
    BringInPosted,
    Called,
    CardDealt,
    Checked,
    Completed,
    Folded,
    HandEvent,
    HandStarted,
    Raised,
    RoundOpened,
    UncalledReturned,
)
from engine.rules.variants import Variant

PutIn = BringInPosted | Completed | BetMade | Raised | Called


class Reading:
    """The betting round that a hand's events have come to."""

    def __init__(self, variant: Variant, events: Sequence[HandEvent]) -> None:
        self.variant = variant
        self.order: list[SeatNo] = []
        self.stack: dict[SeatNo, int] = {}
        self.folded: list[SeatNo] = []
        self.up: dict[SeatNo, list[Card]] = {}
        self.streets = 0
        for event in events:
            self._read(event)

    def question(self) -> tuple[SeatNo, dict[str, int | None]] | None:
        """The seat to act, and each word that it may say with its price; None if nobody is to act."""
        seat = self._to_act()
        return None if seat is None else (seat, self._words(seat))

    def _read(self, event: HandEvent) -> None:
        match event:
            case HandStarted():
                self.order = [one.seat for one in event.seats]
                self.stack = {one.seat: one.stack_chips for one in event.seats}
                self.up = {seat: [] for seat in self.order}
            case AntePosted():
                self.stack[event.seat] -= event.added_chips
            case UncalledReturned():
                self.stack[event.seat] += event.returned_chips
            case CardDealt(face="up"):
                self.up[event.seat].append(event.card)
            case RoundOpened():
                self._open(event)
            case BringInPosted() | Completed() | BetMade() | Raised() | Called():
                self._pay(event)
            case Checked():
                self._has_acted(event.seat)
            case Folded():
                self.folded.append(event.seat)
                self.last = event.seat
                self._is_heads_up()
            case _:
                pass

    def _open(self, event: RoundOpened) -> None:
        street = self.variant.streets[self.streets]
        self.streets += 1
        self.first_round = self.streets == 1
        pair = any(self._shows_pair(seat) for seat in self.order if seat not in self.folded)
        self.two_sizes = street.open_pair_doubles and pair and self.variant.small_bet_chips < self.variant.big_bet_chips
        self.small = self.variant.big_bet_chips if street.big_bet else self.variant.small_bet_chips
        self.big = self.variant.big_bet_chips if self.two_sizes else self.small
        # Before the opener, so that he is the next.
        self.last = self.order[self.order.index(event.seat) - 1]
        self.low = min(
            (seat for seat in self.order if seat not in self.folded),
            key=lambda seat: (RANK_OF[self.up[seat][0]], "cdhs".index(self.up[seat][0][1])),
        )
        self.put: dict[SeatNo, int] = dict.fromkeys(self.order, 0)
        self.acted_at: dict[SeatNo, int] = {}
        self.price = self.base = self.wagers = 0
        self.big_made = self.uncapped = False
        self._is_heads_up()

    def _pay(self, event: PutIn) -> None:
        seat = event.seat
        self.stack[seat] -= event.to_chips - self.put[seat]
        self.put[seat] = event.to_chips
        if isinstance(event, BringInPosted):
            self.price = self.variant.bring_in_chips
            if self.variant.bring_in_chips == self.variant.small_bet_chips:
                self.base, self.wagers = self.price, 1
        elif not isinstance(event, Called):
            risen = event.to_chips - self.base
            if self.two_sizes and risen >= self.big:
                self.wagers, self.base, self.big_made = self.wagers + 1, event.to_chips, True
            elif risen >= Fraction(self._unit(), 2):
                self.wagers, self.base = self.wagers + 1, event.to_chips
            self.price = event.to_chips
        self._has_acted(seat)

    def _has_acted(self, seat: SeatNo) -> None:
        self.acted_at[seat] = self.price if self.wagers else 0
        self.last = seat

    def _is_heads_up(self) -> None:
        if self.variant.heads_up_uncapped and len(self.order) - len(self.folded) == 2 and self.wagers < 4:
            self.uncapped = True

    def _unit(self) -> int:
        return self.big if self.big_made else self.small

    def _with_chips(self) -> list[SeatNo]:
        return [seat for seat in self.order if seat not in self.folded and self.stack[seat]]

    def _shows_pair(self, seat: SeatNo) -> bool:
        ranks = [card[0] for card in self.up[seat]]
        return any(ranks.count(rank) > 1 for rank in ranks)

    def _to_act(self) -> SeatNo | None:
        if len(self.order) - len(self.folded) < 2:
            return None
        after = self.order.index(self.last) + 1
        for seat in self.order[after:] + self.order[:after]:
            if seat in self._with_chips():
                owes = self.put[seat] < self.price
                if owes or (seat not in self.acted_at and len(self._with_chips()) > 1):
                    return seat
        return None

    def _words(self, seat: SeatNo) -> dict[str, int | None]:
        said: dict[str, int | None] = {"fold": None}
        most = self.put[seat] + self.stack[seat]
        if self.first_round and not self.price:
            if seat == self.low:
                del said["fold"]
            said["bring"] = min(self.variant.bring_in_chips, most)
        elif self.put[seat] < self.price:
            said["call"] = min(self.price, most)
        else:
            said["check"] = None
        if self._may_wager(seat, most):
            word = "raise" if self.wagers else "complete" if self.first_round or self.price else "bet"
            said[word] = min(self.base + self._unit(), most)
            if self.two_sizes and not self.big_made and (cut := min(self.base + self.big, most)) != said[word]:
                said[f"{word}2"] = cut
        return said

    def _may_wager(self, seat: SeatNo, most: int) -> bool:
        if self.wagers >= 4 and not self.uncapped:
            return False
        if len(self._with_chips()) < 2:
            return False
        if self.first_round and not self.price:
            bring_in = self.variant.bring_in_chips
            return bring_in < self.variant.small_bet_chips and most > bring_in
        if most <= self.price:
            return False
        return seat not in self.acted_at or self.price - self.acted_at[seat] >= Fraction(self._unit(), 2)
