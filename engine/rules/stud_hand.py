"""The state of a hand of stud, and the one way in which it changes: folding events.

Folding asks neither the rules nor the deck: whatever a rule decided stands in the event. Live play, recovery and replay
fold the same events and so come to the same state.
"""

from __future__ import annotations

from copy import copy
from typing import assert_never

import msgspec

from engine.rules import betting
from engine.rules.actions import Chips, SeatNo
from engine.rules.betting import BettingRound, Bettor
from engine.rules.cards import Card
from engine.rules.errors import LawBroken
from engine.rules.events import (
    AntePosted,
    BetMade,
    BetsCollected,
    BringInPosted,
    Called,
    CardBurnt,
    CardDealt,
    Checked,
    CommonCardDealt,
    Completed,
    DealtFace,
    Folded,
    HandCancelled,
    HandEnded,
    HandEvent,
    HandId,
    HandMucked,
    HandShown,
    HandsTabled,
    HandStarted,
    PlayerId,
    Pot,
    PotAwarded,
    Raised,
    RakeTaken,
    RoundOpened,
    UncalledReturned,
    Wagered,
)
from engine.rules.variants import Street, Variant


class HandPlayer(Bettor):
    """A dealt-in seat: the bettor, its cards in dealing order with their faces, and what it has in the hand.

    It is live until it folds; it is all-in when it is live and has nothing behind. `shown` says that its down cards
    are public.
    """

    player: PlayerId = PlayerId("")
    name: str = ""
    start_chips: int = 0
    total_chips: int = 0
    cards: tuple[Card, ...] = ()
    faces: tuple[DealtFace, ...] = ()
    shown: bool = False

    @property
    def all_in(self) -> bool:
        return self.stack_chips == 0 and not self.folded

    def board(self) -> list[Card]:
        """The cards that lie face up and speak for who opens."""
        return [card for card, face in zip(self.cards, self.faces, strict=True) if face == "up"]

    def __repr__(self) -> str:
        return f"<HandPlayer {self.seat}>"


class StudHand(msgspec.Struct):
    """A running hand. `players` stand clockwise from the dealer's left; `next_card` counts the deck's cards used.

    `late_bet_called` says that a bet was called on or after the second round, which is what rake waits for.
    """

    hand: HandId
    variant: Variant
    rules: int
    dealer: int
    commitment: str
    players: list[HandPlayer]
    deck: tuple[Card, ...]
    round: BettingRound
    next_card: int = 0
    burns: tuple[Card, ...] = ()
    common: Card | None = None
    street_index: int = -1
    opener: SeatNo | None = None
    open_pair: bool = False
    pots: tuple[Pot, ...] = ()
    rake_chips: int = 0
    late_bet_called: bool = False
    tabled: bool = False
    over: bool = False

    @property
    def street(self) -> Street:
        return self.variant.streets[self.street_index]

    @property
    def on_last_street(self) -> bool:
        return self.street_index == len(self.variant.streets) - 1

    def copy(self) -> StudHand:
        """An independent hand; what cannot change is shared."""
        twin = copy(self)
        twin.players = [copy(player) for player in self.players]
        twin.round = copy(self.round)
        return twin

    def player(self, seat: SeatNo) -> HandPlayer:
        """The player at a dealt-in seat; raises `LawBroken` for any other, since an event must name one."""
        for player in self.players:
            if player.seat == seat:
                return player
        raise LawBroken(law="an event names a dealt-in seat")

    def live(self) -> list[HandPlayer]:
        return [player for player in self.players if not player.folded]

    def turn(self) -> int | None:
        """The index of the player to act, or None when nobody is."""
        return None if self.over else betting.to_act(self.round, self.players)

    def cast(self) -> dict[SeatNo, PlayerId]:
        """Who plays in this hand, by seat."""
        return {player.seat: player.player for player in self.players}

    def chips_in_play(self) -> Chips:
        """Chips put in and not yet paid out or returned. Before the first round is over they are all at the seats."""
        if not self.pots:
            return sum(player.total_chips for player in self.players)
        return sum(pot.amount_chips for pot in self.pots) + sum(player.round_chips for player in self.players)

    def __repr__(self) -> str:
        return f"<StudHand {self.hand}>"


_NO_ROUND = BettingRound(
    small_chips=0, big_chips=0, bring_in_chips=0, max_wagers=0, pointer=0, forced=False, first_round=True
)


def evolve(hand: StudHand | None, event: HandEvent) -> StudHand:  # noqa: C901, PLR0915 - one branch an event
    """Fold one event into the hand, in place, and give it back; `HandStarted` makes a new one.

    The events must come in their own order, each once. Raises `LawBroken` for an event that cannot be folded.
    """
    if isinstance(event, HandStarted):
        return _begin(event)
    if hand is None:
        raise LawBroken(law="a hand's first event starts it")
    match event:
        case CardDealt():
            player = hand.player(event.seat)
            player.cards = (*player.cards, event.card)
            player.faces = (*player.faces, event.face)
            hand.next_card += 1
        case Called():
            betting.mark_acted(hand.round, _pays(hand, event))
        case Checked():
            betting.mark_acted(hand.round, _takes_turn(hand, event.seat))
        case Folded():
            _takes_turn(hand, event.seat).folded = True
            _note_heads_up(hand)
        case Completed() | BetMade() | Raised():
            betting.fold_wager(hand.round, _pays(hand, event), event)
        case BringInPosted():
            betting.fold_bring_in(hand.round, _pays(hand, event), event)
        case AntePosted():
            player = hand.player(event.seat)
            player.total_chips += event.added_chips
            player.stack_chips = event.stack_chips
        case CardBurnt():
            hand.burns = (*hand.burns, event.card)
            hand.next_card += 1
        case CommonCardDealt():
            hand.common = event.card
            hand.next_card += 1
        case RoundOpened():
            _open_round(hand, event)
        case UncalledReturned():
            player = hand.player(event.seat)
            player.total_chips -= event.returned_chips
            player.round_chips = max(0, player.round_chips - event.returned_chips)
            player.stack_chips = event.stack_chips
        case BetsCollected():
            if hand.street_index > 0 and sum(player.round_chips > 0 for player in hand.players) > 1:
                hand.late_bet_called = True
            hand.pots = event.pots
            for player in hand.players:
                player.round_chips = 0
        case HandsTabled():
            hand.tabled = True
            for tabled in event.hands:
                hand.player(tabled.seat).shown = True
        case HandShown():
            hand.player(event.seat).shown = True
        case HandMucked():
            pass
        case RakeTaken():
            _pay_from_pot(hand, event.pot, event.amount_chips)
            hand.rake_chips += event.amount_chips
        case PotAwarded():
            for share in event.shares:
                hand.player(share.seat).stack_chips += share.amount_chips
                _pay_from_pot(hand, event.pot, share.amount_chips)
        case HandEnded():
            hand.over = True
        case HandCancelled():
            hand.over = True
            hand.pots = ()
            hand.rake_chips = 0
            for player in hand.players:
                player.stack_chips = player.start_chips
                player.total_chips = player.round_chips = 0
        case _:
            assert_never(event)
    return hand


def _begin(event: HandStarted) -> StudHand:
    return StudHand(
        hand=event.hand,
        variant=event.variant,
        rules=event.rules,
        dealer=event.dealer,
        commitment=event.commitment,
        players=[
            HandPlayer(
                seat=one.seat,
                player=one.player,
                name=one.name,
                stack_chips=one.stack_chips,
                start_chips=one.stack_chips,
            )
            for one in event.seats
        ],
        deck=event.deck,
        round=copy(_NO_ROUND),
    )


def _open_round(hand: StudHand, event: RoundOpened) -> None:
    hand.street_index += 1
    hand.opener = event.seat
    hand.open_pair = event.open_pair
    first_round = hand.street_index == 0
    hand.round = BettingRound(
        small_chips=event.small_chips,
        big_chips=event.big_chips,
        bring_in_chips=hand.variant.bring_in_chips if first_round else 0,
        max_wagers=hand.variant.max_wagers,
        pointer=_index(hand, event.seat) - 1,
        forced=event.forced,
        first_round=first_round,
    )
    for player in hand.players:
        player.acted_at_chips = None
    _note_heads_up(hand)


def _note_heads_up(hand: StudHand) -> None:
    """Lift the cap for good once two are left before it was reached, where the house plays it so (`rules.md` A4)."""
    if hand.variant.heads_up_uncapped and hand.round.wagers < hand.round.max_wagers and len(hand.live()) == 2:
        hand.round.uncapped = True


def _takes_turn(hand: StudHand, seat: SeatNo) -> HandPlayer:
    """The player whose turn this was; the next one is sought after him."""
    hand.round.pointer = _index(hand, seat)
    return hand.players[hand.round.pointer]


def _pays(hand: StudHand, event: Called | Wagered | BringInPosted) -> HandPlayer:
    player = _takes_turn(hand, event.seat)
    player.round_chips += event.added_chips
    player.total_chips += event.added_chips
    player.stack_chips = event.stack_chips
    return player


def _index(hand: StudHand, seat: SeatNo) -> int:
    for index, player in enumerate(hand.players):
        if player.seat == seat:
            return index
    raise LawBroken(law="an event names a dealt-in seat")


def _pay_from_pot(hand: StudHand, number: int, amount_chips: Chips) -> None:
    pot = hand.pots[number]
    if amount_chips > pot.amount_chips:
        raise LawBroken(law="a pot pays no more than it holds")
    paid = Pot(amount_chips=pot.amount_chips - amount_chips, seats=pot.seats)
    hand.pots = (*hand.pots[:number], paid, *hand.pots[number + 1 :])
