"""Plays few hands and plays them for what the boards allow.

On the first street he stays with what books on stud call playable: at seven-card trips, pairs whose cards are live,
three to a flush or to a straight with few of the needed cards gone, three high cards behind no higher door card; at
five-card a pair, or a hole card that is higher than every card in sight. Later he bets what beats every board by a
margin, calls what is ahead of the boards or draws live enough for the price, and lets the rest go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from avenue_bots.reading import flush_draw, live_ranks, live_suit, straight_draw, straight_outs
from avenue_sdk.ranking import HIGH_CARD, PAIR, TRIPS, TWO_PAIR, Made, made, rank
from avenue_sdk.state import board

if TYPE_CHECKING:
    from random import Random

    from avenue_sdk import Option, Options, TableState

TEN, QUEEN = 10, 12
SLOW_PLAY = 0.15
"""How often he only calls with a hand that he would bet, so that his bets do not tell all."""


def choose(state: TableState, options: Options, random: Random) -> Option:
    """Bet, stay or let go, by his own cards, the boards against him and the cards that are gone."""
    if _is_first_street(state):
        return _start(state, options, random)
    mine, boards = state.my_cards, _boards_against(state)
    hand, best_board = made(mine), max((made(cards) for cards in boards), default=Made(HIGH_CARD, ()))
    if _beats_clearly(hand, best_board, boards):
        wager = options.big_wager if hand.order >= TWO_PAIR else options.wager
        return wager if wager is not None and random.random() > SLOW_PLAY else options.stay
    if options.check is not None:
        return options.check
    if hand > best_board and hand.order >= PAIR and _price_is_fair(state, outs=0):
        return options.stay
    if _draws(state, mine):
        return options.stay
    return options.passive


def _start(state: TableState, options: Options, random: Random) -> Option:
    mine = state.my_cards
    worth = _seven_card_start(state, mine) if len(mine) >= 3 else _five_card_start(state, mine)
    if worth >= 2 and options.wager is not None and random.random() > SLOW_PLAY:
        return options.wager
    if worth >= 1:
        return options.stay
    # A bring-in that is ours already may be defended for a small price.
    return options.stay if state.to_call_chips * 8 <= state.pot_chips else options.passive


def _seven_card_start(state: TableState, mine: tuple[str, ...]) -> int:
    """2 for a hand to raise, 1 for one to call, 0 for trash."""
    hand, seen = made(mine), state.seen_cards
    doors = [rank(cards[0]) for cards in _boards_against(state) if cards]
    top_door = max(doors, default=0)
    if hand.order >= TRIPS:
        return 2
    if hand.order == PAIR:
        pair, kicker = hand.ranks[0], hand.ranks[1]
        if live_ranks([pair], seen) == 0:
            return 0
        if pair >= TEN and pair >= top_door:
            return 2
        return 1 if kicker > top_door or live_ranks([pair], seen) == 2 else 0
    suit, suited = flush_draw(mine)
    if suited == 3 and live_suit(suit, seen) >= 8:
        return 1
    ranks = sorted(rank(card) for card in mine)
    if ranks[2] - ranks[0] == 2 and live_ranks([ranks[0] - 1, ranks[2] + 1], seen) >= 6:
        return 1
    return 1 if ranks[0] >= TEN and ranks[2] >= top_door else 0


def _five_card_start(state: TableState, mine: tuple[str, ...]) -> int:
    """As above: nobody should stay who cannot beat what he sees."""
    hand = made(mine)
    in_sight = max((rank(card) for cards in _boards_against(state) for card in cards), default=0)
    if hand.order == PAIR:
        return 2 if hand.ranks[0] >= TEN or hand.ranks[0] > in_sight else 1
    hole = rank(mine[0])
    if hole > in_sight:
        return 2 if hole >= QUEEN else 1
    return 1 if hole == in_sight and min(hand.ranks) >= TEN else 0


def _beats_clearly(hand: Made, best_board: Made, boards: list[tuple[str, ...]]) -> bool:
    """Ahead of every board, and of what a hidden card most often makes of it: a pair of its highest card."""
    if hand <= best_board:
        return False
    if hand.order >= TRIPS:
        return True
    if best_board.order >= PAIR:
        return hand.order > best_board.order
    top_card = max((rank(card) for cards in boards for card in cards), default=0)
    return hand.order >= PAIR and hand.ranks[0] >= top_card


def _draws(state: TableState, mine: tuple[str, ...]) -> bool:
    """Whether there are cards to come, and enough that help for what it costs to see the next one."""
    hand = state.hand
    if hand is None or hand.street == hand.variant.streets[-1].number:
        return False
    seen = state.seen_cards
    suit, suited = flush_draw(mine)
    outs = live_suit(suit, seen) if suited == 4 else 0
    if straight_draw(mine) == 4:
        outs += straight_outs(mine, seen)
    own = made(mine)
    if own.order in (PAIR, TWO_PAIR):
        outs += live_ranks(own.ranks[: 1 if own.order == PAIR else 2], seen)
    return _price_is_fair(state, outs=outs)


def _price_is_fair(state: TableState, *, outs: int) -> bool:
    """Whether the pot lays the odds; without outs, whether a hand that is perhaps ahead may look once more."""
    price_chips = state.to_call_chips
    if outs == 0:
        return price_chips * 5 <= state.pot_chips
    unseen = 52 - len(state.seen_cards)
    return price_chips * (unseen - outs) <= state.pot_chips * outs * 2


def _boards_against(state: TableState) -> list[tuple[str, ...]]:
    return [board(seat) for seat in state.live_opponents]


def _is_first_street(state: TableState) -> bool:
    return state.hand is not None and state.hand.street == state.hand.variant.streets[0].number
