"""The verbs of a hand: start, legal, apply, on_timeout, cancel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from engine.rules import stud
from engine.rules.actions import Action, Bet, BringIn, Call, Check, Complete, Fold, Raise, SeatNo
from engine.rules.cards import DECK, HIDDEN, Card
from engine.rules.errors import ActionNotOffered, LawBroken, NotYourTurn, WrongAmount
from engine.rules.events import (
    AntePosted,
    CardDealt,
    HandCancelled,
    HandEnded,
    HandId,
    HandSeat,
    HandStarted,
    PlayerId,
    RoundOpened,
    SeatResult,
)
from engine.rules.variants import RULES_NUMBER, seven_card_stud
from tests.engine.rules.hands import choices, even, five, seven, stacks, told
from tests.engine.rules.test_betting import FIFTH, FOURTH

STUD7 = seven_card_stud(small_bet_chips=10, big_bet_chips=20, ante_chips=1, bring_in_chips=2)


def seat(number: int, stack_chips: int = 100) -> HandSeat:
    return HandSeat(seat=SeatNo(number), player=PlayerId(f"p{number}"), name="", stack_chips=stack_chips)


def start(seats: Sequence[HandSeat], deck: Sequence[Card] = DECK, dealer: int = 0) -> Any:
    return stud.start(hand=HandId("h1"), variant=STUD7, dealer=dealer, seats=seats, deck=deck, commitment="sealed")


def test_a_hand_begins_with_all_its_data() -> None:
    hand, events = start([seat(5), seat(2), seat(7)], dealer=2)
    assert events[0] == HandStarted(
        hand=HandId("h1"),
        variant=STUD7,
        rules=RULES_NUMBER,
        dealer=2,
        seats=(seat(5), seat(7), seat(2)),
        deck=DECK,
        commitment="sealed",
    )
    assert hand.cast() == {5: "p5", 7: "p7", 2: "p2"}
    assert (hand.hand, hand.commitment, hand.over) == ("h1", "sealed", False)


def test_a2_every_seat_posts_the_ante_before_the_first_card() -> None:
    _, events = seven(stacks={1: 100, 2: 100, 3: 3, 4: 5}, ante=5)
    assert [type(event) for event in events] == [HandStarted, *[AntePosted] * 4, *[CardDealt] * 12, RoundOpened]
    assert [(one.seat, one.added_chips, one.stack_chips, one.all_in) for one in told(events, AntePosted)] == [
        (1, 5, 95, False),
        (2, 5, 95, False),
        (3, 3, 0, True),
        (4, 5, 0, True),
    ]


def test_a2_without_an_ante_nobody_posts() -> None:
    _, events = seven(stacks=even(100, seats=2), ante=0, cards={2: "7h 7d 2c"})
    assert not told(events, AntePosted)


@pytest.mark.parametrize(
    ("seats", "deck"),
    [
        pytest.param([seat(1)], DECK, id="one seat"),
        pytest.param([], DECK, id="none"),
        pytest.param([seat(number) for number in range(1, 10)], DECK, id="nine"),
        pytest.param([seat(1), seat(1)], DECK, id="one seat twice"),
        pytest.param([seat(0), seat(1)], DECK, id="no such seat"),
        pytest.param([seat(1), seat(9)], DECK, id="nor such"),
        pytest.param([seat(1), seat(2, 0)], DECK, id="no chips"),
        pytest.param([seat(1), seat(2, -5)], DECK, id="a debt"),
        pytest.param([seat(1), seat(2)], DECK[1:], id="a card is missing"),
        pytest.param([seat(1), seat(2)], (*DECK, DECK[0]), id="one too many"),
        pytest.param([seat(1), seat(2)], (*DECK[1:], DECK[1]), id="a card twice"),
        pytest.param([seat(1), seat(2)], (*DECK[1:], HIDDEN), id="a hidden card"),
    ],
)
def test_what_makes_no_hand_is_a_broken_law(seats: Sequence[HandSeat], deck: Sequence[Card]) -> None:
    with pytest.raises(LawBroken):
        start(seats, deck)


def test_a_hand_in_which_nobody_can_bet_is_over_at_once() -> None:
    hand, events = seven(stacks={1: 1, 2: 1, 3: 1})
    assert hand.over
    assert isinstance(events[-1], HandEnded)
    assert stud.legal(hand) == {}
    assert stacks(hand) == {1: 0, 2: 3, 3: 0}


@pytest.mark.parametrize(
    ("tokens", "asker", "action", "refusal"),
    [
        ("3:bring", 2, Fold(), NotYourTurn),
        ("3:bring", 3, Call(to_chips=2), NotYourTurn),
        ("3:bring", 7, Fold(), NotYourTurn),
        ("", 3, Fold(), ActionNotOffered),
        ("", 3, Check(), ActionNotOffered),
        ("", 3, Call(to_chips=2), ActionNotOffered),
        ("", 3, Bet(to_chips=10), ActionNotOffered),
        ("", 3, BringIn(to_chips=3), WrongAmount),
        ("", 3, Complete(to_chips=12), WrongAmount),
        ("3:bring", 1, Check(), ActionNotOffered),
        ("3:bring", 1, BringIn(to_chips=2), ActionNotOffered),
        ("3:bring", 1, Raise(to_chips=10), ActionNotOffered),
        ("3:bring", 1, Call(to_chips=1), WrongAmount),
        ("3:bring", 1, Call(to_chips=299), WrongAmount),
        (FOURTH, 1, Bet(to_chips=20), WrongAmount),
        (FOURTH, 1, Bet(to_chips=-10), WrongAmount),
        (FOURTH, 1, Complete(to_chips=10), ActionNotOffered),
        (f"{FIFTH} 1:bet", 2, Raise(to_chips=60), WrongAmount),
        (f"{FIFTH} 1:bet", 2, Raise(to_chips=20), WrongAmount),
        (f"{FIFTH} 1:bet", 2, Bet(to_chips=40), ActionNotOffered),
    ],
)
def test_a_refusal_has_a_code_and_changes_nothing(
    tokens: str, asker: int, action: Action, refusal: type[Exception]
) -> None:
    hand, _ = seven(tokens, stacks=even(300, seats=3))
    before = msgspec.msgpack.encode(hand)
    with pytest.raises(refusal):
        stud.apply(hand, SeatNo(asker), action)
    assert msgspec.msgpack.encode(hand) == before


def test_a_refusal_tells_who_may_act_and_what() -> None:
    hand, _ = seven("3:bring", stacks=even(300, seats=3))
    with pytest.raises(NotYourTurn) as turn:
        stud.apply(hand, SeatNo(2), Fold())
    assert turn.value.fields == {"to_act": [1]}
    with pytest.raises(WrongAmount) as amount:
        stud.apply(hand, SeatNo(1), Call(to_chips=3))
    assert [one["action"] for one in amount.value.fields["options"]] == [
        {"verb": "fold"},
        {"verb": "call", "to_chips": 2},
        {"verb": "complete", "to_chips": 10},
    ]


def test_nothing_is_done_in_a_hand_that_is_over() -> None:
    hand, _ = seven("3:bring 1:fold 2:fold", stacks=even(300, seats=3))
    for number in (1, 2, 3):
        with pytest.raises(NotYourTurn):
            stud.apply(hand, SeatNo(number), Fold())
        with pytest.raises(NotYourTurn):
            stud.on_timeout(hand, SeatNo(number))


def test_an_amount_of_another_type_gets_into_no_event() -> None:
    """The wire lets only whole numbers in; should one that merely equals come through, the rules' own is used."""
    hand, _ = seven("3:bring", stacks=even(300, seats=3))
    stray: Any = 2.0
    (called,) = stud.apply(hand, SeatNo(1), Call(to_chips=stray))
    assert msgspec.to_builtins(called)["to_chips"] == 2
    assert all(type(chips) is int for player in hand.players for chips in (player.stack_chips, player.round_chips))


@pytest.mark.parametrize(
    ("rule", "tokens", "short", "action"),
    [
        ("A3.2 the bring-in is posted for him", "", {}, BringIn(to_chips=2)),
        ("A3.6 with what he has", "", {3: 2}, BringIn(to_chips=1)),
        ("A3.7 who opens for another folds", "", {3: 1}, Fold()),
        ("A10 he folds to a bring-in", "3:bring", {}, Fold()),
        ("A10 and to a bet", f"{FIFTH} 1:bet", {}, Fold()),
        ("A10 he checks when that is free", FOURTH, {}, Check()),
        ("A10 he is not all-in by silence", f"{FIFTH} 1:bet", {2: 13}, Fold()),
    ],
)
def test_a10_silence(rule: str, tokens: str, short: dict[int, int], action: Action) -> None:
    hand, _ = seven(tokens, stacks=even(300, seats=3) | short)
    (asked,) = stud.legal(hand)
    assert stud.on_timeout(hand, asked) == action


def test_a10_a_five_card_bring_in_is_posted_and_a_voluntary_one_is_not() -> None:
    forced, _ = five(stacks=even(100, seats=3))
    assert stud.on_timeout(forced, SeatNo(1)) == BringIn(to_chips=10)
    free, _ = five(stacks={1: 1, 2: 100, 3: 100})
    assert stud.on_timeout(free, SeatNo(2)) == Fold()


def test_silence_is_asked_of_the_one_to_act_alone() -> None:
    hand, _ = seven("3:bring", stacks=even(300, seats=3))
    with pytest.raises(NotYourTurn) as refused:
        stud.on_timeout(hand, SeatNo(2))
    assert refused.value.fields == {"to_act": [1]}


@pytest.mark.parametrize("tokens", ["", "3:bring", f"{FIFTH} 1:bet 2:raise"])
def test_a_void_hand_gives_every_stack_back(tokens: str) -> None:
    hand, _ = seven(tokens, stacks={1: 300, 2: 200, 3: 150})
    assert stud.cancel(hand, "dealt_wrongly") == [
        HandCancelled(
            reason="dealt_wrongly",
            results=(
                SeatResult(seat=SeatNo(1), stack_chips=300, net_chips=0),
                SeatResult(seat=SeatNo(2), stack_chips=200, net_chips=0),
                SeatResult(seat=SeatNo(3), stack_chips=150, net_chips=0),
            ),
        )
    ]
    assert (hand.over, choices(hand), hand.chips_in_play()) == (True, "", 0)
    assert stacks(hand) == {1: 300, 2: 200, 3: 150}


def test_a_hand_that_is_over_is_not_made_void() -> None:
    hand, _ = seven("3:bring 1:fold 2:fold", stacks=even(300, seats=3))
    with pytest.raises(LawBroken):
        stud.cancel(hand, "too_late")
    void, _ = seven("3:bring", stacks=even(300, seats=3))
    stud.cancel(void, "once")
    with pytest.raises(LawBroken):
        stud.cancel(void, "twice")
