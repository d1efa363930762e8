"""Faults that card servers have shown with pots, uncalled bets and odd chips, each as its smallest hand."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from engine.rules import pots, stud
from engine.rules.actions import Fold, SeatNo
from engine.rules.cards import DECK
from engine.rules.errors import LawBroken
from engine.rules.events import (
    AntePosted,
    BetsCollected,
    CardDealt,
    Folded,
    HandCancelled,
    HandEnded,
    HandId,
    HandMucked,
    HandSeat,
    HandShown,
    HandsTabled,
    PlayerId,
    Pot,
    PotAwarded,
    RakeTaken,
    Share,
)
from engine.rules.variants import Rake, seven_card_stud
from tests.cases.play import outcome
from tests.engine.rules.hands import choices, even, seven, stacks, told
from tests.engine.rules.random_hands import Chooser, play_on
from tests.engine.rules.test_pots import pot, put_in

STRAIGHT = {1: "Ah Kd Qc Js Th 3c 2d", 3: "As Kh 2c Jc Td Qd 5h"}
"""Seats 1 and 3 end with the same straight; seat 3 has the low card."""


def checks(order: str, *, streets: int) -> str:
    return streets * "".join(f" {seat}:check" for seat in order.split())


def test_b001_eligibility_lost() -> None:
    """Seat 2 is all-in for the ante and has the best hand: its claim is to the main pot whatever the others do."""
    _, events = seven("3:bring 1:call" + checks("1 3", streets=4), stacks={1: 200, 2: 10, 3: 200}, ante=10)
    got = outcome(events)
    assert got.pots == [(30, [1, 2, 3]), (4, [1, 3])]
    assert got.awards == {2: 30, 1: 4}


def test_b002_chips_destroyed() -> None:
    hand, _ = seven("3:bring 1:call" + checks("1 3", streets=4), stacks={1: 200, 2: 10, 3: 200}, ante=10)
    assert stacks(hand) == {1: 192, 2: 30, 3: 188}
    unpaid = PotAwarded(pot=0, shares=(Share(seat=SeatNo(5), amount_chips=30),))
    with pytest.raises(LawBroken):
        stud.evolve(hand, unpaid)


def test_b004_chips_destroyed_when_a_side_pots_last_rival_folds() -> None:
    tokens = "3:bring 1:complete 2:call 3:call 2:bet 3:raise 2:call 2:fold"
    _, events = seven(tokens, stacks={1: 20, 2: 100, 3: 100}, ante=0, small=20, big=40)
    got = outcome(events)
    assert got.pots == [(60, [1, 3]), (80, [3])]
    assert got.awards == {1: 60, 3: 80}
    assert pots.build_pots(put_in("20 20 60f")) == (pot(100, 1, 2),)


def test_b007_odd_chip_misuse() -> None:
    shares = pots.split_pot(30_300, [SeatNo(1), SeatNo(2), SeatNo(3)])
    assert [share.amount_chips for share in shares] == [10_100, 10_100, 10_100]


def test_b008_remainder_lost() -> None:
    (whole,) = pots.build_pots(put_in("41 8f 41 41"))
    shares = pots.split_pot(whole.amount_chips, whole.seats)
    assert [(share.seat, share.amount_chips) for share in shares] == [(1, 45), (3, 43), (4, 43)]


def test_b010_wrong_pot_winner() -> None:
    """Seats 1 and 2 tie best and are all-in for 20, seat 3 is all-in for 60, seat 4 has the worst hand."""
    cards = {
        1: "Ah Kd Qc Js Th 3c 2d",
        2: "As Kh Qd Jc Td 4c 5h",
        3: "9s 9h 8c 8d 7s 4h 5c",
        4: "6s 3d 2c 7h 8h 9d Kc",
    }
    tokens = "4:bring 1:complete 2:call 3:call 4:call 3:bet2 4:call"
    _, events = seven(tokens, stacks={1: 20, 2: 20, 3: 60, 4: 100}, cards=cards, ante=0, small=20, big=40)
    got = outcome(events)
    assert got.pots == [(80, [1, 2, 3, 4]), (80, [3, 4])]
    assert got.awards == {1: 40, 2: 40, 3: 80}


@pytest.mark.parametrize("count", [1500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_b011_slow_leak(count: int) -> None:
    """Five seats play hand after hand with what the last one left them; who has nothing is given chips anew."""
    variant = seven_card_stud(small_bet_chips=10, big_bet_chips=20, ante_chips=3, bring_in_chips=4)
    chips = {1: 500, 2: 37, 3: 1000, 4: 3, 5: 121}
    for seed in range(count):
        random = Random(seed)
        chips = {number: stack or random.randint(1, 400) for number, stack in chips.items()}
        total = sum(chips.values())
        seats = [
            HandSeat(seat=SeatNo(number), player=PlayerId(f"p{number}"), name="", stack_chips=stack)
            for number, stack in chips.items()
        ]
        hand, _ = stud.start(
            hand=HandId("leak"), variant=variant, dealer=0, seats=seats, deck=random.sample(DECK, len(DECK))
        )
        for _ in play_on(hand, Chooser(seed, "calls")):
            pass
        chips = stacks(hand)
        assert sum(chips.values()) == total, f"hand with seed {seed}: {sum(chips.values()) - total:+d} chips"


def test_b013_short_ante() -> None:
    _, events = seven("3:bring 1:call" + checks("1 3", streets=4), stacks={1: 200, 2: 19, 3: 200}, ante=20)
    assert [(one.seat, one.added_chips) for one in told(events, AntePosted)] == [(1, 20), (2, 19), (3, 20)]
    assert outcome(events).pots == [(57, [1, 2, 3]), (6, [1, 3])]


def test_b014_winner_zeroed() -> None:
    _, events = seven("2:bring 1:complete 2:fold", stacks={1: 8, 2: 100})
    got = outcome(events)
    assert (got.refund, got.awards, got.stacks) == ({1: 5}, {1: 6}, {1: 11, 2: 97})


def test_b016_call_skipped() -> None:
    hand, _ = seven("2:complete 1:raise ?2=fold,call(35)", stacks={1: 35, 2: 100}, ante=0, small=20, big=40)
    _, call = stud.legal(hand)[SeatNo(2)]
    assert call.added_chips == 15
    assert hand.street.number == 3


@pytest.mark.parametrize(
    ("two", "ends"), [("7h 7d 7c 4d 5s Td Jh", {1: 0, 2: 200}), ("7h 2d 7c 4d 5s Td Jh", {1: 196, 2: 4})]
)
def test_b017_payee_swapped(two: str, ends: dict[int, int]) -> None:
    tokens = "2:complete 1:raise 2:raise 1:raise 2:call 1:bet 2:call"
    hand, _ = seven(tokens, stacks={1: 98, 2: 102}, cards={2: two}, small=20, big=40)
    assert stacks(hand) == ends


def test_b019_negative_pot() -> None:
    """The rules' part of it: who is silent folds, the pot stays and no other stack moves."""
    tokens = "3:bring 1:complete 2:call 3:call" + checks("1 2 3", streets=1) + " 1:bet"
    hand, _ = seven(tokens, stacks=even(300, seats=3))
    before = stacks(hand), hand.chips_in_play()
    silent = stud.on_timeout(hand, SeatNo(2))
    assert silent == Fold()
    assert stud.apply(hand, SeatNo(2), silent) == [Folded(seat=SeatNo(2))]
    assert (stacks(hand), hand.chips_in_play()) == before


@pytest.mark.parametrize("rake", [Rake(), Rake(basis_points=500, cap_chips=100)])
def test_b020_non_zero_sum(rake: Rake) -> None:
    cards = {3: "6h 6d 3c 3s 4h 8d 9s", 4: "Kh Jd 2c"}
    tokens = "4:bring 1:complete 2:raise 3:raise 4:fold 1:call 2:call"
    _, events = seven(
        tokens, stacks={1: 898, 2: 898, 3: 1203, 4: 50}, cards=cards, ante=0, small=300, big=600, rake=rake
    )
    (ended,) = told(events, HandEnded)
    assert sum(one.net_chips for one in ended.results) + ended.rake_chips == 0
    assert outcome(events).pots == [(3 * 898 + 2, [1, 2, 3])]
    assert outcome(events).refund == {3: 2}
    assert ended.rake_chips == sum(one.amount_chips for one in told(events, RakeTaken)) == 0


def test_b022_folded_player_wins() -> None:
    """Seat 2 has the strongest hand and folds on fourth street, then seat 1 folds: nobody's cards are compared."""
    hand, events = seven("3:bring 1:call 2:call 1:check 2:fold 3:bet 1:fold", stacks=even(100, seats=3))
    assert outcome(events).awards == {3: 9}
    assert not [one for one in events if isinstance(one, HandShown | HandMucked | HandsTabled)]
    assert not any(player.shown for player in hand.players)


def test_b025_phantom_pot() -> None:
    _, events = seven("3:bring 1:complete 2:call 3:call", stacks={1: 11, 2: 11, 3: 300})
    assert [one.pots for one in told(events, BetsCollected)] == [
        (Pot(amount_chips=33, seats=(SeatNo(1), SeatNo(2), SeatNo(3))),)
    ]
    assert len(told(events, PotAwarded)) == 1


def test_b026_dead_button() -> None:
    """Seat 1 is all-in; on the next street the first board with chips may check or bet, and two checks deal on."""
    tokens = "3:bring 1:complete 2:raise 3:call 1:call ?2=fold,check,bet(10) 2:check ?3=fold,check,bet(10) 3:check"
    hand, events = seven(tokens, stacks={1: 18, 2: 900, 3: 900})
    assert hand.street.number == 5
    assert [one.seat for one in told(events, CardDealt) if one.street == 5] == [1, 2, 3]


def test_b029_per_street_against_total() -> None:
    tokens = "3:bring 1:complete 2:call 3:fold 1:check 2:check ?1=fold,check,bet(192) 1:bet 2:call"
    _, events = seven(tokens, stacks={1: 200, 2: 500, 3: 200}, ante=0, small=8, big=300)
    got = outcome(events)
    assert got.pots == [(402, [1, 2])]
    assert got.stacks == {1: 0, 2: 702, 3: 198}


def test_b031_tie_across_layers() -> None:
    """In for 100, 80 and 20; the first and the third tie best: 170, 0 and 30, of which 20 come back uncalled."""
    tokens = "3:complete 1:call 2:call 1:check 2:check 1:bet 2:call"
    cards = STRAIGHT | {2: "7h 7d 8c 4d 5s 9d 2h"}
    _, events = seven(tokens, stacks={1: 300, 2: 80, 3: 20}, cards=cards, ante=0, small=20, big=80)
    got = outcome(events)
    assert (got.refund, got.awards) == ({1: 20}, {1: 150, 3: 30})
    assert got.stacks == {1: 370, 2: 0, 3: 30}


def test_b032_cancelled_hand() -> None:
    """The rules' part of it: the antes come back, nothing is raked, and the last event says what happened."""
    hand, _ = seven(stacks=even(100, seats=3), rake=Rake(basis_points=500, cap_chips=100))
    (cancelled,) = stud.cancel(hand, "everybody_left")
    assert isinstance(cancelled, HandCancelled)
    assert msgspec.to_builtins(cancelled)["type"] == "hand_cancelled"
    assert (stacks(hand), hand.rake_chips, choices(hand)) == (even(100, seats=3), 0, "")
