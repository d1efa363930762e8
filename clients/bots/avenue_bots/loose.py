"""Sees too many streets, bets whatever looks like something, and now and then what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from avenue_bots.reading import flush_draw, straight_draw
from avenue_sdk.ranking import PAIR, TWO_PAIR, made, rank

if TYPE_CHECKING:
    from random import Random

    from avenue_sdk import Option, Options, TableState

BLUFF = 0.06
"""How often he bets or raises with nothing at all."""


def choose(state: TableState, options: Options, random: Random) -> Option:
    """Bet a pair or better, stay with any hope, and give up only what is hopeless and dear."""
    mine = state.my_cards
    hand = made(mine)
    likes_it = hand.order >= TWO_PAIR or (hand.order == PAIR and random.random() < 0.5)
    if options.wager is not None and (likes_it or random.random() < BLUFF):
        return options.wager
    if options.check is not None or _hopes(mine) or random.random() < 0.3:
        return options.stay
    return options.passive


def _hopes(cards: tuple[str, ...]) -> bool:
    """A pair, a high card, or three cards toward a straight or a flush with streets to come, four on later ones."""
    wanted = 3 if len(cards) <= 4 else 4
    return (
        made(cards).order >= PAIR
        or max(rank(card) for card in cards) >= 12
        or (len(cards) < 7 and (flush_draw(cards)[1] >= wanted or straight_draw(cards) >= wanted))
    )
