"""Random hands: a plan is all of a hand but what its players do, and random players do the rest.

A plan comes from its game, a seed and its number alone, so that one hand of a long run can be drawn again by itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import msgspec

from engine.rules.actions import Action, BringIn, Call, Check, Fold, Options, SeatNo
from engine.rules.cards import DECK, SUITS, Card
from engine.rules.variants import Game, Variant, five_card_stud, seven_card_stud

Players = Callable[[SeatNo, Options], Action]
"""Whoever sits there: gives one of the options."""


class Plan(msgspec.Struct, frozen=True):
    """A hand before its first action. `stacks` are what the dealt-in seats have before the ante."""

    name: str
    variant: Variant
    dealer: int
    stacks: dict[SeatNo, int]
    deck: tuple[Card, ...]


class Style(msgspec.Struct, frozen=True):
    """How often a player folds, checks or calls, and bets or raises, as weights."""

    fold: int
    passive: int
    wager: int


STYLES = (
    Style(fold=2, passive=80, wager=18),
    Style(fold=4, passive=26, wager=70),
    Style(fold=12, passive=58, wager=30),
    Style(fold=40, passive=45, wager=15),
)
LIMPER = Style(fold=1, passive=95, wager=4)
"""Tables full of these stay to the end, which is what brings the deck to run short."""

SMALL_BETS = (2, 3, 4, 5, 7, 10, 15, 20, 25, 100, 333, 1000)


def draw(*, game: Game, seed: int, number: int) -> tuple[Plan, Players]:
    """The hand with this number of this seed's run, and random players for it."""
    name = f"{game}-seed{seed}-hand{number}"
    rng = random.Random(name)
    variant = _variant(rng, game)
    seats = sorted(rng.sample(range(1, variant.seats + 1), rng.choice((2, 2, 3, 3, 4, 5, 6, 7, 8, 8))))
    slots = _slots(variant, len(seats))
    twins = len(slots) <= len(DECK) and rng.random() < 0.1
    plan = Plan(
        name=name,
        variant=variant,
        dealer=rng.randrange(variant.seats + 1),
        stacks={SeatNo(seat): chips for seat, chips in zip(seats, _stacks(rng, variant, len(seats)), strict=True)},
        deck=_twin_deck(rng, variant, slots) if twins else tuple(rng.sample(DECK, len(DECK))),
    )
    return plan, _random_players(rng, plan, staying=twins or rng.random() < 0.12)


def _variant(rng: random.Random, game: Game) -> Variant:
    small_chips = rng.choice(SMALL_BETS)
    big_chips = rng.choice((small_chips, 2 * small_chips, 2 * small_chips, 2 * small_chips, 3 * small_chips + 1))
    ante_chips = rng.choice((None, None, None, 0, 1, small_chips // 2, small_chips, rng.randint(0, big_chips)))
    low_bring_in = rng.choice((None, None, 1, max(1, small_chips // 2), small_chips - 1))
    make = seven_card_stud if game == "stud7" else five_card_stud
    if game == "stud5" and rng.random() < 0.75:
        # Most tables play five-card by its own rule: the bring-in is the bet.
        low_bring_in = None
    return make(
        small_bet_chips=small_chips, big_bet_chips=big_chips, ante_chips=ante_chips, bring_in_chips=low_bring_in
    )


def _slots(variant: Variant, count: int) -> list[int | None]:
    """Whom each card of the deck goes to if nobody folds, by index from the dealer's left; None is a burn."""
    slots: list[int | None] = []
    for street in variant.streets:
        slots += [None] * street.burn + [index for _ in street.deal for index in range(count)]
    return slots


def _twin_deck(rng: random.Random, variant: Variant, slots: Sequence[int | None]) -> tuple[Card, ...]:
    """A deck that gives two or three players good cards of the same ranks, if nobody folds, so that pots are split."""
    players = list(dict.fromkeys(slot for slot in slots if slot is not None))
    twins = rng.sample(players, min(len(players), rng.choice((2, 2, 3))))
    ranks = rng.sample([rank for rank in "789TJQKA" for _ in range(len(SUITS) // len(twins))], variant.cards_per_player)
    rest = rng.sample(DECK, len(DECK))
    hands: dict[int | None, list[Card]] = {twin: [] for twin in twins}
    for rank in ranks:
        for hand in hands.values():
            card = next(card for card in rest if card[0] == rank)
            rest.remove(card)
            hand.append(card)
    dealt = [hands[slot].pop() if slot in hands else rest.pop() for slot in slots]
    return (*dealt, *rest)


def _stacks(rng: random.Random, variant: Variant, count: int) -> list[int]:
    """Chips of each seat: deep enough never to be all-in, all the same, uneven, or on the brink of something."""
    big_chips, ante_chips = variant.big_bet_chips, variant.ante_chips
    deep_chips = ante_chips + 4 * big_chips * len(variant.streets) + 1
    brinks = [chips for chips in _brinks(variant) if chips > 0]
    mood = rng.random()
    if mood < 0.3:
        return [rng.randint(deep_chips, 10 * deep_chips) for _ in range(count)]
    if mood < 0.4:
        return [ante_chips + rng.randint(1, 12 * big_chips)] * count
    if mood < 0.7:
        return [max(1, int(big_chips * 30 * rng.random() ** 3)) for _ in range(count)]
    return [
        rng.choice(brinks) if rng.random() < 0.6 else rng.randint(1, rng.choice((4, 12)) * big_chips)
        for _ in range(count)
    ]


def _brinks(variant: Variant) -> list[int]:
    """Stacks at which a rule begins or ceases to hold, and their neighbours."""
    small_chips, big_chips = variant.small_bet_chips, variant.big_bet_chips
    marks = [0, variant.bring_in_chips]
    for level_chips in (0, small_chips, 2 * small_chips, 3 * small_chips, 4 * small_chips, 4 * small_chips + big_chips):
        marks += [level_chips + small_chips, level_chips + small_chips // 2, level_chips + big_chips // 2]
    return [1, *(variant.ante_chips + mark + step for mark in marks for step in (-1, 0, 1))]


def _random_players(rng: random.Random, plan: Plan, *, staying: bool) -> Players:
    styles = {seat: LIMPER if staying else rng.choice(STYLES) for seat in plan.stacks}

    def choose(seat: SeatNo, options: Options) -> Action:
        style = styles[seat]
        actions = [option.action for option in options]
        weights = [_weight(style, action) for action in actions]
        return rng.choices(actions, weights)[0]

    return choose


def _weight(style: Style, action: Action) -> int:
    if isinstance(action, Fold):
        return style.fold
    return style.passive if isinstance(action, Check | Call | BringIn) else style.wager
