"""Dealing, the short deck, and who opens (`rules.md` A1, A3, A6, A7)."""

from __future__ import annotations

import pytest

from engine.rules import stud
from engine.rules.cards import DECK
from engine.rules.dealing import deck_plan
from engine.rules.events import CardBurnt, CardDealt, CommonCardDealt, HandEvent, RoundOpened
from tests.cases.play import Followed, outcome
from tests.engine.rules.hands import choices, even, five, seven, told

CHECKED = "3:bring 1:call 2:call" + 4 * " 1:check 2:check 3:check"


def deal_log(events: list[HandEvent]) -> list[str]:
    """The deal in short: `2d` is a down card to seat 2, `2u` an up card, `b` a burn, `c` a common card."""
    log = []
    for event in events:
        match event:
            case CardDealt():
                log.append(f"{event.seat}{event.face[0]}")
            case CardBurnt():
                log.append("b")
            case CommonCardDealt():
                log.append("c")
            case RoundOpened():
                log.append("/")
            case _:
                pass
    return log


def test_a1_seven_card_deal_clockwise_one_at_a_time_with_burns() -> None:
    _, events = seven(CHECKED, stacks=even(100, seats=3))
    assert " ".join(deal_log(events)) == (
        "1d 2d 3d 1d 2d 3d 1u 2u 3u / b 1u 2u 3u / b 1u 2u 3u / b 1u 2u 3u / b 1d 2d 3d /"
    )


def test_a1_five_card_deal() -> None:
    _, events = five("1:bring 2:call 3:call" + 3 * " 2:check 3:check 1:check", stacks=even(100, seats=3))
    assert " ".join(deal_log(events)) == "1d 2d 3d 1u 2u 3u / b 1u 2u 3u / b 1u 2u 3u / b 1u 2u 3u /"


@pytest.mark.parametrize(
    ("dealer", "order"),
    [(0, "1 2 5 7"), (1, "2 5 7 1"), (2, "5 7 1 2"), (4, "5 7 1 2"), (6, "7 1 2 5"), (7, "1 2 5 7")],
)
def test_a1_the_first_card_goes_to_the_dealers_left(dealer: int, order: str) -> None:
    cards = {1: "Ah", 2: "Kh", 5: "Qh", 7: "Jh"}
    _, events = five(stacks={7: 100, 1: 100, 5: 100, 2: 100}, cards=cards, dealer=dealer)
    assert [str(one.seat) for one in told(events, CardDealt)][:4] == order.split()
    assert [one.card for one in told(events, CardDealt)][:4] == [cards[int(seat)] for seat in order.split()]


def test_a1_folded_seats_get_no_cards_and_all_in_ones_do() -> None:
    _, events = seven("3:bring 4:call 1:fold 2:call 3:check 4:check", stacks={1: 100, 2: 3, 3: 100, 4: 100})
    assert " ".join(deal_log(events)).split(" / ")[1:] == ["b 2u 3u 4u", "b 2u 3u 4u /"]


@pytest.mark.parametrize(
    ("stub", "players", "burnt", "plan"),
    [
        (8, 7, 3, "burn"),
        (9, 7, 3, "burn"),
        (7, 7, 3, "no-burn"),
        (6, 7, 3, "recycle"),
        (4, 7, 3, "recycle"),
        (3, 7, 3, "community"),
        (1, 8, 3, "community"),
        (1, 4, 3, "recycle"),
        (1, 5, 3, "community"),
        (1, 1, 3, "no-burn"),
        (2, 1, 3, "burn"),
    ],
)
def test_a7_deck_plan(stub: int, players: int, burnt: int, plan: str) -> None:
    assert deck_plan(stub=stub, players=players, burnt=burnt) == plan


DOORS8 = {
    1: "Ac Ad 2c As",
    2: "Kc Kd 3c Ks",
    3: "Qc Qd 4c Qs",
    4: "Jc Jd 5c Js",
    5: "Tc Td 6c Ts",
    6: "9d 9h 7c 9s",
    7: "8d 8h 8c 7s",
    8: "7d 7h 9c 8s",
}


def table_of_8(
    *, sixth: dict[int, str], stay: int, seats: int = 8, burns: str = "", common: str | None = None
) -> Followed:
    """Seat 1 brings in, opens each street and bets on the sixth, where only the first `stay` seats call."""
    everyone = range(1, seats + 1)
    checks = " ".join(f"{seat}:check" for seat in everyone)
    calls = " ".join(f"{seat}:{'call' if seat <= stay else 'fold'}" for seat in everyone if seat > 1)
    limps = " ".join(f"{seat}:call" for seat in everyone if seat > 1)
    cards = {seat: f"{DOORS8[seat]} {sixth[seat]}" for seat in everyone}
    return seven(
        f"1:bring {limps} {checks} {checks} 1:bet {calls}",
        stacks=even(100, seats=seats),
        cards=cards,
        burns=burns,
        community=common,
    )


SIXTH = {1: "Ah 2d", 2: "Kh 3d", 3: "Qh 4d", 4: "Jh 5d", 5: "Th 6d", 6: "2s 6h", 7: "3s 6s", 8: "4s 4h"}


def test_a7_eight_to_the_end_get_one_common_card_and_no_burn() -> None:
    _, events = table_of_8(sixth=SIXTH, stay=8, common="5h")
    assert deal_log(events)[-2:] == ["c", "/"]
    assert [(one.street, one.card) for one in told(events, CommonCardDealt)] == [(7, "5h")]
    assert len(told(events, CardBurnt)) == 3


def test_a7_a_common_card_with_a_stub_of_two_or_more_is_burnt_for_first() -> None:
    """Seven go on with a stub of three: one is burnt, the next is common, one stays."""
    limps = " ".join(f"{seat}:call" for seat in range(2, 9))
    checks = " ".join(f"{seat}:check" for seat in range(1, 8))
    _, events = seven(
        f"1:bring {limps} {checks} 8:check 1:bet {' '.join(f'{seat}:call' for seat in range(2, 8))} 8:fold {checks}",
        stacks=even(100, seats=8),
        cards={seat: f"{DOORS8[seat]} {SIXTH[seat]}" for seat in range(1, 9)},
    )
    assert deal_log(events)[-3:] == ["b", "c", "/"]
    assert len(told(events, CardBurnt)) == 4


def test_a7_a_stub_of_as_many_as_there_are_players_is_dealt_without_a_burn() -> None:
    _, events = table_of_8(sixth=SIXTH, stay=7, seats=7)
    assert " ".join(deal_log(events)).split(" / ")[-1] == "1d 2d 3d 4d 5d 6d 7d /"


def test_a7_the_stub_and_then_the_burns_in_burn_order() -> None:
    hand, events = table_of_8(sixth=SIXTH, stay=4, burns="5h 3h 5s")
    assert " ".join(deal_log(events)).split(" / ")[-1] == "1d 2d 3d 4d /"
    last = [one.card for one in told(events, CardDealt)][-4:]
    assert last == [hand.deck[51], "5h", "3h", "5s"]


@pytest.mark.parametrize(
    ("stay", "seats"), [(8, 8), (7, 8), (6, 8), (5, 8), (4, 8), (3, 8), (2, 8), (7, 7), (6, 7), (2, 7)]
)
def test_a7_every_card_is_somewhere_once(stay: int, seats: int) -> None:
    hand, events = table_of_8(sixth=SIXTH, stay=stay, seats=seats)
    dealt = [one.card for one in told(events, CardDealt)] + [one.card for one in told(events, CommonCardDealt)]
    burnt = [one.card for one in told(events, CardBurnt) if one.card not in dealt]
    assert sorted([*dealt, *burnt, *hand.deck[hand.next_card :]]) == sorted(DECK)


def doors(*cards: str) -> dict[int, str]:
    """Hands with these door cards; the down cards are out of the way."""
    down = iter(card for card in DECK if card not in cards)
    return {seat: f"{next(down)} {next(down)} {card}" for seat, card in enumerate(cards, start=1)}


@pytest.mark.parametrize(
    ("cards", "low"),
    [
        pytest.param(doors("3c", "2s", "4d"), 2, id="the lowest rank"),
        pytest.param(doors("Ac", "Kd", "As"), 2, id="an ace is high"),
        pytest.param(doors("2d", "2c", "2s", "2h"), 2, id="clubs are the lowest"),
        pytest.param(doors("2s", "2d", "2h"), 2, id="then diamonds"),
        pytest.param(doors("2s", "2h", "3c"), 2, id="then hearts"),
        pytest.param(doors("2c", "2d", "Kh", "2s"), 1, id="B043"),
    ],
)
def test_a3_the_lowest_door_card_brings_in(cards: dict[int, str], low: int) -> None:
    hand, events = seven(stacks=even(100, seats=len(cards)), cards=cards)
    opened = told(events, RoundOpened)[0]
    assert (opened.seat, opened.forced, opened.betting) == (low, True, True)
    assert list(stud.legal(hand)) == [low]


@pytest.mark.parametrize(
    ("stacks", "dealer", "opener", "forced", "betting"),
    [
        pytest.param({1: 100, 2: 100, 3: 100, 4: 100}, 0, 3, True, True, id="he has chips"),
        pytest.param({1: 100, 2: 100, 3: 1, 4: 100}, 0, 4, False, True, id="the next clockwise"),
        pytest.param({1: 100, 2: 100, 3: 1, 4: 1}, 0, 1, False, True, id="with chips"),
        pytest.param({1: 100, 2: 100, 3: 1, 4: 1}, 3, 1, False, True, id="clockwise from him, not from the dealer"),
        pytest.param({1: 1, 2: 100, 3: 1, 4: 1}, 0, 2, False, False, id="who would, if there were betting"),
        pytest.param({1: 1, 2: 1, 3: 100, 4: 1}, 0, 3, False, False, id="nothing is forced without betting"),
        pytest.param({1: 1, 2: 1, 3: 1, 4: 1}, 0, 3, False, False, id="nobody has chips"),
    ],
)
def test_a3_7_the_low_card_is_all_in(
    stacks: dict[int, int],
    dealer: int,
    opener: int,
    forced: bool,  # noqa: FBT001 - a table's column
    betting: bool,  # noqa: FBT001 - a table's column
) -> None:
    _, events = seven(stacks=stacks, dealer=dealer)
    opened = told(events, RoundOpened)[0]
    assert (opened.seat, opened.forced, opened.betting) == (opener, forced, betting)


@pytest.mark.parametrize(
    ("five_cards", "opener"),
    [
        pytest.param({1: "Ah 9c 2d 3c 4h", 2: "Ks 8d 8c 8h 8s", 3: "Kd 7d 7c 7h Ac"}, 2, id="quads over trips"),
        pytest.param({1: "Ah 9c 9d 2c 2h", 2: "Ks 8d 8c 8h 3s", 3: "Kd Ac As Qh Qc"}, 2, id="trips over two pair"),
        pytest.param({1: "Ah 9c 9d 2c 2h", 2: "Ks Ac As Qh Jc", 3: "Kd 3d 4d 5d 6d"}, 1, id="two pair over a pair"),
        pytest.param({1: "Ah 2c 2d 4c 5h", 2: "Ks Ac Kh Qh Jc", 3: "Kd 3d 4d 6d 7d"}, 1, id="a pair over an ace"),
        pytest.param(
            {1: "Ah 9s 8s 7s 6s", 2: "Ks 2c 2h 3d 4d", 3: "Kd 3h 4h 5h 7d"}, 2, id="straights and flushes are none"
        ),
        pytest.param({1: "Ah Kc Qd 9c 3h", 2: "Ks Kh Qh 9d 2c", 3: "Kd 3d 4d 6d 7d"}, 1, id="down to the last rank"),
    ],
)
def test_a6_the_highest_board_opens(five_cards: dict[int, str], opener: int) -> None:
    """Shown on five-card's last street, where four cards show."""
    hand, events = checked_to_the_last_street(five_cards)
    assert told(events, RoundOpened)[-1].seat == opener
    assert list(stud.legal(hand)) == [opener]


def checked_to_the_last_street(cards: dict[int, str]) -> Followed:
    """Whoever opens a round, all call it or check it; the deck is laid out anew for each token."""
    tokens = ""
    while True:
        followed = five(tokens, stacks=even(100, seats=3), cards=cards)
        if followed.hand.on_last_street:
            return followed
        offered = choices(followed.hand).lstrip("?")
        seat, words = offered.split("=")
        word = next(word for word in ("bring", "check", "call") if word in words)
        tokens += f" {seat}:{word}"


EQUAL = {1: "Ah 2c 5d 9c Qd", 2: "7h Ks 9d 8c 3s", 3: "Qs Kd 9h 4s 6h", 4: "Jh Kc 9s 2h 7d"}
"""On the second round the boards of seats 2, 3 and 4 are equal: king, nine."""


@pytest.mark.parametrize(
    ("dealer", "short", "opener"),
    [
        pytest.param(0, {}, 2, id="the first clockwise from the dealer"),
        pytest.param(2, {}, 3, id="wherever he stands"),
        pytest.param(3, {}, 4, id="never the suit"),
        pytest.param(4, {}, 2, id="and around"),
        pytest.param(0, {2: 11}, 3, id="he is all-in: the next with chips"),
        pytest.param(0, {2: 11, 3: 11}, 4, id="and the next"),
        pytest.param(3, {4: 11}, 1, id="equal or not"),
    ],
)
def test_a6_equal_boards(dealer: int, short: dict[int, int], opener: int) -> None:
    hand, _ = five("1:bring 2:call 3:call 4:call", stacks=even(300, seats=4) | short, cards=EQUAL, dealer=dealer)
    assert list(stud.legal(hand)) == [opener]


@pytest.mark.parametrize(
    ("stacks", "opener"),
    [
        pytest.param({1: 3, 2: 300, 3: 300, 4: 300}, 2, id="the best board is all-in: the next clockwise"),
        pytest.param({1: 3, 2: 3, 3: 300, 4: 300}, 3, id="with chips, however low"),
        pytest.param({1: 300, 2: 300, 3: 300, 4: 300}, 1, id="he has chips"),
    ],
)
def test_a6_the_best_board_is_all_in(stacks: dict[int, int], opener: int) -> None:
    hand, _ = seven("3:bring 4:call 1:call 2:call", stacks=stacks)
    assert list(stud.legal(hand)) == [opener]


def test_a6_seventh_street_compares_those_who_are_left() -> None:
    """Seat 1 had the best board and has folded; down cards of seventh street change nothing."""
    checks = "1:check 2:check 3:check "
    hand, _ = seven(f"3:bring 1:call 2:call {checks}{checks}1:fold 2:check 3:check", stacks=even(300, seats=3))
    assert list(stud.legal(hand)) == [2]


@pytest.mark.parametrize(
    ("common", "opener"),
    [("2h", 1), ("3h", 2), ("5h", 4)],
)
def test_a6_a_common_card_is_added_to_each_board(common: str, opener: int) -> None:
    """Seat 1 shows aces and twos, seat 2 kings and threes, seat 4 jacks and fives: the common card fills one."""
    hand, _ = table_of_8(sixth=SIXTH, stay=8, common=common)
    assert list(stud.legal(hand)) == [opener]


def test_b044_each_round_is_opened_by_its_own_rule() -> None:
    cards = {1: "Ah Ad 7h 3c", 2: "Kh Kd 7d Qs"}
    _, events = seven("2:bring 1:call", stacks=even(100, seats=2), cards=cards)
    assert {one.street: one.seat for one in told(events, RoundOpened)} == {3: 2, 4: 2}


def test_first_is_told_for_rounds_without_betting_too() -> None:
    _, events = seven("1:fold", stacks={1: 300, 2: 300, 3: 1})
    assert outcome(events).first == {3: 1, 4: 2, 5: 2, 6: 2, 7: 2}
