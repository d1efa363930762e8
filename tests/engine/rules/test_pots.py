"""Pots, uncalled bets, odd chips and rake (`rules.md` A2, A8)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import pots
from engine.rules.actions import SeatNo
from engine.rules.errors import LawBroken
from engine.rules.events import (
    BetsCollected,
    HandEnded,
    Pot,
    PotAwarded,
    RakeTaken,
    Share,
    UncalledReturned,
)
from engine.rules.pots import Contribution
from engine.rules.variants import Rake
from tests.cases.play import outcome
from tests.engine.rules.hands import even, five, seven, told


def put_in(text: str) -> list[Contribution]:
    """`100 80f 20`: what seats 1, 2 and 3 put in; the second has folded."""
    return [
        Contribution(seat=SeatNo(seat), total_chips=int(word.rstrip("f")), folded=word.endswith("f"))
        for seat, word in enumerate(text.split(), start=1)
    ]


def pot(amount_chips: int, *seats: int) -> Pot:
    return Pot(amount_chips=amount_chips, seats=tuple(SeatNo(seat) for seat in seats))


@pytest.mark.parametrize(
    ("contributions", "expected"),
    [
        ("20 20 20", None),
        ("20 20 7", None),
        ("100 80 20", (1, 20)),
        ("20 30", (2, 10)),
        ("20f 30 20", (2, 10)),
        ("30 30f 10", None),
        ("0 2 0", (2, 2)),
        ("0 0", None),
        ("30f 20 10", (1, 10)),
        ("5", None),
    ],
)
def test_a8_uncalled_is_what_goes_beyond_the_second_highest_of_all(
    contributions: str, expected: tuple[int, int] | None
) -> None:
    assert pots.uncalled(put_in(contributions)) == expected


@pytest.mark.parametrize(
    ("contributions", "expected"),
    [
        pytest.param("20 20 20", [pot(60, 1, 2, 3)], id="one layer"),
        pytest.param("10 20 20", [pot(30, 1, 2, 3), pot(20, 2, 3)], id="one all-in"),
        pytest.param("6 16 31 31", [pot(24, 1, 2, 3, 4), pot(30, 2, 3, 4), pot(30, 3, 4)], id="two all-ins"),
        pytest.param("20 20 60 60", [pot(80, 1, 2, 3, 4), pot(80, 3, 4)], id="two all-in for the same: one layer"),
        pytest.param("8f 20 20", [pot(48, 2, 3)], id="folded money stays, and makes no layer"),
        pytest.param(
            "15f 10 20 20", [pot(40, 2, 3, 4), pot(25, 3, 4)], id="folded money in the layers that it reached"
        ),
        pytest.param("20 20f 10", [pot(30, 1, 3), pot(20, 1)], id="a layer with one claimant"),
        pytest.param("20f 20f 10 10", [pot(60, 3, 4)], id="a layer without claimants merges downwards"),
        pytest.param("20f 15f 5 10", [pot(20, 3, 4), pot(30, 4)], id="downwards into the next one only"),
        pytest.param("0 5 5", [pot(10, 2, 3)], id="no layer of nothing"),
        pytest.param("3f 0 2f", [pot(5, 2)], id="nothing of his own, and the others have folded"),
    ],
)
def test_a8_layers(contributions: str, expected: list[Pot]) -> None:
    assert pots.build_pots(put_in(contributions)) == tuple(expected)


def test_a_pot_without_any_claimant_is_a_broken_law() -> None:
    with pytest.raises(LawBroken):
        pots.build_pots(put_in("5f 5f"))


@given(st.lists(st.tuples(st.integers(1, 12), st.booleans()), min_size=2, max_size=8))
def test_pots_are_those_of_a_count_chip_by_chip(rows: list[tuple[int, bool]]) -> None:
    rows[-1] = (rows[-1][0], False)
    contributions = [
        Contribution(seat=SeatNo(seat), total_chips=chips, folded=folded)
        for seat, (chips, folded) in enumerate(rows, start=1)
    ]
    built = pots.build_pots(contributions)
    assert built == tuple(chip_by_chip(contributions))
    assert sum(one.amount_chips for one in built) == sum(chips for chips, _ in rows)
    assert all(one.amount_chips > 0 and one.seats for one in built)
    assert all(set(later.seats) < set(earlier.seats) for earlier, later in itertools.pairwise(built))


def chip_by_chip(contributions: list[Contribution]) -> list[Pot]:
    """Each seat's first chip, each seat's second chip, and so on; a layer goes with the one below of the same seats."""
    built: list[Pot] = []
    for depth in range(1, max(one.total_chips for one in contributions) + 1):
        payers = [one for one in contributions if one.total_chips >= depth]
        claimants = tuple(one.seat for one in payers if not one.folded)
        if built and claimants in ((), built[-1].seats):
            built[-1] = Pot(amount_chips=built[-1].amount_chips + len(payers), seats=built[-1].seats)
        else:
            built.append(Pot(amount_chips=len(payers), seats=claimants))
    return built


@pytest.mark.parametrize(
    ("amount_chips", "winners", "shares"),
    [
        (30, (1,), (30,)),
        (30, (1, 2, 3), (10, 10, 10)),
        (31, (2, 5), (16, 15)),
        (131, (4, 1, 2), (45, 43, 43)),
        (2, (3, 1, 2), (2, 0, 0)),
    ],
)
def test_a8_the_whole_remainder_is_the_first_winners(
    amount_chips: int, winners: tuple[int, ...], shares: tuple[int, ...]
) -> None:
    """The winners stand clockwise from the dealer's left."""
    split = pots.split_pot(amount_chips, [SeatNo(seat) for seat in winners])
    assert split == tuple(
        Share(seat=SeatNo(seat), amount_chips=chips) for seat, chips in zip(winners, shares, strict=True)
    )


def test_winners_are_the_equal_best_of_those_with_a_claim() -> None:
    strengths = {SeatNo(1): 9, SeatNo(2): 5, SeatNo(3): 7, SeatNo(4): 7}
    assert pots.pot_winners(pot(10, 4, 2, 3), strengths.__getitem__) == (4, 3)
    assert pots.pot_winners(pot(10, 1, 2), strengths.__getitem__) == (1,)


@pytest.mark.parametrize(
    ("amounts", "rake", "taken"),
    [
        ((100,), Rake(basis_points=500, cap_chips=10), (5,)),
        ((119,), Rake(basis_points=500, cap_chips=10), (5,)),
        ((19, 19), Rake(basis_points=500, cap_chips=10), (0, 0)),
        ((100, 60), Rake(basis_points=500, cap_chips=10), (5, 3)),
        ((100, 60), Rake(basis_points=500, cap_chips=7), (5, 2)),
        ((100, 60), Rake(basis_points=500, cap_chips=5), (5, 0)),
        ((100, 60), Rake(basis_points=500, cap_chips=3), (3, 0)),
        ((100,), Rake(), (0,)),
        ((), Rake(basis_points=500, cap_chips=10), ()),
    ],
)
def test_a8_rake_is_rounded_down_by_the_pot_and_capped_by_the_hand(
    amounts: tuple[int, ...], rake: Rake, taken: tuple[int, ...]
) -> None:
    several = [pot(amount, 1, 2) for amount in amounts]
    assert pots.rake_of(several, rake, late_bet_called=True) == taken
    assert pots.rake_of(several, rake, late_bet_called=False) == (0,) * len(amounts)


THIRD = "3:bring 1:complete 2:call 3:call"
RAKE = Rake(basis_points=1000, cap_chips=100)


@pytest.mark.parametrize(
    ("rule", "tokens", "short", "taken"),
    [
        ("nothing called after the first round", f"{THIRD} 1:bet 2:fold 3:fold", {}, 0),
        ("the first round's bets do not count", f"{THIRD} 1:fold 2:fold", {}, 0),
        ("checked to the end", f"{THIRD}{' 1:check 2:check 3:check' * 4}", {}, 0),
        ("called on the second round", f"{THIRD} 1:bet 2:call 3:fold 1:fold", {}, 5),
        ("called later", f"{THIRD} 1:check 2:check 3:check 1:bet 2:call 3:fold 1:fold", {}, 7),
        ("all-in for less is a call", f"{THIRD} 1:bet 2:call 3:fold", {2: 18}, 4),
        ("a raise calls the bet beneath it", f"{THIRD} 1:bet 2:raise 3:fold 1:fold", {}, 5),
        ("a run-out without a second round's bet", THIRD, {1: 11, 2: 11}, 0),
    ],
)
def test_a8_rake_waits_for_a_bet_called_on_the_second_round_or_later(
    rule: str, tokens: str, short: dict[int, int], taken: int
) -> None:
    hand, events = seven(tokens, stacks=even(300, seats=3) | short, rake=RAKE)
    ended = told(events, HandEnded)[-1]
    assert (hand.rake_chips, ended.rake_chips) == (taken, taken)
    assert sum(one.net_chips for one in ended.results) == -taken


def test_a8_each_pot_is_raked_before_it_is_split_and_uncalled_chips_never() -> None:
    tokens = "3:bring 1:complete 2:call 3:call 1:bet 2:call 3:call 1:bet 3:call"
    hand, events = seven(
        tokens + " 1:bet 3:fold", stacks={1: 300, 2: 21, 3: 300}, rake=Rake(basis_points=1000, cap_chips=9)
    )
    assert told(events, UncalledReturned)[-1].returned_chips == 20
    assert told(events, BetsCollected)[-1].pots == (pot(63, 1, 2), pot(40, 1))
    assert told(events, RakeTaken) == [RakeTaken(pot=0, amount_chips=6), RakeTaken(pot=1, amount_chips=3)]
    assert told(events, PotAwarded) == [
        PotAwarded(pot=1, shares=(Share(seat=SeatNo(1), amount_chips=37),)),
        PotAwarded(pot=0, shares=(Share(seat=SeatNo(2), amount_chips=57),)),
    ]
    assert hand.chips_in_play() == 0


@pytest.mark.parametrize(
    ("rule", "stacks", "tokens", "expected_pots", "refund"),
    [
        (
            "A2 the main pot takes what the short ante has",
            {1: 300, 2: 300, 3: 3},
            "1:bring 2:call 1:fold",
            [(9, [2, 3]), (8, [2])],
            {},
        ),
        ("A2 two short antes", {1: 300, 2: 4, 3: 3}, "", [(9, [1, 2, 3]), (2, [1, 2])], {1: 1}),
        ("A2 the antes alone, all all-in", {1: 5, 2: 4, 3: 3}, "", [(9, [1, 2, 3]), (2, [1, 2])], {1: 1}),
        ("A8 an ante no one could match comes back", {1: 300, 3: 3}, "", [(6, [1, 3])], {1: 2}),
        (
            "A8 the bring-in that all fold to comes back",
            {1: 300, 2: 300, 3: 300},
            "3:bring 1:fold 2:fold",
            [(15, [3])],
            {3: 2},
        ),
        ("A8 a short bring-in and one caller", {1: 300, 2: 300, 3: 6}, "3:bring 1:call 2:fold", [(17, [1, 3])], {1: 1}),
        ("A8 the folded one had put in as much", {1: 300, 2: 300, 3: 5}, "1:bring 2:fold", [(15, [1, 3])], {1: 2}),
    ],
)
def test_a8_pots_of_a_hand_with_an_ante_of_5(
    rule: str, stacks: dict[int, int], tokens: str, expected_pots: list[tuple[int, list[int]]], refund: dict[int, int]
) -> None:
    got = outcome(seven(tokens, stacks=stacks, ante=5).events)
    assert (got.pots, got.refund) == (expected_pots, refund)
    assert sum(got.stacks.values()) == sum(stacks.values())


def test_a8_without_an_ante_the_bring_in_comes_back_and_there_is_no_pot() -> None:
    _, events = seven("3:bring 1:fold 2:fold", stacks=even(100, seats=3), ante=0)
    got = outcome(events)
    assert (got.pots, got.refund, got.awards) == ([], {3: 2}, {})
    assert got.stacks == even(100, seats=3)
    assert not told(events, BetsCollected)


@pytest.mark.parametrize(
    ("dealer", "fourth", "awards"),
    [
        (0, "1:check 2:check 3:check 1:bet 2:fold 3:call", {1: 25, 3: 24}),
        (1, "3:check 1:check 2:check 3:bet 1:call 2:fold", {1: 24, 3: 25}),
        (2, "3:check 1:check 2:check 3:bet 1:call 2:fold", {1: 24, 3: 25}),
        (3, "1:check 2:check 3:check 1:bet 2:fold 3:call", {1: 25, 3: 24}),
    ],
)
def test_a8_the_remainder_is_for_the_winner_nearest_the_dealers_left(
    dealer: int, fourth: str, awards: dict[int, int]
) -> None:
    cards = {1: "Ah Kd Qc Js Th 3c 2d", 2: "7h 7d 8c 4d 5s 9d 2h", 3: "As Kh Qd Jc Td 4c 5h"}
    tokens = f"2:bring 3:call 1:call {fourth} 3:check 1:check 3:check 1:check"
    _, events = seven(tokens, stacks=even(300, seats=3), cards=cards, dealer=dealer)
    assert outcome(events).awards == awards


def test_pots_stand_whole_after_each_round_and_say_nothing_twice() -> None:
    _, events = five(
        "1:bring 2:call 3:call 2:check 3:check 1:check 2:bet 3:fold 1:call 2:check 1:check", stacks=even(100, seats=3)
    )
    assert [(one.street, one.pots) for one in told(events, BetsCollected)] == [
        (2, (pot(33, 1, 2, 3),)),
        (4, (pot(73, 1, 2),)),
    ]
