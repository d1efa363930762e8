"""Random hands of stud for laws that hold for every hand: any stakes, stacks, seats, dealer, deck and choices."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

from engine.rules import stud
from engine.rules.actions import Action, Bet, Complete, Fold, Option, Raise, SeatNo
from engine.rules.cards import DECK, Card
from engine.rules.events import HandEvent, HandId, HandSeat, PlayerId
from engine.rules.stud_hand import StudHand
from engine.rules.variants import Rake, Variant, five_card_stud, seven_card_stud


class Setup(NamedTuple):
    """All that a hand is made of but its actions. Its repr names no deck, so that a failure is readable."""

    variant: Variant
    dealer: int
    seats: list[HandSeat]
    deck: list[Card]

    def start(self) -> tuple[StudHand, list[HandEvent]]:
        return stud.start(
            hand=HandId("hand"), variant=self.variant, dealer=self.dealer, seats=self.seats, deck=self.deck
        )

    def chips(self) -> int:
        return sum(one.stack_chips for one in self.seats)

    def most_actions(self) -> int:
        """No hand may ask for more than this: each round each seat, for each wager and each short all-in once."""
        seats, streets = len(self.seats), len(self.variant.streets)
        capped = streets * seats * (self.variant.max_wagers + seats + 1)
        return capped + (self.chips() // self.variant.small_bet_chips if self.variant.heads_up_uncapped else 0)

    def __repr__(self) -> str:
        return f"Setup({self.variant}, dealer={self.dealer}, {[(one.seat, one.stack_chips) for one in self.seats]})"


class Turn(NamedTuple):
    """What was asked for, and what came of it."""

    seat: SeatNo
    action: Action
    events: list[HandEvent]


@st.composite
def variants(draw: st.DrawFn) -> Variant:
    """Either game with stakes of any kind: odd units, no ante, every legal bring-in, with rake or without."""
    small = draw(st.sampled_from([2, 3, 5, 7, 10, 20, 25]))
    big = draw(st.sampled_from([small, 2 * small, small + 3]))
    rake = draw(
        st.sampled_from([Rake(), Rake(basis_points=500, cap_chips=3), Rake(basis_points=1000, cap_chips=10**6)])
    )
    fields: dict[str, Any] = {
        "rake": rake,
        "small_bet_chips": small,
        "big_bet_chips": big,
        "ante_chips": draw(st.sampled_from([0, 1, -(-small // 4), small])),
        "heads_up_uncapped": draw(st.booleans()),
    }
    if draw(st.booleans()):
        return seven_card_stud(bring_in_chips=draw(st.integers(1, small - 1)), **fields)
    return five_card_stud(bring_in_chips=draw(st.sampled_from([small, small, 1, small - 1])), **fields)


@st.composite
def setups(draw: st.DrawFn, *, min_seats: int = 2, max_seats: int = 8) -> Setup:
    variant = draw(variants())
    numbers = draw(st.lists(st.integers(1, 8), min_size=min_seats, max_size=max_seats, unique=True))
    short = st.integers(1, variant.ante_chips + variant.small_bet_chips + 1)
    middling = st.integers(1, 4 * variant.big_bet_chips)
    deep = st.integers(10 * variant.big_bet_chips, 40 * variant.big_bet_chips)
    seats = [
        HandSeat(
            seat=SeatNo(number),
            player=PlayerId(f"p{number}"),
            name=f"Seat {number}",
            stack_chips=draw(st.one_of(middling, short, deep)),
        )
        for number in numbers
    ]
    deck = list(DECK)
    Random(draw(st.integers(0, 2**32))).shuffle(deck)
    return Setup(variant, draw(st.integers(0, 8)), seats, deck)


STYLES = {"any": (1, 1), "calls": (1, 12), "raises": (6, 12)}
"""How much a wager and a call or check weigh where a fold weighs one."""


@st.composite
def choosers(draw: st.DrawFn) -> Chooser:
    return Chooser(draw(st.integers(0, 2**32)), draw(st.sampled_from(sorted(STYLES))))


class Chooser:
    """Chooses among options by a seed; the same seed chooses the same."""

    def __init__(self, seed: int, style: str) -> None:
        self._random = Random(seed)
        self._wager, self._stay = STYLES[style]
        self._told = f"Chooser({seed}, {style!r})"

    def choose(self, options: tuple[Option, ...]) -> Action:
        weights = [
            self._wager
            if isinstance(one.action, Complete | Bet | Raise)
            else 1
            if isinstance(one.action, Fold)
            else self._stay
            for one in options
        ]
        return self._random.choices(options, weights)[0].action

    def __repr__(self) -> str:
        return self._told


def play_on(hand: StudHand, chooser: Chooser) -> Iterator[Turn]:
    """Play the hand to its end, a turn at a time; the hand is changed when the turn is given."""
    while legal := stud.legal(hand):
        for seat, options in legal.items():
            action = chooser.choose(options)
            yield Turn(seat, action, stud.apply(hand, seat, action))
            break


def whole(setup: Setup, chooser: Chooser) -> tuple[StudHand, list[HandEvent], list[Turn]]:
    """A hand played to its end: its state, all its events, and its turns."""
    hand, events = setup.start()
    turns = list(play_on(hand, chooser))
    return hand, events + [event for turn in turns for event in turn.events], turns
