"""Choosing among options, and that there always is something to choose."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avenue_sdk.messages import Action, Bet, BringIn, Call, Check, Complete, Fold, Option, Raise, TurnOpened
from avenue_sdk.options import Options, verb_of
from tests.clients.world import World, event_text

TURNS = msgspec.json.Decoder(TurnOpened)


def options(*actions: Action) -> Options:
    return Options(tuple(Option(action=one, added_chips=0, all_in=False, size=None, full=True) for one in actions))


def action(option: Option | None) -> Action | None:
    return None if option is None else option.action


def test_each_option_is_found_by_its_verb() -> None:
    found = options(Fold(), Call(to_chips=20), Raise(to_chips=40))
    assert (action(found.fold), action(found.call)) == (Fold(), Call(to_chips=20))
    assert (found.check, found.bring_in) == (None, None)
    assert len(found) == 3
    assert [verb_of(option) for option in found] == ["fold", "call", "raise"]


@pytest.mark.parametrize("wager", [Complete(to_chips=20), Bet(to_chips=20), Raise(to_chips=20)])
def test_a_wager_is_whatever_makes_it_dearer(wager: Action) -> None:
    assert action(options(Fold(), Check(), wager).wager) == wager
    assert options(Fold(), Check()).wager is None


def test_of_two_sizes_each_has_its_name() -> None:
    both = options(Fold(), Check(), Bet(to_chips=10), Bet(to_chips=20))
    assert (action(both.wager), action(both.big_wager)) == (Bet(to_chips=10), Bet(to_chips=20))
    one = options(Fold(), Check(), Bet(to_chips=20))
    assert one.wager == one.big_wager


@pytest.mark.parametrize(
    ("offered", "stay", "passive"),
    [
        ((Fold(), Check(), Bet(to_chips=10)), Check(), Check()),
        ((Fold(), Call(to_chips=10), Raise(to_chips=20)), Call(to_chips=10), Fold()),
        ((BringIn(to_chips=4), Complete(to_chips=10)), BringIn(to_chips=4), BringIn(to_chips=4)),
        ((Fold(), BringIn(to_chips=4), Complete(to_chips=10)), BringIn(to_chips=4), Fold()),
    ],
)
def test_one_can_always_stay_and_always_do_as_little_as_can_be(
    offered: tuple[Action, ...], stay: Action, passive: Action
) -> None:
    found = options(*offered)
    assert (found.stay.action, found.passive.action) == (stay, passive)


@settings(max_examples=25)
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_on_every_turn_of_the_real_rules_staying_costs_the_least_that_is_no_fold(seed: int) -> None:
    for told in World(seed).run(hands=3):
        if told.event.__struct_config__.tag == "turn_opened":
            for turn in TURNS.decode(event_text(told, None)).turns:
                found = Options(turn.options)
                others = [option for option in found if option != found.fold]
                assert found.stay in others
                assert found.stay.added_chips == min(option.added_chips for option in others)
                assert found.passive.added_chips == min(option.added_chips for option in found)
