"""Commands: each has a name of its own, and none tells what it carries."""

from typing import get_args

from engine.rules.actions import SeatNo
from engine.rules.cards import DECK
from engine.table.commands import PlayerCommand, Signal, Sit, StartHand
from tests.engine.table.desk import ANN


def test_a_deal_does_not_tell_its_deck() -> None:
    told = f"{StartHand(deck=DECK)!r} {StartHand(deck=DECK)}"
    assert told == "<StartHand> <StartHand>"


def test_a_wish_tells_its_kind_alone() -> None:
    assert repr(Sit(player=ANN, command_id="secret", name="ann", seat=SeatNo(1), buy_in_chips=5)) == "<Sit>"


def test_no_two_kinds_share_a_tag() -> None:
    kinds = (*get_args(PlayerCommand), *get_args(Signal))
    assert len({kind.__struct_config__.tag for kind in kinds}) == len(kinds) == 10
