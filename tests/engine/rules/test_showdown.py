"""Who shows, who mucks, who is paid (`rules.md` A8, A9)."""

from __future__ import annotations

import pytest

from engine.rules.events import (
    CardDealt,
    HandEnded,
    HandEvent,
    HandMucked,
    HandShown,
    HandsTabled,
    PotAwarded,
)
from engine.rules.ranking import HandName
from tests.engine.rules.hands import SEVEN, even, five, seven, stacks, told
from tests.engine.rules.test_betting import SHORT

STREET = " 1:check 2:check 3:check"
SEVENTH = f"3:bring 1:call 2:call{3 * STREET}"
"""All is checked to seventh street, which seat 1 opens. Of the hands seat 2's is the best, then 1's, then 3's."""

AFTER_FIFTH = " 1:check 3:check"


def show_log(events: list[HandEvent]) -> str:
    """`2s 3m`: seat 2 shows, then seat 3 mucks."""
    return " ".join(
        f"{event.seat}{'s' if isinstance(event, HandShown) else 'm'}"
        for event in events
        if isinstance(event, HandShown | HandMucked)
    )


@pytest.mark.parametrize(
    ("short", "tokens", "expected"),
    [
        pytest.param(*case, id=rule)
        for rule, *case in [
            ("the last to raise, then clockwise", {}, f"{SEVENTH} 1:bet 2:raise 3:call 1:call", "2s 3m 1m"),
            ("the last to bet", {}, f"{SEVENTH} 1:check 2:bet 3:call 1:call", "2s 3m 1m"),
            ("the winner shows, whoever he is", {}, f"{SEVENTH} 1:bet 2:call 3:call", "1s 2s 3m"),
            ("a hand shown before may be worse", {}, f"{SEVENTH} 1:check 2:check 3:bet 1:call 2:call", "3s 1s 2s"),
            ("checked: the one who opened", {}, SEVENTH + STREET, "1s 2s 3m"),
            (
                "not the one who raised a round before",
                {},
                f"3:bring 1:call 2:call{2 * STREET} 1:check 2:check 3:bet 1:call 2:call{STREET}",
                "1s 2s 3m",
            ),
            ("he opened and has folded: the next", {}, f"{SEVENTH} 1:fold 2:check 3:check", "2s 3m"),
            ("he is all-in with a short bet", {3: 8}, f"{SEVENTH} 1:check 2:check 3:bet 1:call 2:call", "3s 1s 2s"),
            ("a short raise too", {2: 28}, f"{SEVENTH} 1:bet 2:raise 3:call 1:call", "2s 3m 1m"),
            ("a call all-in is no bet", {2: 13}, f"{SEVENTH} 1:bet 2:call 3:call", "1s 2s 3m"),
            (
                "all-in hands in their place",
                {2: 13},
                f"3:bring 1:call 2:call{STREET} 1:bet 2:call 3:call{2 * AFTER_FIFTH}",
                "1s 2s 3m",
            ),
            (
                "never first",
                {1: 13},
                f"3:bring 1:call 2:call{STREET} 1:bet 2:call 3:call{2 * ' 2:check 3:check'}",
                "2s 3m 1m",
            ),
        ]
    ],
)
def test_a9_order(short: SHORT, tokens: str, expected: str) -> None:
    _, events = seven(tokens, stacks=even(300, seats=3) | short)
    assert show_log(events) == expected


def test_a9_the_winner_of_a_side_pot_shows_though_the_main_pot_is_lost() -> None:
    cards = {1: "4s 4c Qc Ad 9h 8s 3h", 2: SEVEN[2], 3: SEVEN[3]}
    tokens = f"3:bring 1:call 2:call{STREET} 1:bet 2:call 3:call{2 * AFTER_FIFTH}"
    hand, events = seven(tokens, stacks={1: 300, 2: 13, 3: 300}, cards=cards)
    assert show_log(events) == "1s 2s 3s"
    assert stacks(hand) == {1: 277, 2: 39, 3: 297}


def test_a9_the_winner_of_a_pot_that_nobody_else_claims_shows() -> None:
    tokens = f"3:bring 1:call 2:call{STREET} 1:bet 2:call 3:call 1:check 3:check 1:fold"
    hand, events = seven(tokens, stacks={1: 300, 2: 13, 3: 300})
    assert show_log(events) == "2s 3s"
    assert stacks(hand) == {1: 277, 2: 39, 3: 297}


def test_a9_equal_hands_all_show() -> None:
    cards = {1: "Ah Kd Qc Js Th 3c 2d", 2: "7h 7d 8c 4d 5s 9d 2h", 3: "As Kh Qd Jc Td 4c 5h"}
    tokens = "2:bring 3:call 1:call 1:check 2:check 3:check 1:check 2:check 3:check 3:check 1:check 2:check"
    _, events = seven(tokens + " 3:check 1:check 2:check", stacks=even(300, seats=3), cards=cards)
    assert show_log(events) == "3s 1s 2m"


@pytest.mark.parametrize(
    ("dealer", "tokens", "expected"),
    [
        (0, "3:bring 1:complete 2:call 3:call", "1s 2s 3s"),
        (1, "3:bring 1:complete 2:call 3:call", "2s 3s 1s"),
        (2, "3:bring 1:complete 2:call 3:call", "3s 1s 2s"),
        (3, "3:bring 1:complete 2:call 3:fold", "1s 2s"),
    ],
)
def test_a9_with_no_betting_left_all_hands_are_turned_and_listed_from_the_dealers_left(
    dealer: int, tokens: str, expected: str
) -> None:
    _, events = seven(tokens, stacks={1: 11, 2: 11, 3: 300}, dealer=dealer)
    assert show_log(events) == expected


def test_a9_hands_are_tabled_at_once_and_the_rest_is_dealt_open() -> None:
    hand, events = seven("3:bring 1:complete 2:call 3:fold", stacks={1: 11, 2: 11, 3: 300})
    (tabled,) = told(events, HandsTabled)
    assert [(one.seat, one.cards) for one in tabled.hands] == [(1, ("Ah", "Kd", "Qc")), (2, ("7h", "7d", "7c"))]
    after = events[events.index(tabled) :]
    assert [(one.street, one.face) for one in told(after, CardDealt)] == [
        (4, "up"),
        (4, "up"),
        (5, "up"),
        (5, "up"),
        (6, "up"),
        (6, "up"),
        (7, "tabled"),
        (7, "tabled"),
    ]
    assert [player.seat for player in hand.players if player.shown] == [1, 2]


@pytest.mark.parametrize(
    ("rule", "short", "tokens", "after_street"),
    [
        ("all-in from the ante", {1: 1, 2: 1, 3: 1}, "", 3),
        ("on third street", {1: 11, 2: 11}, "3:bring 1:complete 2:call 3:call", 3),
        ("on sixth", {1: 23, 2: 23}, f"3:bring 1:call 2:call{2 * STREET} 1:bet 2:call 3:call", 6),
    ],
)
def test_a9_tabled_when_the_betting_ends(rule: str, short: SHORT, tokens: str, after_street: int) -> None:
    _, events = seven(tokens, stacks=even(300, seats=3) | short)
    (tabled,) = told(events, HandsTabled)
    before = events[: events.index(tabled)]
    assert max(one.street for one in told(before, CardDealt)) == after_street


def test_a9_all_in_on_the_last_round_is_an_ordinary_showdown() -> None:
    _, events = seven(f"{SEVENTH} 1:check 2:bet 3:call 1:call", stacks={1: 23, 2: 23, 3: 23})
    assert not told(events, HandsTabled)
    assert show_log(events) == "2s 3m 1m"


def test_a9_the_last_player_standing_shows_nothing() -> None:
    hand, events = seven(f"{SEVENTH} 1:bet 2:fold 3:fold", stacks=even(300, seats=3))
    assert show_log(events) == ""
    assert not any(player.shown for player in hand.players)
    assert stacks(hand) == {1: 306, 2: 297, 3: 297}


def test_what_is_shown_is_the_whole_hand_in_dealing_order_and_its_name() -> None:
    _, events = seven(SEVENTH + STREET, stacks=even(300, seats=3))
    assert [(one.seat, one.cards, one.name) for one in told(events, HandShown)] == [
        (1, tuple(SEVEN[1].split()), HandName("pair", ("A", "K", "Q", "9"))),
        (2, tuple(SEVEN[2].split()), HandName("three_of_a_kind", ("7", "J", "T"))),
    ]


def test_a7_a_common_card_counts_for_every_hand() -> None:
    """Eight stay; the common card makes seat 1 a royal flush, and each other hand has it too."""
    cards = {
        1: "Ah Kh 2c Qh Jh 4d",
        2: "Ac Ad 3c 4s 5s 6s",
        3: "Kc Kd 4c 5d 6d 7d",
        4: "Qc Qd 5c 6c 8d 9d",
        5: "Jc Jd 6h 7c 9s 2d",
        6: "9c 9h 7h 8s 2s 3d",
        7: "8c 8h 7s 3s 4h 5h",
        8: "Tc Td Ts 2h 3h Js",
    }
    limps = " ".join(f"{seat}:call" for seat in range(2, 9))
    # Seat 1 opens fourth, fifth and sixth street; on seventh the common ten gives seat 8 three of them.
    rounds = [" ".join(f"{(first + step - 1) % 8 + 1}:check" for step in range(8)) for first in (1, 1, 1, 8)]
    _, events = seven(f"1:bring {limps} {' '.join(rounds)}", stacks=even(100, seats=8), cards=cards, community="Th")
    assert told(events, HandShown)[-1].name.category == "royal_flush"
    assert told(events, HandShown)[0].name.category == "four_of_a_kind"


def test_a8_each_pot_is_paid_by_itself_the_last_side_pot_first() -> None:
    tokens = "4:bring 1:complete 2:call 3:raise 4:raise 1:raise 4:call"
    cards = {
        1: "Kh Jd Qc 9d 8h 4s 3h",
        2: "7h 7d 7c 4d 5d Td Jh",
        3: "6h 6d 5c 6s 4h 8d 9s",
        4: "Th Tc 2c 3d 4c 5h Qs",
    }
    _, events = seven(tokens, stacks={1: 100, 2: 6, 3: 16, 4: 31}, cards=cards)
    assert [
        (one.pot, [(share.seat, share.amount_chips) for share in one.shares]) for one in told(events, PotAwarded)
    ] == [
        (2, [(4, 30)]),
        (1, [(3, 30)]),
        (0, [(2, 24)]),
    ]
    assert [(one.seat, one.stack_chips, one.net_chips) for one in told(events, HandEnded)[0].results] == [
        (1, 69, -31),
        (2, 24, 18),
        (3, 30, 14),
        (4, 30, -1),
    ]


def test_a9_five_card_shows_by_the_same_order() -> None:
    tokens = "1:bring 2:call 3:call 2:check 3:check 1:check 2:check 3:check 1:check"
    _, events = five(f"{tokens} 2:check 3:bet 1:call 2:call", stacks=even(300, seats=3))
    assert show_log(events) == "3s 1s 2s"
