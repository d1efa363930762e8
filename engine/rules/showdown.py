"""Who shows, who mucks, and who is paid (`rules.md` A8, A9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.rules import pots
from engine.rules.events import HandEvent, HandMucked, HandShown, PotAwarded, RakeTaken
from engine.rules.ranking import name_of, strength

if TYPE_CHECKING:
    from engine.rules.actions import SeatNo
    from engine.rules.stud_hand import HandPlayer, StudHand


def showdown(hand: StudHand) -> list[HandEvent]:
    """The live hands in the order in which they show; a beaten one mucks where that is its right.

    A hand must be shown if it is the first, or if no hand shown before it is better in some pot that it claims: so
    winners always show, also one whose pot nobody else claims. Where the betting ended before the last round, every
    hand lies open and all are listed clockwise from the dealer's left.
    """
    strengths = _strengths(hand)
    best_shown = [-1] * len(hand.pots)
    events: list[HandEvent] = []
    for player in _show_order(hand):
        mine = strengths[player.seat]
        claimed = [number for number, pot in enumerate(hand.pots) if player.seat in pot.seats]
        if hand.tabled or not events or any(mine >= best_shown[number] for number in claimed):
            for number in claimed:
                best_shown[number] = max(best_shown[number], mine)
            events.append(HandShown(seat=player.seat, cards=player.cards, name=name_of(mine)))
        else:
            events.append(HandMucked(seat=player.seat))
    return events


def payments(hand: StudHand) -> list[HandEvent]:
    """The rake of each pot and then each pot to its best claimants, the last side pot first."""
    raked = pots.rake_of(hand.pots, hand.variant.rake, late_bet_called=hand.late_bet_called)
    events: list[HandEvent] = [RakeTaken(pot=number, amount_chips=chips) for number, chips in enumerate(raked) if chips]
    alone = len(hand.live()) == 1
    strengths = {} if alone else _strengths(hand)
    for number in reversed(range(len(hand.pots))):
        pot = hand.pots[number]
        winners = pot.seats if alone else pots.pot_winners(pot, strengths.__getitem__)
        events.append(PotAwarded(pot=number, shares=pots.split_pot(pot.amount_chips - raked[number], winners)))
    return events


def _strengths(hand: StudHand) -> dict[SeatNo, int]:
    common = () if hand.common is None else (hand.common,)
    return {player.seat: strength(player.cards + common) for player in hand.live()}


def _show_order(hand: StudHand) -> list[HandPlayer]:
    """Clockwise from the last to bet or raise in the last round, else from the one who opened it."""
    live = hand.live()
    if hand.tabled:
        return live
    first = hand.round.aggressor if hand.round.aggressor is not None else hand.opener
    order = [player.seat for player in hand.players]
    start = order.index(first) if first is not None else 0
    return [player for player in hand.players[start:] + hand.players[:start] if not player.folded]
