"""No hidden card leaves by an event, a snapshot, a repr or an exception.

Non-interference: two hands that differ only in cards that a viewer may not see give him the same views, byte for byte.
Census: the cards in a view are cards that the viewer may see, reckoned here from the deal alone.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import traceback
from collections.abc import Iterator, Sequence
from random import Random
from typing import get_args

import msgspec
import pytest
from hypothesis import event as note
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.rules import events as events_module
from engine.rules import stud, views
from engine.rules.actions import Call, Check, Fold, SeatNo
from engine.rules.cards import DECK, HIDDEN, Card
from engine.rules.errors import AvenueError, LawBroken
from engine.rules.events import (
    CardBurnt,
    CardDealt,
    CommonCardDealt,
    Event,
    Folded,
    HandCancelled,
    HandEnded,
    HandEvent,
    HandMucked,
    HandShown,
    HandsTabled,
    HandStarted,
    PublicEvent,
)
from engine.rules.stud_hand import StudHand
from engine.rules.views import HandView, private_seats, view_event, view_hand
from tests.engine.rules.hands import even, seven, told
from tests.engine.rules.random_hands import Chooser, Setup, Turn, choosers, setups, whole

A_CARD = re.compile(r"(?<![0-9A-Za-z])[2-9TJQKA][cdhs](?![0-9A-Za-z])")

hands = given(setup=setups(), chooser=choosers())


def viewers(setup: Setup) -> list[SeatNo | None]:
    return [None, *(one.seat for one in setup.seats)]


def json_of(thing: object) -> str:
    return msgspec.json.encode(thing).decode()


@given(setup=setups(), chooser=choosers(), seed=st.integers(0, 2**32))
def test_what_a_viewer_may_not_see_does_not_change_what_he_sees(setup: Setup, chooser: Chooser, seed: int) -> None:
    _, events, turns = whole(setup, chooser)
    for viewer in viewers(setup):
        other = setup._replace(deck=with_hidden_places_shuffled(setup.deck, events, viewer, Random(seed)))
        twin_events, twin_turns = play_again(other, turns)
        if skeleton(twin_events) == skeleton(events):
            note("the same showdown")
            assert snapshots(other, twin_turns, viewer) == snapshots(setup, turns, viewer)
            assert feed(twin_events, viewer) == feed(events, viewer)
        else:
            # A hand that nobody saw would have won: all is equal up to the showdown that tells so.
            note("another showdown")
            upto = next(place for place, event in enumerate(events) if isinstance(event, HandShown | HandMucked))
            assert feed(twin_events, viewer)[:upto] == feed(events, viewer)[:upto]
            assert snapshots(other, twin_turns, viewer)[:-1] == snapshots(setup, turns, viewer)[:-1]


def with_hidden_places_shuffled(
    deck: list[Card], events: Sequence[HandEvent], viewer: SeatNo | None, random: Random
) -> list[Card]:
    """The deck with all cards that this viewer never saw in each other's places: down cards, mucks, burns and stub."""
    seen = seen_cards(events, viewer)
    places = [place for place, card in enumerate(deck) if card not in seen]
    cards = [deck[place] for place in places]
    random.shuffle(cards)
    twin = list(deck)
    for place, card in zip(places, cards, strict=True):
        twin[place] = card
    return twin


def seen_cards(events: Sequence[HandEvent], viewer: SeatNo | None) -> set[Card]:
    """By the rules of the game alone: up cards, his own, the common one, and what was turned up."""
    seen: set[Card] = set()
    for event in events:
        match event:
            case CardDealt() if event.face != "down" or event.seat == viewer:
                seen.add(event.card)
            case CommonCardDealt():
                seen.add(event.card)
            case HandShown():
                seen.update(event.cards)
            case HandsTabled():
                seen.update(card for hand in event.hands for card in hand.cards)
            case _:
                pass
    return seen


def play_again(setup: Setup, turns: Sequence[Turn]) -> tuple[list[HandEvent], list[Turn]]:
    hand, events = setup.start()
    again = []
    for turn in turns:
        told_now = stud.apply(hand, turn.seat, turn.action)
        again.append(Turn(turn.seat, turn.action, told_now))
        events += told_now
    return events, again


def skeleton(events: Sequence[HandEvent]) -> list[tuple[str, object]]:
    return [(type(event).__name__, getattr(event, "seat", None)) for event in events]


def feed(events: Sequence[HandEvent], viewer: SeatNo | None) -> list[bytes]:
    return [msgspec.json.encode(view_event(event, viewer)) for event in events]


def snapshots(setup: Setup, turns: Sequence[Turn], viewer: SeatNo | None) -> list[bytes]:
    """What he would get if he came back, after the deal and after each turn."""
    hand, _ = setup.start()
    found = [msgspec.json.encode(view_hand(hand, viewer))]
    for turn in turns:
        stud.apply(hand, turn.seat, turn.action)
        found.append(msgspec.json.encode(view_hand(hand, viewer)))
    return found


def test_a_mucked_hand_may_be_any_hand_that_loses() -> None:
    """The law above with the hands given: seat 3 mucks, and its down cards change places with a burn and the stub."""
    tokens = "3:bring 1:call 2:call" + 4 * " 1:check 2:check 3:check"
    first, one = seven(tokens, stacks=even(100, seats=3), burns="Tc Qh Qs")
    second, two = seven(tokens, stacks=even(100, seats=3), burns="6h Qh Qs", cards={3: "Tc 6d 2c 3c 4h 8d 9c"})
    assert told(one, HandMucked)[0].seat == 3
    assert json_of(one) != json_of(two)
    for viewer in (None, SeatNo(1), SeatNo(2)):
        assert feed(one, viewer) == feed(two, viewer)
        assert json_of(view_hand(first, viewer)) == json_of(view_hand(second, viewer))
    assert feed(one, SeatNo(3)) != feed(two, SeatNo(3))


@hands
def test_the_cards_in_views_are_those_that_the_viewer_may_see(setup: Setup, chooser: Chooser) -> None:
    """Neither more nor fewer: in his feed by then, and in a snapshot at that moment."""
    _, events, _ = whole(setup, chooser)
    for viewer in viewers(setup):
        hand: StudHand | None = None
        fed: set[str] = set()
        for number, event in enumerate(events, start=1):
            hand = stud.evolve(hand, event)
            in_event = A_CARD.findall(json_of(view_event(event, viewer)))
            assert not isinstance(event, HandStarted | CardBurnt) or not in_event
            fed.update(in_event)
            seen = seen_cards(events[:number], viewer)
            assert fed == seen
            assert set(A_CARD.findall(json_of(view_hand(hand, viewer)))) == seen


@hands
def test_a_feed_folded_by_its_reader_is_his_snapshot(setup: Setup, chooser: Chooser) -> None:
    """Who has followed from the start and who asks for a snapshot know the same."""
    _, events, _ = whole(setup, chooser)
    for viewer in viewers(setup):
        hand: StudHand | None = None
        known: StudHand | None = None
        for event in events:
            hand = stud.evolve(hand, event)
            seen = view_event(event, viewer)
            assert type(seen) is type(event)
            known = stud.evolve(known, seen)
            if isinstance(seen, HandShown):
                known.player(seen.seat).cards = seen.cards
            elif isinstance(seen, HandsTabled):
                for tabled in seen.hands:
                    known.player(tabled.seat).cards = tabled.cards
            assert view_hand(known, viewer) == view_hand(hand, viewer)


@hands
def test_private_seats_are_those_whose_view_differs(setup: Setup, chooser: Chooser) -> None:
    _, events, _ = whole(setup, chooser)
    for event in events:
        public = json_of(view_event(event, None))
        differing = [one.seat for one in setup.seats if json_of(view_event(event, one.seat)) != public]
        assert differing == list(private_seats(event))


@hands
def test_no_repr_tells_a_card(setup: Setup, chooser: Chooser) -> None:
    hand, events, turns = whole(setup, chooser)
    things: list[object] = [hand, hand.players, hand.copy(), hand.round, turns[-1:], [events], setup]
    things += [view_hand(hand, viewer).seats for viewer in viewers(setup)]
    things += [hand.player(one.seat) for one in setup.seats]
    for thing in [*events, *things]:
        assert not A_CARD.search(repr(thing))
        assert not A_CARD.search(str(thing))


def structs_of_the_engine() -> Iterator[type[msgspec.Struct]]:
    for found in pkgutil.walk_packages(engine.__path__, "engine."):
        for thing in vars(importlib.import_module(found.name)).values():
            if isinstance(thing, type) and issubclass(thing, msgspec.Struct) and thing.__module__ == found.name:
                yield thing


def test_every_struct_that_holds_cards_has_a_repr_that_says_nothing() -> None:
    """Found by the fields' types, so that a new struct is not forgotten."""
    talkative = {
        # Its cards stand in CardView, which says nothing; the common card is public.
        HandView
    }
    holders = [
        struct
        for struct in structs_of_the_engine()
        if any(re.search(r"\bCard\b|\bHandName\b", str(annotation)) for annotation in all_annotations(struct))
    ]
    assert {HandStarted, CardDealt, CardBurnt, StudHand} <= set(holders)
    for struct in holders:
        if struct not in talkative:
            assert struct.__repr__ is not msgspec.Struct.__repr__, f"give {struct.__name__} a repr that says nothing"


def all_annotations(struct: type[msgspec.Struct]) -> list[object]:
    return [note for one in struct.__mro__ for note in vars(one).get("__annotations__", {}).values()]


@hands
def test_no_exception_tells_a_card(setup: Setup, chooser: Chooser) -> None:
    hand, events = setup.start()
    broken: list[BaseException] = []
    for attempt in (
        lambda: stud.apply(hand, SeatNo(9), Fold()),
        lambda: [stud.apply(hand, seat, Call(to_chips=10**9)) for seat in stud.legal(hand)],
        lambda: [stud.apply(hand, seat, Check()) for seat in stud.legal(hand)],
        lambda: stud.on_timeout(hand, SeatNo(9)),
        lambda: stud.evolve(None, events[-1]),
        lambda: stud.evolve(hand, Folded(seat=SeatNo(9))),
        lambda: setup._replace(deck=[*setup.deck[:51], setup.deck[0]]).start(),
        lambda: setup._replace(deck=setup.deck[:51]).start(),
        lambda: setup._replace(seats=setup.seats[:1]).start(),
    ):
        try:
            attempt()
        except AvenueError as error:
            broken.append(error)
    assert len(broken) >= 7
    for fault in broken:
        text = "".join(traceback.format_exception(fault)) + repr(fault) + repr(vars(fault))
        assert not A_CARD.search(re.sub(r'"[^"]*", line \d+', "", text)), text


class Whispered(Event, frozen=True):
    """An event that nobody has written a view for."""

    card: Card


def test_an_event_without_a_view_of_its_own_is_refused() -> None:
    for viewer in (None, SeatNo(1)):
        with pytest.raises(LawBroken) as refused:
            view_event(Whispered(card=Card("As")), viewer)
        assert refused.value.fields["type"] == "Whispered"
        assert not A_CARD.search(str(refused.value) + str(refused.value.fields))
    assert repr(Whispered(card=Card("As"))) == "<Whispered>"


def test_the_public_events_with_cards_are_those_that_lie_open() -> None:
    with_views = {HandStarted, CardDealt, CardBurnt}
    for kind in get_args(HandEvent):
        public = issubclass(kind, PublicEvent)
        assert public is (kind not in with_views)
        holds = any("Card" in str(one) or "TabledHand" in str(one) for one in all_annotations(kind))
        assert holds is (kind in {*with_views, CommonCardDealt, HandsTabled, HandShown})


def test_b184_a_hidden_card_has_no_identity() -> None:
    _, events = seven(stacks=even(100, seats=3))
    downs = [one for one in told(events, CardDealt) if one.face == "down"]
    assert {view_event(one, None).card for one in downs} == {HIDDEN}
    assert len({json_of(view_event(one, None)) for one in downs}) == 3
    assert HIDDEN not in DECK


def test_b185_nothing_of_a_shown_hand_is_in_the_next() -> None:
    tokens = "3:bring 1:call 2:call" + 4 * " 1:check 2:check 3:check"
    first, _ = seven(tokens, stacks=even(100, seats=3))
    assert any(player.shown for player in first.players)
    hand, events = seven("3:bring 1:fold 2:fold", stacks=even(100, seats=3))
    assert not told(events, HandShown)
    assert told(events, HandEnded)
    for viewer in (None, SeatNo(1), SeatNo(2), SeatNo(3)):
        hidden = [card for seat in view_hand(hand, viewer).seats for card in seat.cards if card.card == HIDDEN]
        assert len(hidden) == (6 if viewer is None else 4)


def test_a_cancelled_hand_shows_nothing_more() -> None:
    hand, _ = seven("3:bring", stacks=even(100, seats=3))
    before = {viewer: view_hand(hand, viewer) for viewer in (None, SeatNo(1))}
    (cancelled,) = stud.cancel(hand, "table_closed")
    assert isinstance(cancelled, HandCancelled)
    for viewer, view in before.items():
        assert [one.cards for one in view_hand(hand, viewer).seats] == [one.cards for one in view.seats]


def test_the_module_of_events_has_no_other_kind_than_the_union() -> None:
    kinds = {one for one in vars(events_module).values() if isinstance(one, type) and issubclass(one, Event)} - {
        Event,
        PublicEvent,
        events_module.Wagered,
    }
    assert kinds == set(get_args(HandEvent))
    assert views.view_event is view_event
