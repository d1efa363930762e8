"""Plays a worked hand of stud through the engine and tells what came out."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from engine.rules import stud
from engine.rules.actions import Action, Option, SeatNo
from engine.rules.cards import DECK, Card, parse_cards
from engine.rules.events import (
    BetsCollected,
    CardBurnt,
    CardDealt,
    CommonCardDealt,
    HandEnded,
    HandEvent,
    HandId,
    HandMucked,
    HandSeat,
    HandShown,
    PlayerId,
    PotAwarded,
    RoundOpened,
    UncalledReturned,
)
from engine.rules.variants import Variant, five_card_stud, seven_card_stud
from tests.cases.case import Case

WORDS = {"bring_in": "bring"}
"""Where a case's word for an action is not the engine's own."""


class CaseFailed(AssertionError):
    """What the case says and what the engine does are two things."""


class Outcome(msgspec.Struct, frozen=True):
    """What a hand came to, in a case's terms."""

    pots: list[tuple[int, list[int]]]
    awards: dict[int, int]
    refund: dict[int, int]
    stacks: dict[int, int]
    show_order: list[int]
    first: dict[int, int]
    events: list[HandEvent]


def play(case: Case) -> Outcome:
    """Play the case's actions to the hand's end; raises `CaseFailed` where the engine takes another way."""
    deck: list[Card] | None = None
    # Which deck position goes to which seat depends on who folds. So the hand is played over: each time the deck is
    # laid out for the deal that was seen, until the deal is the one that the case names.
    for _ in range(len(DECK)):
        deck = deck or _lay_out(case, [])
        events = _play_with(case, deck)
        laid_out = _lay_out(case, events)
        if laid_out == deck:
            return _outcome(events)
        deck = laid_out
    raise CaseFailed("the deck cannot be laid out as the case names it")


def variant_of(case: Case) -> Variant:
    make = seven_card_stud if case.kind == "stud7" else five_card_stud
    return make(
        small_bet_chips=case.small,
        big_bet_chips=case.big,
        ante_chips=case.ante,
        bring_in_chips=case.bring_in,
        heads_up_uncapped=case.heads_up_uncapped,
    )


def words(options: tuple[Option, ...]) -> dict[str, Action]:
    """The options by the words of a case; of two sizes, the big one's word ends in 2."""
    named: dict[str, Action] = {}
    for option in options:
        verb = msgspec.to_builtins(option.action)["verb"]
        word = WORDS.get(verb, verb)
        named[f"{word}2" if word in named else word] = option.action
    return named


def _play_with(case: Case, deck: list[Card]) -> list[HandEvent]:
    """The hand's events with this deck; a deck that is not yet laid out may lead astray, then they end early."""
    if isinstance(case.dealer, str):
        raise CaseFailed("the dealer of a stud hand is a number")
    seats = [
        HandSeat(seat=SeatNo(seat), player=PlayerId(f"p{seat}"), name=f"Seat {seat}", stack_chips=chips)
        for seat, chips in case.stacks.items()
    ]
    hand, events = stud.start(
        hand=HandId(case.id), variant=variant_of(case), dealer=case.dealer, seats=seats, deck=deck
    )
    settled = _lay_out(case, events) == deck
    for token in case.actions.split():
        complaint = _follow(hand, token, events)
        if complaint:
            if settled:
                raise CaseFailed(complaint)
            return events
        settled = _lay_out(case, events) == deck
    if not hand.over and settled:
        raise CaseFailed(f"the actions end, but {list(stud.legal(hand))} is to act")
    return events


def _follow(hand: stud.StudHand, token: str, events: list[HandEvent]) -> str | None:
    """Do what one token says; gives what is wrong, or None."""
    asked = re.fullmatch(r"\?(\d+)=(.*)", token)
    seat = SeatNo(int(asked.group(1) if asked else token.split(":")[0]))
    legal = stud.legal(hand)
    if seat not in legal:
        return f"{token}: expected seat {seat} to act, got {list(legal)}"
    named = words(legal[seat])
    if asked:
        got = sorted(_priced(word, action) for word, action in named.items())
        if got != sorted(asked.group(2).split(",")):
            return f"{token}: got {','.join(got)}"
        return None
    word = token.split(":")[1]
    if word not in named:
        return f"{token}: only {','.join(named)} offered"
    events += stud.apply(hand, seat, named[word])
    return None


def _priced(word: str, action: Action) -> str:
    to_chips = getattr(action, "to_chips", None)
    return word if to_chips is None else f"{word}({to_chips})"


def _lay_out(case: Case, events: list[HandEvent]) -> list[Card]:
    """A deck that gives the case's cards in the order in which these events dealt; other places take what is left."""
    if case.deck_order:
        return list(parse_cards(case.deck_order))
    wanted = {SeatNo(seat): iter(parse_cards(text)) for seat, text in case.cards.items()}
    burns = iter(parse_cards(case.burns or ""))
    common = iter(parse_cards(case.community or ""))
    named = [*parse_cards(" ".join([*case.cards.values(), case.burns or "", case.community or ""]))]
    free = iter([card for card in DECK if card not in named])
    return list(_filled(_places(case, events, wanted, burns, common), free, named))


def _places(
    case: Case,
    events: list[HandEvent],
    wanted: dict[SeatNo, Iterator[Card]],
    burns: Iterator[Card],
    common: Iterator[Card],
) -> Iterator[Card | None]:
    for event in events:
        match event:
            case CardDealt():
                yield next(wanted.get(event.seat, iter(())), None)
            case CardBurnt():
                yield next(burns, None)
            case CommonCardDealt():
                yield next(common, None)
            case _:
                pass


def _filled(places: Iterator[Card | None], free: Iterator[Card], named: list[Card]) -> Iterator[Card]:
    left = list(named)
    for count, card in enumerate(places):
        if count == len(DECK):
            return
        if card is not None:
            left.remove(card)
            yield card
        else:
            yield next(free, None) or left.pop()
    yield from left
    yield from free


def _outcome(events: list[HandEvent]) -> Outcome:
    pots = [event.pots for event in events if isinstance(event, BetsCollected)]
    awards: dict[int, int] = {}
    refund: dict[int, int] = {}
    for event in events:
        if isinstance(event, PotAwarded):
            for share in event.shares:
                awards[share.seat] = awards.get(share.seat, 0) + share.amount_chips
        if isinstance(event, UncalledReturned):
            refund[event.seat] = refund.get(event.seat, 0) + event.returned_chips
    ended = events[-1]
    if not isinstance(ended, HandEnded):
        raise CaseFailed("the hand does not end")
    return Outcome(
        pots=[(pot.amount_chips, sorted(pot.seats)) for pot in (pots[-1] if pots else ())],
        awards={seat: chips for seat, chips in awards.items() if chips},
        refund=refund,
        stacks={result.seat: result.stack_chips for result in ended.results},
        show_order=[event.seat for event in events if isinstance(event, HandShown | HandMucked)],
        first={event.street: event.seat for event in events if isinstance(event, RoundOpened)},
        events=events,
    )
