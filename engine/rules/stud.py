"""A hand of player-against-player stud: three verbs, `legal`, `apply` and `start`, over one literal table of phases.

Theory of operation. A hand goes through its variant's streets. On each one:

    deal ──► open the round ──► turns, while somebody is to act ──► collect ──► next street, showdown or last player

    what stands after a round             what comes next
    ------------------------------------  -----------------------------------------------
    one live player                       he is paid and shows nothing
    the last street is over               showdown
    at most one live player has chips     all hands are tabled, and the cards run out
    otherwise                             the next street

Each step makes events and folds them at once, so that the next step sees what the last one did. Nothing here keeps a
clock or makes a card: the deck and the actions are given, and the same ones give the same events, byte for byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

import msgspec

from engine.rules import betting, dealing, pots, showdown
from engine.rules.actions import Action, Bet, BringIn, Call, Check, Complete, Fold, Options, Raise, SeatNo, Wager
from engine.rules.cards import DECK, Card
from engine.rules.errors import ActionNotOffered, LawBroken, NotYourTurn, WrongAmount
from engine.rules.events import (
    AntePosted,
    BetMade,
    BetsCollected,
    BringInPosted,
    Called,
    Checked,
    Completed,
    Folded,
    HandCancelled,
    HandEnded,
    HandEvent,
    HandId,
    HandSeat,
    HandsTabled,
    HandStarted,
    Raised,
    RoundOpened,
    SeatResult,
    TabledHand,
    UncalledReturned,
)
from engine.rules.pots import Contribution
from engine.rules.stud_hand import HandPlayer, StudHand, evolve
from engine.rules.variants import RULES_NUMBER, Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["StudHand", "apply", "cancel", "evolve", "legal", "on_timeout", "start"]


def start(  # noqa: PLR0913 - all that a hand is made of, every field named
    *,
    hand: HandId,
    variant: Variant,
    dealer: int,
    seats: Sequence[HandSeat],
    deck: Sequence[Card],
    commitment: str = "",
) -> tuple[StudHand, list[HandEvent]]:
    """Begin a hand: post the antes, deal the first street and open its round.

    Give at least two seats with chips, in any order, and the 52 cards in dealing order. The hand may be over already
    when nobody can bet. Raises `LawBroken` for seats or cards that make no hand.
    """
    _require_startable(variant, seats, deck)
    behind = variant.seats
    in_order = sorted(seats, key=lambda one: (one.seat - dealer - 1) % behind)
    started = HandStarted(
        hand=hand,
        variant=variant,
        rules=RULES_NUMBER,
        dealer=dealer,
        seats=tuple(in_order),
        deck=tuple(deck),
        commitment=commitment,
    )
    state = evolve(None, started)
    script = _Script(state)
    script.events.append(started)
    for player in state.players:
        added_chips = min(variant.ante_chips, player.stack_chips)
        if added_chips:
            stack_chips = player.stack_chips - added_chips
            script.tell(
                AntePosted(seat=player.seat, added_chips=added_chips, stack_chips=stack_chips, all_in=stack_chips == 0)
            )
    _next_street(script)
    _advance(script)
    return state, script.events


def legal(hand: StudHand) -> dict[SeatNo, Options]:
    """What each seat may do now: one seat in stud, none when the hand is over. A seat's options are never empty."""
    index = hand.turn()
    if index is None:
        return {}
    return {hand.players[index].seat: betting.options(hand.round, hand.players, index)}


def apply(hand: StudHand, seat: SeatNo, action: Action) -> list[HandEvent]:
    """Do what the seat wishes, with all that follows from it, and fold it into `hand`; gives the events.

    The action must be one of the seat's options, at the very price that it names. Raises `NotYourTurn`,
    `ActionNotOffered` or `WrongAmount`, and then nothing has changed.
    """
    offered = _offered(hand, seat, action)
    script = _Script(hand)
    script.tell(_deed(hand, hand.player(seat), offered))
    _advance(script)
    return script.events


def on_timeout(hand: StudHand, seat: SeatNo) -> Action:
    """What the rules do for a silent player: a forced bring-in is posted, a free check taken, else he folds (A3, A10).

    It must be the seat's turn.
    """
    offered = legal(hand).get(seat)
    if offered is None:
        raise NotYourTurn(to_act=list(legal(hand)))
    actions = [option.action for option in offered]
    for action in actions:
        if isinstance(action, Check) or (isinstance(action, BringIn) and hand.round.forced):
            return action
    return Fold()


def cancel(hand: StudHand, reason: str) -> list[HandEvent]:
    """Make the hand void: every stack is again what it was before the ante. `reason` is a code.

    Raises `LawBroken` for a hand that is over: what was paid stays paid.
    """
    if hand.over:
        raise LawBroken(law="only a running hand can be made void", hand=hand.hand)
    script = _Script(hand)
    results = tuple(
        SeatResult(seat=player.seat, stack_chips=player.start_chips, net_chips=0) for player in hand.players
    )
    script.tell(HandCancelled(reason=reason, results=results))
    return script.events


_WHOLE_DECK = frozenset(DECK)

_WAGERED: dict[type[Wager], type[Completed | BetMade | Raised]] = {Complete: Completed, Bet: BetMade, Raise: Raised}


class _Script:
    """Events as they are told: each is folded into the hand at once."""

    def __init__(self, hand: StudHand) -> None:
        self.hand = hand
        self.events: list[HandEvent] = []

    def tell(self, *events: HandEvent) -> None:
        for event in events:
            evolve(self.hand, event)
            self.events.append(event)


def _advance(script: _Script) -> None:
    """Go on until somebody is to act or the hand is over: the table of phases above."""
    hand = script.hand
    while not hand.over and hand.turn() is None:
        _collect(script)
        live = hand.live()
        if len(live) == 1:
            _pay_last_player(script)
        elif hand.on_last_street:
            script.tell(*showdown.showdown(hand))
            script.tell(*showdown.payments(hand))
            script.tell(_ended(hand))
        else:
            if not hand.tabled and sum(player.stack_chips > 0 for player in live) < 2:
                script.tell(HandsTabled(hands=tuple(TabledHand(seat=one.seat, cards=one.cards) for one in live)))
            _next_street(script)


def _next_street(script: _Script) -> None:
    hand = script.hand
    street = hand.variant.streets[hand.street_index + 1]
    script.tell(*dealing.deal_street(hand, street))
    live = hand.live()
    can_bet = sum(player.stack_chips > 0 for player in live) > 1
    first_round = hand.street_index < 0
    opener, forced = dealing.opener(hand, first_round=first_round)
    open_pair = street.open_pair_doubles and any(dealing.shows_pair(player) for player in live)
    variant = hand.variant
    small_chips = variant.big_bet_chips if street.big_bet else variant.small_bet_chips
    script.tell(
        RoundOpened(
            street=street.number,
            seat=opener,
            betting=can_bet,
            forced=forced and can_bet,
            open_pair=open_pair,
            small_chips=small_chips,
            big_chips=variant.big_bet_chips if open_pair else small_chips,
        )
    )


def _collect(script: _Script) -> None:
    """Give the uncalled part back, then build the pots anew if the round has moved any chips."""
    hand = script.hand
    contributions = _contributions(hand)
    returned = pots.uncalled(contributions)
    if returned is not None:
        seat, chips = returned
        stack_chips = hand.player(seat).stack_chips + chips
        script.tell(UncalledReturned(seat=seat, returned_chips=chips, stack_chips=stack_chips))
        contributions = _contributions(hand)
    if any(one.total_chips for one in contributions):
        built = pots.build_pots(contributions)
        if built != hand.pots:
            script.tell(BetsCollected(street=hand.street.number, pots=built))


def _pay_last_player(script: _Script) -> None:
    """The last player standing takes what is there and shows nothing (`rules.md` A9)."""
    hand = script.hand
    script.tell(*showdown.payments(hand))
    script.tell(_ended(hand))


def _ended(hand: StudHand) -> HandEnded:
    results = tuple(
        SeatResult(seat=player.seat, stack_chips=player.stack_chips, net_chips=player.stack_chips - player.start_chips)
        for player in hand.players
    )
    if sum(one.net_chips for one in results) + hand.rake_chips != 0:
        raise LawBroken(law="a hand neither makes nor loses a chip", hand=hand.hand)
    return HandEnded(results=results, rake_chips=hand.rake_chips)


def _deed(hand: StudHand, player: HandPlayer, action: Action) -> HandEvent:
    """The fact that an offered action becomes."""
    match action:
        case Fold():
            return Folded(seat=player.seat)
        case Check():
            return Checked(seat=player.seat)
        case Call():
            return Called(**_paid(player, action.to_chips))
        case BringIn():
            bring_in_chips = hand.variant.bring_in_chips
            return BringInPosted(
                **_paid(player, action.to_chips), price_chips=bring_in_chips, full=hand.variant.bring_in_is_bet
            )
        case Complete() | Bet() | Raise():
            return _WAGERED[type(action)](
                **_paid(player, action.to_chips),
                full=betting.is_full(hand.round, action.to_chips),
                big=betting.is_big(hand.round, action.to_chips),
            )
        case _:
            assert_never(action)


def _paid(player: HandPlayer, to_chips: int) -> dict[str, Any]:
    added_chips = to_chips - player.round_chips
    stack_chips = player.stack_chips - added_chips
    return {
        "seat": player.seat,
        "to_chips": to_chips,
        "added_chips": added_chips,
        "stack_chips": stack_chips,
        "all_in": stack_chips == 0,
    }


def _offered(hand: StudHand, seat: SeatNo, action: Action) -> Action:
    """The option's own action, so that no amount but the rules' own ever gets into an event."""
    offered = legal(hand)
    if seat not in offered:
        raise NotYourTurn(to_act=list(offered))
    actions = [option.action for option in offered[seat]]
    if action in actions:
        return actions[actions.index(action)]
    refusal = WrongAmount if any(type(one) is type(action) for one in actions) else ActionNotOffered
    raise refusal(options=msgspec.to_builtins(offered[seat]))


def _require_startable(variant: Variant, seats: Sequence[HandSeat], deck: Sequence[Card]) -> None:
    numbers = [one.seat for one in seats]
    if not 2 <= len(seats) <= variant.seats or len(numbers) != len(dict.fromkeys(numbers)):
        raise LawBroken(law="a hand has two to as many seats as the game, each once")
    if any(one.stack_chips < 1 or not 1 <= one.seat <= variant.seats for one in seats):
        raise LawBroken(law="every dealt-in seat has chips")
    if len(deck) != len(DECK) or frozenset(deck) != _WHOLE_DECK:
        raise LawBroken(law="a deck has 52 different cards")


def _contributions(hand: StudHand) -> list[Contribution]:
    return [
        Contribution(seat=player.seat, total_chips=player.total_chips, folded=player.folded) for player in hand.players
    ]
