"""The only door for cards: what a given viewer may see of a hand, live, in a snapshot or in a history.

A viewer is the seat that a player has in that very hand, or None for everybody else: a spectator, a player at the same
table who was not dealt in, staff. Views are built up from what that viewer may see, never stripped down: two hands that
differ only in cards that he may not see give him the same views, byte for byte. A card that was mucked or folded is
seen by its owner alone, for ever (`rules.md` A9); a burnt card by nobody (A7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

import msgspec

from engine.rules.actions import SeatNo
from engine.rules.cards import HIDDEN, Card
from engine.rules.errors import LawBroken
from engine.rules.events import CardBurnt, CardDealt, DealtFace, Event, HandId, HandStarted, PlayerId, Pot, PublicEvent
from engine.rules.variants import Variant

if TYPE_CHECKING:
    from engine.rules.stud_hand import HandPlayer, StudHand

EventT = TypeVar("EventT", bound=Event)


class CardView(msgspec.Struct, frozen=True):
    """A card in dealing order: `??` where the viewer may not see it."""

    card: Card
    face: DealtFace

    def __repr__(self) -> str:
        return "<CardView>"


class HandSeatView(msgspec.Struct, frozen=True):
    """A dealt-in seat. `start_chips` is its stack before the ante, `round_chips` its total for the running round,
    `total_chips` what it has put into the hand, antes included. A seat is live until it folds, all-in or not.
    """

    seat: SeatNo
    player: PlayerId
    name: str
    start_chips: int
    stack_chips: int
    round_chips: int
    total_chips: int
    folded: bool
    all_in: bool
    cards: tuple[CardView, ...]


class HandView(msgspec.Struct, frozen=True):
    """A running hand. `seats` stand clockwise from the dealer's left.

    `pots` are those of the rounds that are over; the running round's bets stand at the seats. `price_chips` is what
    each seat's total for the round must reach, `wagers` how many full ones were made, `opener` who opened the street.
    """

    hand: HandId
    variant: Variant
    rules: int
    commitment: str
    dealer: int
    street: int
    opener: SeatNo | None
    open_pair: bool
    price_chips: int
    wagers: int
    pots: tuple[Pot, ...]
    common: Card | None
    seats: tuple[HandSeatView, ...]


def view_event(event: EventT, viewer: SeatNo | None) -> EventT:
    """The event as the viewer may see it: of the same type, a hidden card as `HIDDEN`, the deck empty.

    `viewer` must be the seat that he has in the hand that the event belongs to. An event that hides nothing from him
    is given back itself.
    """
    seen: Event
    match event:
        case HandStarted():
            seen = HandStarted(
                hand=event.hand,
                variant=event.variant,
                rules=event.rules,
                dealer=event.dealer,
                seats=event.seats,
                commitment=event.commitment,
            )
        case CardDealt(face="down") if event.seat != viewer:
            seen = CardDealt(seat=event.seat, street=event.street, card=HIDDEN, face=event.face)
        case CardBurnt():
            seen = CardBurnt(street=event.street, card=HIDDEN)
        case CardDealt() | PublicEvent():
            return event
        case _:
            raise LawBroken(law="an event that may hide something has a view of its own", type=type(event).__name__)
    # Each branch makes an event of the very type that it matched.
    return cast("EventT", seen)


def private_seats(event: Event) -> tuple[SeatNo, ...]:
    """The seats whose view of the event differs from everybody else's."""
    if isinstance(event, CardDealt) and event.face == "down":
        return (event.seat,)
    return ()


def view_hand(hand: StudHand, viewer: SeatNo | None) -> HandView:
    """The running hand as the viewer may see it; `viewer` must be the seat that he has in this hand."""
    return HandView(
        hand=hand.hand,
        variant=hand.variant,
        rules=hand.rules,
        commitment=hand.commitment,
        dealer=hand.dealer,
        street=hand.street.number if hand.street_index >= 0 else 0,
        opener=hand.opener,
        open_pair=hand.open_pair,
        price_chips=hand.round.price_chips,
        wagers=hand.round.wagers,
        pots=hand.pots,
        common=hand.common,
        seats=tuple(_view_seat(player, viewer) for player in hand.players),
    )


def _view_seat(player: HandPlayer, viewer: SeatNo | None) -> HandSeatView:
    sees_all = player.shown or player.seat == viewer
    return HandSeatView(
        seat=player.seat,
        player=player.player,
        name=player.name,
        start_chips=player.start_chips,
        stack_chips=player.stack_chips,
        round_chips=player.round_chips,
        total_chips=player.total_chips,
        folded=player.folded,
        all_in=player.all_in,
        cards=tuple(
            CardView(card=card if sees_all or face != "down" else HIDDEN, face=face)
            for card, face in zip(player.cards, player.faces, strict=True)
        ),
    )
