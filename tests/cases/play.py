"""Plays a worked hand of stud through the engine and tells what came out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

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
from engine.rules.stud_hand import StudHand
from engine.rules.variants import Variant, five_card_stud, seven_card_stud
from tests.cases.case import HandCase

WORDS = {"bring_in": "bring"}
"""Where a case's word for an action is not the engine's own."""


class CaseFailed(AssertionError):
    """What the case says and what the engine does are two things."""


class Followed(NamedTuple):
    """A hand as it stands after a case's last token, and all its events so far."""

    hand: StudHand
    events: list[HandEvent]


class Outcome(msgspec.Struct, frozen=True):
    """What a hand came to, in a case's terms."""

    pots: list[tuple[int, list[int]]]
    awards: dict[int, int]
    refund: dict[int, int]
    stacks: dict[int, int]
    show_order: list[int]
    first: dict[int, int]


def play(case: HandCase) -> Outcome:
    """Play the case's actions to the hand's end; raises `CaseFailed` where the engine takes another way."""
    hand, events = follow(case)
    if not hand.over:
        raise CaseFailed(f"the actions end, but {list(stud.legal(hand))} is to act")
    return outcome(events)


def follow(case: HandCase) -> Followed:
    """Play the case's actions as far as they go; raises `CaseFailed` where the engine takes another way.

    Which place in the deck goes to which seat depends on who folds. So the hand is played over: each time the deck is
    laid out for the deal that was seen, until the deal is the one that the case names.
    """
    deck = _lay_out(case, [])
    for _ in range(len(DECK)):
        followed, complaint = _play_with(case, deck)
        laid_out = _lay_out(case, followed.events)
        if laid_out == deck:
            if complaint:
                raise CaseFailed(complaint)
            _require_named_cards(case, followed.events)
            return followed
        deck = laid_out
    raise CaseFailed("the deck cannot be laid out as the case names it")


def variant_of(case: HandCase) -> Variant:
    make = seven_card_stud if case.kind == "stud7" else five_card_stud
    return make(
        small_bet_chips=case.small,
        big_bet_chips=case.big,
        ante_chips=case.ante,
        bring_in_chips=case.bring_in,
        heads_up_uncapped=case.heads_up_uncapped,
        rake=case.rake,
    )


def words(options: tuple[Option, ...]) -> dict[str, Action]:
    """The options by the words of a case; of two sizes, the big one's word ends in 2."""
    named: dict[str, Action] = {}
    for option in options:
        verb = msgspec.to_builtins(option.action)["verb"]
        word = WORDS.get(verb, verb)
        named[f"{word}2" if word in named else word] = option.action
    return named


def priced(word: str, action: Action) -> str:
    """An option as a case writes it: `fold`, `call(25)`."""
    to_chips = getattr(action, "to_chips", None)
    return word if to_chips is None else f"{word}({to_chips})"


def outcome(events: list[HandEvent]) -> Outcome:
    """Sum up a hand that has ended."""
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
    )


def _play_with(case: HandCase, deck: list[Card]) -> tuple[Followed, str | None]:
    """Play with this deck, and tell what the engine did not want; the events end there."""
    seats = [
        HandSeat(seat=SeatNo(seat), player=PlayerId(f"p{seat}"), name=f"Seat {seat}", stack_chips=chips)
        for seat, chips in case.stacks.items()
    ]
    hand, events = stud.start(
        hand=HandId(case.id), variant=variant_of(case), dealer=case.dealer, seats=seats, deck=deck
    )
    for token in case.actions.split():
        complaint = _follow_token(hand, token, events)
        if complaint:
            return Followed(hand, events), complaint
    return Followed(hand, events), None


def _follow_token(hand: StudHand, token: str, events: list[HandEvent]) -> str | None:
    """Do what one token says; gives what is wrong, or None."""
    read = re.fullmatch(r"(?P<asked>\?)?(?P<seat>\d+)(?(asked)=|:)(?P<rest>\S+)", token)
    if read is None:
        raise CaseFailed(f"{token}: no token of a case")
    seat = SeatNo(int(read["seat"]))
    legal = stud.legal(hand)
    if seat not in legal:
        return f"{token}: expected seat {seat} to act, got {list(legal) or 'nobody'}"
    named = words(legal[seat])
    if read["asked"]:
        got = sorted(priced(word, action) for word, action in named.items())
        return None if got == sorted(read["rest"].split(",")) else f"{token}: got {','.join(got)}"
    if read["rest"] not in named:
        return f"{token}: only {','.join(named)} offered"
    events += stud.apply(hand, seat, named[read["rest"]])
    return None


def _lay_out(case: HandCase, events: list[HandEvent]) -> list[Card]:
    """A deck that gives the case's cards in the order in which these events dealt; other places take what is left."""
    if case.deck_order:
        dealt = parse_cards(case.deck_order)
        return [*dealt, *(card for card in DECK if card not in dealt)]
    named = _named_cards(case)
    places = _places(case, events)
    left = [card for card in named if card not in places]
    free = [card for card in DECK if card not in named]
    deck = [card if card is not None else (free.pop(0) if free else left.pop()) for card in places]
    return deck + left + free


def _named_cards(case: HandCase) -> list[Card]:
    """Every card that the case gives a place, each once: a burnt card may come back to a seat (`rules.md` A7)."""
    burnt = parse_cards(case.burns or "")
    held = parse_cards(" ".join([*case.cards.values(), case.community or ""]))
    return list(dict.fromkeys([*held, *burnt]))


def _places(case: HandCase, events: list[HandEvent]) -> list[Card | None]:
    """The card that the case wants at each place of the deck that these events have used; None where it names none."""
    wanted = _wanted(case)
    burns, common = iter(parse_cards(case.burns or "")), iter(parse_cards(case.community or ""))
    places: list[Card | None] = []
    burnt_at: list[int] = []
    for event in events:
        match event:
            case CardDealt():
                card = next(wanted.get(event.seat, iter(())), None)
                if len(places) < len(DECK):
                    places.append(card)
                else:
                    # The stub has run out: the burns come back in their order.
                    place = burnt_at.pop(0)
                    places[place] = places[place] if card is None else card
            case CardBurnt():
                burnt_at.append(len(places))
                places.append(next(burns, None))
            case CommonCardDealt():
                places.append(next(common, None))
            case _:
                pass
    return places


def _wanted(case: HandCase) -> dict[SeatNo, Iterator[Card]]:
    return {SeatNo(seat): iter(parse_cards(text)) for seat, text in case.cards.items()}


def _require_named_cards(case: HandCase, events: list[HandEvent]) -> None:
    wanted = _wanted(case)
    burns, common = iter(parse_cards(case.burns or "")), iter(parse_cards(case.community or ""))
    for event in events:
        match event:
            case CardDealt():
                named, what = next(wanted.get(event.seat, iter(())), None), f"seat {event.seat} is to get"
            case CardBurnt():
                named, what = next(burns, None), "to be burnt is"
            case CommonCardDealt():
                named, what = next(common, None), "common to all is to be"
            case _:
                continue
        if named not in (None, event.card):
            raise CaseFailed(f"{what} {named} on street {event.street}, got {event.card}")
