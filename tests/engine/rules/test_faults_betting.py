"""Faults that card servers have shown with betting rules and the order of turns, each as its smallest hand."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine.rules import stud
from engine.rules.actions import Action, Bet, Call, Raise, SeatNo
from engine.rules.errors import ActionNotOffered, WrongAmount
from engine.rules.events import (
    AntePosted,
    BringInPosted,
    Called,
    Completed,
    HandsTabled,
    HandStarted,
    Raised,
    RoundOpened,
)
from engine.rules.stud_hand import StudHand
from engine.rules.views import view_hand
from tests.cases.play import outcome
from tests.engine.rules.hands import choices, even, seven, stacks, told
from tests.engine.rules.test_betting import FIFTH, FIFTH4, FOURTH

LOW4 = {3: "6h 6d 3c 3s 4h 8d 9s", 4: "Kh Jd 2c 5h 6c 8c Qs"}
"""Seat 4 has the low card instead of seat 3, so that the others act in the order of their seats."""


def refused(hand: StudHand, seat: int, action: Action, refusal: type[Exception]) -> None:
    """It is refused, and nothing has changed."""
    before = msgspec.msgpack.encode(hand)
    with pytest.raises(refusal):
        stud.apply(hand, SeatNo(seat), action)
    assert msgspec.msgpack.encode(hand) == before


@pytest.mark.parametrize(
    ("stack", "tokens"),
    [
        (27, "4:bring 1:complete 2:call 3:raise 4:call ?1=fold,call(27)"),
        (31, "4:bring 1:complete 2:call 3:raise 4:call ?1=fold,call(31),raise(51)"),
    ],
)
def test_b034_reopen_rule(stack: int, tokens: str) -> None:
    """Over a bet of 20, an all-in to 27 is under half a bet and one to 31 is over it."""
    seven(tokens, stacks=even(300, seats=4) | {3: stack}, cards=LOW4, ante=0, small=20, big=40)


def test_b035_short_raise_refused() -> None:
    hand, _ = seven("3:complete ?1=fold,call(20),raise(29)", stacks={1: 29, 2: 300, 3: 300}, ante=0, small=20, big=40)
    *_, short = stud.legal(hand)[SeatNo(1)]
    assert (short.action, short.all_in, short.full) == (Raise(to_chips=29), True, False)


def test_b037_raise_base() -> None:
    tokens = "3:bring 1:call 2:complete ?3=fold,call(20),raise(40)"
    hand, events = seven(tokens, stacks=even(300, seats=3), bring_in=5, small=20, big=40)
    assert [one.to_chips for one in told(events, Completed)] == [20]
    _, call, _ = stud.legal(hand)[SeatNo(3)]
    assert call.added_chips == 15


def test_b038_completion_maths() -> None:
    tokens = "3:bring 1:complete 2:raise 3:call 1:call"
    hand, events = seven(tokens, stacks=even(300, seats=3), small=4, big=8)
    assert [(one.to_chips, one.added_chips) for one in told(events, Completed)] == [(4, 4)]
    assert [(one.to_chips, one.added_chips) for one in told(events, Raised)] == [(8, 8)]
    assert [(one.to_chips, one.added_chips) for one in told(events, Called)] == [(8, 6), (8, 4)]
    assert hand.pots[0].amount_chips == 24 + 3


def test_b040_empty_action_set() -> None:
    hand, _ = seven(f"{FIFTH} 1:bet 2:raise 3:raise 1:raise", stacks={1: 300, 2: 63, 3: 300})
    assert choices(hand) == "?2=fold,call(60)"


def test_b041_reraise_refused() -> None:
    seven(f"{FIFTH} 1:bet 2:raise 3:fold ?1=fold,call(40),raise(60)", stacks=even(300, seats=3))


def test_b043_first_to_act() -> None:
    cards = {1: "Ah Kd 2c", 2: "7h 7s 2d", 3: "6h 6d Kh", 4: "Jd Js 2s"}
    tokens = "1:bring 2:call 3:call 4:call"
    _, events = seven(tokens, stacks=even(300, seats=4), cards=cards)
    assert told(events, RoundOpened)[0].seat == 1


def test_b046_round_closed_early_after_folds() -> None:
    seven(f"{FIFTH4} 1:bet 2:fold 3:fold ?4=fold,call(20),raise(40)", stacks=even(300, seats=4))


def test_b047_round_closed_early_after_a_raise() -> None:
    seven(f"{FIFTH} 1:bet 2:raise 3:fold ?1=fold,call(40),raise(60)", stacks=even(300, seats=3))


def test_b049_call_skipped() -> None:
    tokens = f"{FIFTH} 1:bet ?2=fold,call(20),raise(40) 2:fold ?3=fold,call(20) 3:call"
    hand, _ = seven(tokens, stacks={1: 23, 2: 300, 3: 300})
    assert hand.over


def test_b050_stuck_hand() -> None:
    """Heads-up all-in on third street, called, 150 left: the streets are dealt without asking, then the showdown."""
    tokens = "2:bring 1:complete 2:call"
    hand, events = seven(tokens, stacks={1: 11, 2: 161})
    assert hand.over
    assert [one.street for one in told(events, RoundOpened)] == [3, 4, 5, 6, 7]
    assert not any(one.betting for one in told(events, RoundOpened)[1:])
    assert stacks(hand) == {1: 0, 2: 172}


def test_b052_forced_all_in() -> None:
    """Nothing to call against an ante; against 3 of a bring-in of 5 the other folds or calls 5, and 2 come back."""
    for_the_ante, events = seven(stacks={1: 100, 2: 1}, bring_in=5)
    assert for_the_ante.over
    assert told(events, HandsTabled)
    hand, _ = seven("2:bring ?1=fold,call(5)", stacks={1: 100, 2: 4}, bring_in=5)
    assert not hand.over
    _, called = seven("2:bring 1:call", stacks={1: 100, 2: 4}, bring_in=5)
    assert outcome(called).refund == {1: 2}
    assert outcome(called).stacks == {1: 96, 2: 8}


def test_b053_seat_list_mutable() -> None:
    """The rules' part of it: who is in the hand is fixed by its first event."""
    hand, events = seven(FOURTH, stacks=even(100, seats=3))
    assert [one.seat for one in told(events, HandStarted)[0].seats] == [player.seat for player in hand.players]
    assert hand.cast() == {1: "p1", 2: "p2", 3: "p3"}


@pytest.mark.parametrize("tokens", [f"{FIFTH} 1:bet", f"{FIFTH} 1:bet 2:raise", FIFTH, FOURTH])
def test_b055_unit_assumption(tokens: str) -> None:
    """Odd amounts are legal when all-in and only then."""
    hand, _ = seven(tokens, stacks={1: 40, 2: 40, 3: 40})
    (options,) = stud.legal(hand).values()
    for option in options:
        to_chips = getattr(option.action, "to_chips", 0)
        assert option.all_in is (to_chips % 10 != 0)
    short, _ = seven(
        f"{FIFTH} 1:bet ?2=fold,call(20),raise(37) 2:raise ?3=fold,call(37),raise(57)",
        stacks=even(300, seats=3) | {2: 40},
    )
    assert short.player(SeatNo(2)).all_in
    seven(f"{FIFTH} 1:bet 2:raise 3:raise 1:raise ?2=fold,call(57)", stacks=even(300, seats=3) | {2: 60})


def test_b056_raise_below_bet() -> None:
    tokens = "4:bring 1:complete 2:raise ?3=fold,call(35),raise(55)"
    hand, _ = seven(tokens, stacks=even(300, seats=4) | {2: 35}, cards=LOW4, ante=0, small=20, big=40)
    refused(hand, 3, Raise(to_chips=30), WrongAmount)
    refused(hand, 3, Raise(to_chips=35), WrongAmount)
    refused(hand, 3, Call(to_chips=30), WrongAmount)


def test_b061_silent_clamp() -> None:
    hand, _ = seven(FIFTH, stacks=even(83, seats=3))
    assert hand.player(SeatNo(1)).stack_chips == 80
    refused(hand, 1, Bet(to_chips=500), WrongAmount)
    refused(hand, 1, Bet(to_chips=80), WrongAmount)


def test_b062_silent_reinterpretation() -> None:
    """When short, the call that is offered is the whole stack; a call at the full price is refused, and is no fold."""
    hand, _ = seven(f"{FIFTH} 1:bet", stacks={1: 300, 2: 13, 3: 300})
    refused(hand, 2, Call(to_chips=20), WrongAmount)
    refused(hand, 2, Raise(to_chips=10), ActionNotOffered)
    (called,) = stud.apply(hand, SeatNo(2), Call(to_chips=10))
    assert msgspec.to_builtins(called) | {"seat": 2, "all_in": True, "added_chips": 10} == msgspec.to_builtins(called)


def test_b064_protocol_meaning() -> None:
    """An amount is what it is raised to; 'by' is refused, and events say 'to' with 'added' beside it."""
    hand, _ = seven(f"{FIFTH} 1:check 2:bet 3:fold", stacks=even(300, seats=3))
    refused(hand, 1, Raise(to_chips=20), WrongAmount)
    (raised,) = stud.apply(hand, SeatNo(1), Raise(to_chips=40))
    again = stud.apply(hand, SeatNo(2), Raise(to_chips=60))[0]
    told_now: list[Any] = [raised, again]
    assert [(one.to_chips, one.added_chips) for one in told_now] == [(40, 40), (60, 40)]


def test_b065_phantom_ante() -> None:
    """The rules' part of it: a hand that has ended takes nothing more, and each bet took what it says."""
    hand, events = seven("3:bring 1:complete 2:call 3:call", stacks={1: 11, 2: 11, 3: 11})
    assert stacks(hand) == {1: 0, 2: 33, 3: 0}
    taken = {1: 0, 2: 0, 3: 0}
    for event in events:
        if isinstance(event, AntePosted | BringInPosted | Completed | Called):
            taken[event.seat] += event.added_chips
    assert taken == {1: 11, 2: 11, 3: 11}


def test_b178_what_was_called_on_one_street_belongs_to_the_hand_and_not_to_the_next_street() -> None:
    followed = seven("3:bring 1:call 2:call 1:check", stacks={1: 300, 2: 300, 3: 300})
    third = [event for event in followed.events if isinstance(event, Called)]
    assert [(event.to_chips, event.added_chips) for event in third] == [(2, 2), (2, 2)]
    view = view_hand(followed.hand, None)
    assert view.street == 4
    assert [(seat.round_chips, seat.total_chips) for seat in view.seats] == [(0, 3)] * 3
    assert view.price_chips == 0
    assert choices(followed.hand) == "?2=fold,check,bet(10)", "a bet is to this street's total"
