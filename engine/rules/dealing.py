"""Dealing a street, the short deck, and whose board opens (`rules.md` A1, A3, A6, A7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from engine.rules.actions import SeatNo
from engine.rules.cards import RANK_OF, SUIT_OF
from engine.rules.errors import LawBroken
from engine.rules.events import CardBurnt, CardDealt, CommonCardDealt, DealtFace, HandEvent
from engine.rules.ranking import showing

if TYPE_CHECKING:
    from engine.rules.stud_hand import HandPlayer, StudHand
    from engine.rules.variants import Street

DeckPlan = Literal["burn", "no-burn", "recycle", "community"]


def deck_plan(*, stub: int, players: int, burnt: int) -> DeckPlan:
    """How one card each is dealt from a stub of so many cards (`rules.md` A7).

    `burn`: burn, then deal. `no-burn`: the stub is just enough. `recycle`: the stub, then the burns in their order.
    `community`: one common card for all.
    """
    if stub > players:
        return "burn"
    if stub == players:
        return "no-burn"
    if stub + burnt >= players:
        return "recycle"
    return "community"


def deal_street(hand: StudHand, street: Street) -> list[HandEvent]:
    """The events of dealing a street to the live players, one card at a time, clockwise from the dealer's left."""
    live = hand.live()
    stub = list(hand.deck[hand.next_card :])
    events: list[HandEvent] = []
    if street.burn:
        plan = deck_plan(stub=len(stub), players=len(live) * len(street.deal), burnt=len(hand.burns))
        if plan == "burn" or (plan == "community" and len(stub) >= 2):
            events.append(CardBurnt(street=street.number, card=stub.pop(0)))
        elif plan == "recycle":
            stub += hand.burns
        if plan == "community":
            if not stub:
                raise LawBroken(law="there is a card to deal")
            events.append(CommonCardDealt(street=street.number, card=stub[0]))
            return events
    for face in street.deal:
        dealt: DealtFace = "tabled" if face == "down" and hand.tabled else face
        for player in live:
            events.append(CardDealt(seat=player.seat, street=street.number, card=stub.pop(0), face=dealt))
    return events


def opener(hand: StudHand, *, first_round: bool) -> tuple[SeatNo, bool]:
    """The seat that opens the round just dealt, or would if there were betting, and whether it must bring in.

    First round: the lowest door card, by suit where ranks are equal; if it is all-in, the next clockwise with chips,
    who need not bring in (`rules.md` A3). Later: the highest board, the common card with it; among equals the first
    clockwise from the dealer; if he is all-in, the next clockwise with chips (A6).
    """
    live = hand.live()
    if first_round:
        speaker = min(live, key=lambda player: _door(player))
    else:
        common = [hand.common] if hand.common is not None else []
        # `max` keeps the first of equals, and the players stand clockwise from the dealer's left.
        speaker = max(live, key=lambda player: showing(player.board() + common))
    start = live.index(speaker)
    for player in live[start:] + live[:start]:
        if player.stack_chips:
            return player.seat, first_round and player is speaker
    return speaker.seat, False


def shows_pair(player: HandPlayer) -> bool:
    ranks = [RANK_OF[card] for card in player.board()]
    return len(dict.fromkeys(ranks)) < len(ranks)


def _door(player: HandPlayer) -> tuple[int, int]:
    door = player.board()[0]
    return RANK_OF[door], SUIT_OF[door]
