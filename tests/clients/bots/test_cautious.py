"""What the cautious one does with known hands, where any book on stud would say the same."""

from __future__ import annotations

from random import Random

import pytest

from avenue_bots.cautious import choose
from avenue_sdk import Action, Bet, BringIn, Call, Check, Complete, Fold
from avenue_sdk.messages import Game
from tests.clients.bots.situations import FORCED, FREE, OPENED, OWED, situation

WAGERS = ("Bet", "Raise", "Complete")
RAISES, STAYS, GIVES_UP = "raises", "stays", "gives up"


class Dice(Random):
    """Dice that always show the same: high ones never slow-play."""

    def __init__(self, shows: float) -> None:
        super().__init__(0)
        self._shows = shows

    def random(self) -> float:
        return self._shows


def does(*asked: str, **fields: object) -> str:
    """What he does, on dice that never slow-play."""
    state, options = situation(*asked, **fields)  # type: ignore[arg-type]
    action = choose(state, options, Dice(0.99)).action
    if type(action).__name__ in WAGERS:
        return RAISES
    return GIVES_UP if isinstance(action, Fold) else STAYS


@pytest.mark.parametrize(
    ("mine", "against", "deed"),
    [
        ("8c 8d 8h", ["Kd"], RAISES),
        ("Ac Ad 3h", ["Kd"], RAISES),
        ("Tc Td 3h", ["9d"], RAISES),
        ("6c 6d Ah", ["Kd"], STAYS),
        ("9h Jh Kh", ["2c", "3d"], STAYS),
        ("9c Td Jh", ["2c", "3d"], STAYS),
        ("Qc Kd Ah", ["Jd"], STAYS),
        ("2c 7d Jh", ["Kd"], GIVES_UP),
        ("2c 4d 9h", ["Kd"], GIVES_UP),
        ("Tc Kd Jh", ["Ad"], GIVES_UP),
    ],
)
def test_third_street(mine: str, against: list[str], deed: str) -> None:
    assert does(mine, *against, offered=OPENED, pot_chips=12) == deed


def test_a_pair_whose_cards_are_gone_is_no_pair() -> None:
    assert does("Qc Qd 3h", "Jd", offered=OPENED, pot_chips=12) == RAISES
    assert does("Qc Qd 3h", "Jd", folded="Qs,Qh", offered=OPENED, pot_chips=12) == GIVES_UP
    assert does("6c 6d Ah", "Kd", offered=OPENED, pot_chips=12) == STAYS
    assert does("6c 6d Th", "Kd", "6s", folded="6h", offered=OPENED, pot_chips=12) == GIVES_UP


def test_three_to_a_flush_lives_on_the_suit_that_is_left() -> None:
    assert does("4h 9h Jh", "2c", "Kd", offered=OPENED, pot_chips=12) == STAYS
    assert does("4h 9h Jh", "2h", "Kh", folded="5h", offered=OPENED, pot_chips=12) == GIVES_UP


@pytest.mark.parametrize(
    ("mine", "against", "deed"),
    [
        ("Kc Kd", ["Ad"], RAISES),
        ("Ac 7d", ["Kd", "9c"], RAISES),
        ("Jc 7d", ["Td", "9c"], STAYS),
        ("Tc 7d", ["Kd"], GIVES_UP),
        ("2c 9d", ["Jd"], GIVES_UP),
    ],
)
def test_second_street_at_five_card(mine: str, against: list[str], deed: str) -> None:
    assert does(mine, *against, game="stud5", offered=OWED, pot_chips=12) == deed


def test_a_forced_bring_in_is_posted_and_completed_with_a_hand() -> None:
    state, options = situation("2c 7d 3h", "Kd", offered=FORCED)
    assert choose(state, options, Dice(0.99)).action == BringIn(to_chips=4)
    state, options = situation("2c 2d 2h", "Kd", offered=FORCED)
    assert choose(state, options, Dice(0.99)).action == Complete(to_chips=10)


@pytest.mark.parametrize(
    ("mine", "against", "offered", "action"),
    [
        # A pair that no board beats bets; against a higher pair in sight it checks, or lets go when asked to pay.
        ("Kc Kd 3h 8s 2c", ["9c 7d Jh"], FREE, Bet(to_chips=10)),
        ("9c 9d 3h 8s 2c", ["Qc Qd 5h"], FREE, Check()),
        ("9c 9d 3h 8s 2c", ["Qc Qd 5h"], OWED, Fold()),
        # Two pair against a pair bets, trips against anything bets.
        ("9c 9d 3h 3s 2c", ["Qc Qd 5h"], FREE, Bet(to_chips=10)),
        ("5c 5d 5h 8s 2c", ["Qc Qd Jh"], FREE, Bet(to_chips=10)),
        # Nothing checks when that is free.
        ("Ac 9d 3h 8s 2c", ["Qc 6d 5h"], FREE, Check()),
    ],
)
def test_later_streets(mine: str, against: list[str], offered: tuple[Action, ...], action: Action) -> None:
    state, options = situation(mine, *against, offered=offered)
    assert choose(state, options, Dice(0.99)).action == action


def test_a_draw_goes_on_while_it_is_live_and_the_price_is_right() -> None:
    draw, against = "2h 9h Jh Kh 3c", "Qc 6d 5s"
    state, options = situation(draw, against, offered=OWED, pot_chips=80)
    assert choose(state, options, Dice(0.99)).action == Call(to_chips=10)
    state, options = situation(draw, against, offered=OWED, pot_chips=12)
    assert choose(state, options, Dice(0.99)).action == Fold()
    state, options = situation(draw, against, offered=OWED, pot_chips=25, folded="3h 4h 5h,6h 7h 8h,Th Qh 2c")
    assert choose(state, options, Dice(0.99)).action == Fold()


def test_with_all_cards_dealt_a_draw_is_nothing() -> None:
    state, options = situation("2h 9h Jh Kh 3c 4d 8s", "Qc 6d 5s Ad", offered=OWED, pot_chips=80)
    assert choose(state, options, Dice(0.99)).action == Fold()


def test_sometimes_a_bet_is_kept_back() -> None:
    state, options = situation("Kc Kd 3h 8s 2c", "9c 7d Jh", offered=FREE)
    assert choose(state, options, Dice(0.0)).action == Check()


@pytest.mark.parametrize("game", ["stud5", "stud7"])
def test_a_bring_in_is_defended_for_next_to_nothing(game: Game) -> None:
    mine = "2c 9d" if game == "stud5" else "2c 4d 9h"
    state, options = situation(mine, "Kd", game=game, offered=(Fold(), Call(to_chips=4)), pot_chips=40)
    assert choose(state, options, Dice(0.99)).action == Call(to_chips=4)
