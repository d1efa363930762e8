"""Faults that card servers have shown with the deck, with cards' bookkeeping and with the showdown."""

from __future__ import annotations

import re

import msgspec
import pytest

from engine.rules.actions import SeatNo
from engine.rules.cards import DECK, NotACard, parse_cards
from engine.rules.events import (
    CardBurnt,
    CardDealt,
    CommonCardDealt,
    HandEnded,
    HandEvent,
    HandMucked,
    HandShown,
    HandsTabled,
    HandStarted,
    RoundOpened,
)
from engine.rules.ranking import strength_checked
from engine.rules.views import view_event
from tests.cases.play import outcome
from tests.engine.rules.hands import SEVEN, even, five, seven, told
from tests.engine.rules.test_betting import FOURTH
from tests.engine.rules.test_dealing import SIXTH, table_of_8
from tests.engine.rules.test_showdown import SEVENTH, show_log

A_CARD = re.compile(r'"([2-9TJQKA][cdhs])"')


def told_to(events: list[HandEvent], viewer: int | None) -> list[str]:
    """Every card in the frames of one viewer."""
    seat = None if viewer is None else SeatNo(viewer)
    return A_CARD.findall(msgspec.json.encode([view_event(event, seat) for event in events]).decode())


def test_b068_deck_exhaustion_with_eight() -> None:
    hand, events = table_of_8(sixth=SIXTH, stay=8)
    assert len(told(events, CardDealt)) == 48
    assert [one.street for one in told(events, CommonCardDealt)] == [7]
    assert {len(player.cards) for player in hand.players} == {6}


def test_b068_deck_exhaustion_with_seven() -> None:
    hand, events = table_of_8(sixth=SIXTH, stay=7, seats=7)
    assert len(told(events, CardDealt)) == 49
    assert len(told(events, CardBurnt)) == 3
    assert {len(player.cards) for player in hand.players} == {7}


def test_b070_card_twice() -> None:
    """Seat 1 folds on fourth street: fifth is dealt from the stub, and his cards stay where they are."""
    hand, events = seven(f"{FOURTH} 1:fold 2:check 3:check", stacks=even(100, seats=3))
    before = [one.card for one in told(events, CardDealt) if one.street < 5]
    later = [one.card for one in told(events, CardDealt) if one.street == 5]
    burnt = [one.card for one in told(events, CardBurnt)]
    stub = list(hand.deck[hand.next_card :])
    assert not set(later) & {*before, *burnt}
    assert sorted([*before, *later, *burnt, *stub]) == sorted(DECK)
    assert hand.player(SeatNo(1)).cards == tuple(SEVEN[1].split()[:4])


def test_b074_duplicate_card() -> None:
    with pytest.raises(NotACard):
        strength_checked(("7h", "7h", "Ac", "Kd", "2s"))  # type: ignore[arg-type]
    with pytest.raises(NotACard):
        parse_cards("7h 7h Ac Kd 2s")


@pytest.mark.parametrize(
    ("tokens", "order"),
    [
        (f"{SEVENTH} 1:fold 2:bet 3:raise 2:call", "3s 2s"),
        (f"{SEVENTH} 1:check 2:bet 3:raise 1:fold 2:call", "3s 2s"),
        (f"{SEVENTH} 1:check 2:check 3:check", "1s 2s 3m"),
    ],
)
def test_b076_show_order(tokens: str, order: str) -> None:
    """The last to raise shows first; if all checked, the high board does."""
    _, events = seven(tokens, stacks=even(300, seats=3))
    assert show_log(events) == order


def test_b077_leak_at_end() -> None:
    """A bet on the river and a fold: no down card of either leaves."""
    _, events = seven(f"{SEVENTH} 1:fold 2:bet 3:fold", stacks=even(300, seats=3))
    downs = {card for seat in (1, 2, 3) for card in (*SEVEN[seat].split()[:2], SEVEN[seat].split()[6])}
    assert not downs & set(told_to(events, None))
    for seat in (1, 2, 3):
        own = {*SEVEN[seat].split()[:2], SEVEN[seat].split()[6]}
        assert downs & set(told_to(events, seat)) == own
    assert not [one for one in events if isinstance(one, HandShown | HandMucked | HandsTabled)]


def test_b079_exception() -> None:
    hand, events = seven("2:bring 1:fold", stacks=even(100, seats=2))
    assert hand.over
    assert isinstance(events[-1], HandEnded)
    assert len(told(events, RoundOpened)) == 1
    assert outcome(events).stacks == {1: 99, 2: 101}


def test_b082_muck_leak() -> None:
    """Seat 1 calls and loses, and mucks: its down cards are in no frame but its own, nor is the name of its hand."""
    _, events = seven(f"{SEVENTH} 1:check 2:bet 3:fold 1:call", stacks=even(300, seats=3))
    assert show_log(events) == "2s 1m"
    downs = {*SEVEN[1].split()[:2], SEVEN[1].split()[6]}
    for viewer in (None, 2, 3):
        assert not downs & set(told_to(events, viewer))
    assert downs <= set(told_to(events, 1))
    assert [one.seat for one in told(events, HandShown)] == [2]
    assert msgspec.to_builtins(told(events, HandMucked)[0]) == {"type": "hand_mucked", "seat": 1}


def test_b083_tie_ignored() -> None:
    """Eight and queen over the same other ranks, whatever the suits: split."""
    cards = {1: "8d Qc 2h 3s 4h 9h Th", 2: "8c Qs 2d 3c 4d 9d Ts"}
    tokens = "2:bring 1:call" + 4 * " 1:check 2:check"
    _, events = seven(tokens, stacks=even(100, seats=2), cards=cards)
    assert outcome(events).awards == {1: 3, 2: 3}


def test_b082_a_five_card_loser_mucks_too() -> None:
    tokens = "1:bring 2:call 3:call" + 2 * " 2:check 3:check 1:check" + " 2:bet 3:call 1:call"
    _, events = five(tokens, stacks=even(100, seats=3))
    assert show_log(events) == "2s 3m 1m"
    assert not {"Qh", "Ah"} & set(told_to(events, None))
    assert told(events, HandStarted)[0].deck
