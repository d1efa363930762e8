"""What happened in a hand, in the past tense. The list of a hand's events *is* the hand.

The same structs are the journal, the live feed, the history and the audit. Amounts: `to_chips` is the seat's total for
the round, `added_chips` is what this event took from its stack, `stack_chips` is what it has left. A card that may not
be public stands only in `HandStarted.deck`, `CardDealt.card` and `CardBurnt.card`; `engine/rules/views.py` is the only
door through which a viewer sees any of them.
"""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

import msgspec

from engine.rules.actions import SeatNo
from engine.rules.cards import Card
from engine.rules.ranking import HandName
from engine.rules.variants import Variant

HandId = NewType("HandId", str)
PlayerId = NewType("PlayerId", str)

DealtFace = Literal["down", "up", "tabled"]
"""`tabled` is a down card of a hand that lies open already: everyone sees it, and it is no part of the board."""


def _tag(name: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


class Event(msgspec.Struct, frozen=True, tag_field="type", tag=_tag):
    """A fact. Its `repr` says its type alone, so that no card reaches a log or a traceback."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class PublicEvent(Event, frozen=True):
    """An event of which everyone may see everything. Any other needs a branch of its own in `views.py`."""


class HandSeat(msgspec.Struct, frozen=True):
    """One dealt-in seat: who sits there and what he has before the ante."""

    seat: SeatNo
    player: PlayerId
    name: str
    stack_chips: int


class HandStarted(Event, frozen=True):
    """The hand begins, with all its data. `seats` stand clockwise from the dealer's left, `dealer` 0 is before seat 1.

    `rules` is the number of the rules that decide it. `deck` is the whole deck in dealing order, and empty in every
    view. `commitment` is for the deal's salted commitment; empty where the deal makes none.
    """

    hand: HandId
    variant: Variant
    rules: int
    dealer: int
    seats: tuple[HandSeat, ...]
    deck: tuple[Card, ...] = ()
    commitment: str = ""


class AntePosted(PublicEvent, frozen=True):
    seat: SeatNo
    added_chips: int
    stack_chips: int
    all_in: bool


class CardBurnt(Event, frozen=True):
    """A card goes face down to the burns; hidden from everyone, staff included (`rules.md` A7)."""

    street: int
    card: Card


class CardDealt(Event, frozen=True):
    """A seat gets a card. `street` is the number of cards that each player holds after it."""

    seat: SeatNo
    street: int
    card: Card
    face: DealtFace


class CommonCardDealt(PublicEvent, frozen=True):
    """One card for all, where the deck is too short for one each (`rules.md` A7)."""

    street: int
    card: Card


class RoundOpened(PublicEvent, frozen=True):
    """A street is dealt. `seat` opens it, or would if there were betting; `betting` is false when nobody can bet.

    `forced` says that the seat must bring in and cannot fold (`rules.md` A3). `open_pair`: a pair shows where that lets
    anyone bet big (A5). `small_chips` and `big_chips` are the sizes of a wager, equal where there is one size only.
    """

    street: int
    seat: SeatNo
    betting: bool
    forced: bool
    open_pair: bool
    small_chips: int
    big_chips: int


class BringInPosted(PublicEvent, frozen=True):
    """The forced opening. Others owe `price_chips` whatever was posted; `full` if it counts as the bet itself."""

    seat: SeatNo
    to_chips: int
    added_chips: int
    stack_chips: int
    all_in: bool
    price_chips: int
    full: bool


class Wagered(PublicEvent, frozen=True):
    """Common fields of `Completed`, `BetMade` and `Raised`.

    `full` wagers count toward the cap and reopen the betting, an all-in of less than half a bet does neither; `big`
    tells a big wager from a small one (`rules.md` A4, A5).
    """

    seat: SeatNo
    to_chips: int
    added_chips: int
    stack_chips: int
    all_in: bool
    full: bool
    big: bool


class Completed(Wagered, frozen=True):
    """The first full wager over a bring-in or over an opening under half."""


class BetMade(Wagered, frozen=True, tag="bet"):
    """The first wager of a round that nobody had opened."""


class Raised(Wagered, frozen=True):
    """A wager over a full wager."""


class Called(PublicEvent, frozen=True):
    seat: SeatNo
    to_chips: int
    added_chips: int
    stack_chips: int
    all_in: bool


class Checked(PublicEvent, frozen=True):
    seat: SeatNo


class Folded(PublicEvent, frozen=True):
    seat: SeatNo


class UncalledReturned(PublicEvent, frozen=True):
    """What the highest contributor put in beyond the second highest comes back; it is in no pot (`rules.md` A8)."""

    seat: SeatNo
    returned_chips: int
    stack_chips: int


class Pot(msgspec.Struct, frozen=True):
    """An amount and the seats with a claim to it, clockwise from the dealer's left. The main pot is number 0."""

    amount_chips: int
    seats: tuple[SeatNo, ...]


class BetsCollected(PublicEvent, frozen=True):
    """A betting round is over: its bets have gone into the pots, which stand here whole, the main pot first."""

    street: int
    pots: tuple[Pot, ...]


class TabledHand(msgspec.Struct, frozen=True):
    """All cards of a seat in the order in which it got them, now public."""

    seat: SeatNo
    cards: tuple[Card, ...]

    def __repr__(self) -> str:
        return "<TabledHand>"


class HandsTabled(PublicEvent, frozen=True):
    """No more betting is possible: all hands lie face up at once, and the cards run out (`rules.md` A9)."""

    hands: tuple[TabledHand, ...]


class HandShown(PublicEvent, frozen=True):
    """A seat shows at the showdown: all its cards in dealing order, and what they make."""

    seat: SeatNo
    cards: tuple[Card, ...]
    name: HandName


class HandMucked(PublicEvent, frozen=True):
    """A beaten seat gives up its hand unseen; a history shows its down cards to its owner alone (`rules.md` A9)."""

    seat: SeatNo


class RakeTaken(PublicEvent, frozen=True):
    pot: int
    amount_chips: int


class Share(msgspec.Struct, frozen=True):
    seat: SeatNo
    amount_chips: int


class PotAwarded(PublicEvent, frozen=True):
    """A pot, less its rake, goes to its winners. The first share has the whole remainder of a split (A8)."""

    pot: int
    shares: tuple[Share, ...]


class SeatResult(msgspec.Struct, frozen=True):
    """`net_chips` is the stack at the end less the stack before the ante."""

    seat: SeatNo
    stack_chips: int
    net_chips: int


class HandEnded(PublicEvent, frozen=True):
    """All pots are paid. The nets and the rake sum to zero."""

    results: tuple[SeatResult, ...]
    rake_chips: int


class HandCancelled(PublicEvent, frozen=True):
    """The hand is void: every stack is again what it was before the ante. `reason` is a code."""

    reason: str
    results: tuple[SeatResult, ...]


HandEvent: TypeAlias = (
    HandStarted
    | AntePosted
    | CardBurnt
    | CardDealt
    | CommonCardDealt
    | RoundOpened
    | BringInPosted
    | Completed
    | BetMade
    | Raised
    | Called
    | Checked
    | Folded
    | UncalledReturned
    | BetsCollected
    | HandsTabled
    | HandShown
    | HandMucked
    | RakeTaken
    | PotAwarded
    | HandEnded
    | HandCancelled
)
