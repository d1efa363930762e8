"""Two tables that differ only in cards which a viewer may not see look the same to him, byte for byte.

A deck is dealt and played; then the cards that this viewer never came to see are dealt to other places, the same wishes
are made at the same moments, and everything that he is sent, and every snapshot that he might ask for, is compared.
Only what he may see can steer the game for him, so wishes are chosen beforehand and not by the cards.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules.cards import DECK, HIDDEN, Card
from engine.rules.events import CardDealt, CommonCardDealt, HandMucked, HandShown, HandsTabled, PlayerId
from engine.rules.variants import Variant
from engine.rules.views import view_event
from engine.table.events import AnyEvent
from engine.table.views import hand_seat, table_view
from tests.engine.table.desk import STUD5, STUD7, Desk, config

PLAYERS = ("ann", "bob", "cid", "dan", "eve")


class Shown(NamedTuple):
    """What one viewer got: the bytes after each command, and the snapshot that stood then."""

    frames: list[bytes]
    snapshots: list[bytes]


class Played(NamedTuple):
    events: list[AnyEvent]
    shown: Shown


def play(variant: Variant, players: int, deck: Sequence[Card], choices: Sequence[int], viewer: str | None) -> Played:
    """Deal this deck and let the choices be made, each among what is offered; one stands up and one sits down."""
    desk = Desk(config(variant, min_buy_in_chips=20))
    for number, player in enumerate(PLAYERS[:players]):
        desk.sit(player, 30 + 50 * number)
    shown = Shown([], [])
    events: list[AnyEvent] = []

    def show(happened: list[AnyEvent]) -> None:
        events.extend(happened)
        cast = desk.decisions[-1].cast
        seat = hand_seat(cast, None if viewer is None else PlayerId(viewer))
        shown.frames.append(msgspec.json.encode([view_event(event, seat) for event in happened]))
        shown.snapshots.append(
            msgspec.json.encode(table_view(desk.state, None if viewer is None else PlayerId(viewer)))
        )

    show(desk.deal(tuple(deck)))
    for step, choice in enumerate(choices):
        if desk.state.hand is None:
            break
        if step == 3:
            show(desk.sit("zed", 100))
        if choice == 9:
            show(desk.wait(80_000))
            continue
        words = desk.words()
        show(desk.act(words[choice % len(words)]))
    while desk.state.hand is not None:
        show(desk.act_first("check", "call", "bring_in"))
    return Played(events, shown)


def seen(events: list[AnyEvent], viewer_seat: int | None) -> set[Card]:
    """The cards that came before this viewer's eyes."""
    cards: set[Card] = set()
    for event in events:
        match event:
            case CardDealt() if event.face != "down" or event.seat == viewer_seat:
                cards.add(event.card)
            case CommonCardDealt():
                cards.add(event.card)
            case HandShown():
                cards.update(event.cards)
            case HandsTabled():
                cards.update(card for hand in event.hands for card in hand.cards)
            case _:
                pass
    return cards


def with_hidden_cards_moved(deck: Sequence[Card], known: set[Card], source: random.Random) -> list[Card]:
    hidden = [card for card in deck if card not in known]
    source.shuffle(hidden)
    return [card if card in known else hidden.pop() for card in deck]


@pytest.mark.parametrize("variant", [STUD7, STUD5], ids=["stud7", "stud5"])
@given(
    seed=st.integers(0, 2**32 - 1),
    players=st.integers(2, 5),
    choices=st.lists(st.sampled_from([0, 1, 1, 2, 2, 3, 9]), max_size=40),
    viewer=st.sampled_from([None, "ann", "bob", "zed"]),
)
def test_cards_that_a_viewer_may_not_see_change_nothing_that_he_sees(
    variant: Variant, seed: int, players: int, choices: list[int], viewer: str | None
) -> None:
    source = random.Random(seed)
    deck = list(DECK)
    source.shuffle(deck)
    one = play(variant, players, deck, choices, viewer)
    seat = None if viewer is None or viewer == "zed" else PLAYERS.index(viewer) + 1
    known = seen(one.events, seat)
    other_deck = with_hidden_cards_moved(deck, known, source)
    two = play(variant, players, other_deck, choices, viewer)
    if any(isinstance(event, HandMucked) for event in one.events):
        # A beaten hand is not shown, and another in its place may win: up to the showdown all must be the same.
        last = min(len(one.shown.frames), len(two.shown.frames)) - 1
        one, two = cut(one, last), cut(two, last)
    assert one.shown.frames == two.shown.frames
    assert one.shown.snapshots == two.shown.snapshots


def cut(played: Played, steps: int) -> Played:
    return Played(played.events, Shown(played.shown.frames[:steps], played.shown.snapshots[:steps]))


def test_the_comparison_would_find_a_leak() -> None:
    """With a down card in the frames of a stranger the two runs differ: the test above is not blind."""
    deck = list(DECK)
    random.Random(5).shuffle(deck)
    one = play(STUD7, 2, deck, [0, 0], None)
    other_deck = with_hidden_cards_moved(deck, seen(one.events, None), random.Random(6))
    two = play(STUD7, 2, other_deck, [0, 0], None)
    assert one.shown == two.shown
    down = [[event.card for event in played.events if isinstance(event, CardDealt)] for played in (one, two)]
    assert down[0] != down[1]
    assert HIDDEN.encode() in one.shown.frames[0]
