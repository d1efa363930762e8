"""A hand's view, folded by its events. Pure: nothing is changed in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from avenue_sdk.messages import (
    AntePosted,
    BetMade,
    BetsCollected,
    BringInPosted,
    Called,
    CardBurnt,
    CardDealt,
    CardView,
    Checked,
    CommonCardDealt,
    Completed,
    Folded,
    HandMucked,
    HandSeatView,
    HandShown,
    HandsTabled,
    HandStarted,
    HandView,
    Pot,
    PotAwarded,
    Raised,
    RakeTaken,
    RoundOpened,
    UncalledReturned,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from avenue_sdk.messages import Card, SeatNo

Deed: TypeAlias = Folded | Checked | Called | BringInPosted | Completed | BetMade | Raised
"""What a seat does on its turn, or what is done for it."""

RunningHandEvent: TypeAlias = (
    AntePosted
    | CardBurnt
    | CardDealt
    | CommonCardDealt
    | RoundOpened
    | Deed
    | UncalledReturned
    | BetsCollected
    | HandsTabled
    | HandShown
    | HandMucked
    | RakeTaken
    | PotAwarded
)
"""Events between a hand's first and its last."""


def begin_hand(event: HandStarted) -> HandView:
    """The hand as its first event leaves it: nothing posted and nothing dealt."""
    return HandView(
        hand=event.hand,
        variant=event.variant,
        rules=event.rules,
        commitment=event.commitment,
        dealer=event.dealer,
        street=0,
        opener=None,
        open_pair=False,
        price_chips=0,
        wagers=0,
        pots=(),
        common=None,
        seats=tuple(
            HandSeatView(
                seat=one.seat,
                player=one.player,
                name=one.name,
                start_chips=one.stack_chips,
                stack_chips=one.stack_chips,
                round_chips=0,
                total_chips=0,
                folded=False,
                all_in=False,
                cards=(),
            )
            for one in event.seats
        ),
    )


def fold_hand(hand: HandView, event: RunningHandEvent) -> HandView:  # noqa: C901 - one branch an event
    """The hand after one event more."""
    match event:
        case CardDealt():
            card = CardView(card=event.card, face=event.face)
            return _with_seat(hand, event.seat, lambda seat: replace(seat, cards=(*seat.cards, card)))
        case Called():
            return _paid(hand, event.seat, event.added_chips, event.stack_chips)
        case Completed() | BetMade() | Raised():
            paid = _paid(hand, event.seat, event.added_chips, event.stack_chips)
            return replace(paid, price_chips=event.to_chips, wagers=hand.wagers + event.full)
        case BringInPosted():
            paid = _paid(hand, event.seat, event.added_chips, event.stack_chips)
            return replace(paid, price_chips=event.price_chips, wagers=hand.wagers + event.full)
        case Folded():
            return _with_seat(hand, event.seat, lambda seat: replace(seat, folded=True))
        case AntePosted():
            return _with_seat(hand, event.seat, lambda seat: _anted(seat, event))
        case RoundOpened():
            return replace(
                hand, street=event.street, opener=event.seat, open_pair=event.open_pair, price_chips=0, wagers=0
            )
        case CommonCardDealt():
            return replace(hand, common=event.card)
        case UncalledReturned():
            return _with_seat(hand, event.seat, lambda seat: _returned(seat, event))
        case BetsCollected():
            seats = tuple(replace(seat, round_chips=0) for seat in hand.seats)
            return replace(hand, pots=event.pots, seats=seats)
        case HandsTabled():
            for one in event.hands:
                hand = _shown(hand, one.seat, one.cards)
            return hand
        case HandShown():
            return _shown(hand, event.seat, event.cards)
        case RakeTaken():
            return _taken(hand, event.pot, event.amount_chips)
        case PotAwarded():
            for share in event.shares:
                hand = _taken(_given(hand, share.seat, share.amount_chips), event.pot, share.amount_chips)
            return hand
        case Checked() | CardBurnt() | HandMucked():
            return hand


def _with_seat(hand: HandView, seat: SeatNo, change: Callable[[HandSeatView], HandSeatView]) -> HandView:
    return replace(hand, seats=tuple(change(one) if one.seat == seat else one for one in hand.seats))


def _paid(hand: HandView, seat: SeatNo, added_chips: int, stack_chips: int) -> HandView:
    return _with_seat(
        hand,
        seat,
        lambda one: replace(
            one,
            stack_chips=stack_chips,
            round_chips=one.round_chips + added_chips,
            total_chips=one.total_chips + added_chips,
            all_in=stack_chips == 0,
        ),
    )


def _anted(seat: HandSeatView, event: AntePosted) -> HandSeatView:
    return replace(
        seat,
        stack_chips=event.stack_chips,
        total_chips=seat.total_chips + event.added_chips,
        all_in=event.all_in,
    )


def _returned(seat: HandSeatView, event: UncalledReturned) -> HandSeatView:
    return replace(
        seat,
        stack_chips=event.stack_chips,
        round_chips=max(0, seat.round_chips - event.returned_chips),
        total_chips=seat.total_chips - event.returned_chips,
        all_in=event.stack_chips == 0,
    )


def _given(hand: HandView, seat: SeatNo, amount_chips: int) -> HandView:
    def change(one: HandSeatView) -> HandSeatView:
        stack_chips = one.stack_chips + amount_chips
        return replace(one, stack_chips=stack_chips, all_in=stack_chips == 0)

    return _with_seat(hand, seat, change)


def _taken(hand: HandView, number: int, amount_chips: int) -> HandView:
    pot = hand.pots[number]
    left = Pot(amount_chips=pot.amount_chips - amount_chips, seats=pot.seats)
    return replace(hand, pots=(*hand.pots[:number], left, *hand.pots[number + 1 :]))


def _shown(hand: HandView, seat: SeatNo, cards: tuple[Card, ...]) -> HandView:
    def change(one: HandSeatView) -> HandSeatView:
        faces = [card.face for card in one.cards]
        shown = tuple(CardView(card=card, face=face) for card, face in zip(cards, faces, strict=True))
        return replace(one, cards=shown)

    return _with_seat(hand, seat, change)
