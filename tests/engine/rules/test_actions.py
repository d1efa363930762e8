"""A player's wishes as they come from outside: strict, and never bent to fit."""

from __future__ import annotations

import msgspec
import pytest

from engine.rules.actions import Action, Bet, BringIn, Call, Check, Complete, Fold, Option, Raise
from engine.rules.stud import legal
from tests.engine.rules.hands import even, seven

FORMS = [
    (Fold(), {"verb": "fold"}),
    (Check(), {"verb": "check"}),
    (Call(to_chips=2), {"verb": "call", "to_chips": 2}),
    (BringIn(to_chips=2), {"verb": "bring_in", "to_chips": 2}),
    (Complete(to_chips=10), {"verb": "complete", "to_chips": 10}),
    (Bet(to_chips=10), {"verb": "bet", "to_chips": 10}),
    (Raise(to_chips=20), {"verb": "raise", "to_chips": 20}),
]


@pytest.mark.parametrize(("action", "form"), FORMS)
def test_the_form_of_an_action(action: Action, form: dict[str, object]) -> None:
    assert msgspec.to_builtins(action) == form
    assert msgspec.json.decode(msgspec.json.encode(form), type=Action) == action


@pytest.mark.parametrize("amount", ["-1.5", "20.0", "1e2", "1e308", "NaN", '"20"', "true", "null", "[20]", "{}", ""])
def test_b058_an_amount_is_a_whole_number_and_nothing_else(amount: str) -> None:
    """20.0 is no whole number either: the wire's numbers are the journal's."""
    text = f'{{"verb":"raise","to_chips":{amount}}}'
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(text, type=Action)


@pytest.mark.parametrize("amount", [-1, 0, 2**31, 2**63, -(2**63)])
def test_b058_a_whole_number_out_of_range_is_refused_by_the_rules(amount: int) -> None:
    hand, _ = seven("3:bring", stacks=even(300, seats=3))
    (options,) = legal(hand).values()
    assert Call(to_chips=amount) not in [option.action for option in options]


@pytest.mark.parametrize(
    "text",
    [
        '{"verb":"shove"}',
        '{"verb":"Fold"}',
        "{}",
        '{"verb":"fold","to_chips":1}',
        '{"verb":"call"}',
        '{"verb":"call","to_chips":1,"seat":2}',
        '{"verb":"raise","by_chips":10}',
        '"fold"',
        "[]",
    ],
)
def test_what_is_no_action_is_not_read(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Action)


def test_actions_of_different_verbs_are_different() -> None:
    actions = [action for action, _ in FORMS]
    assert [actions.count(action) for action in actions] == [1] * len(actions)
    assert len(dict.fromkeys(actions)) == len(actions)


def test_an_option_as_json_holds_the_action_to_send_back() -> None:
    option = Option(action=Raise(to_chips=29), added_chips=29, all_in=True, full=False)
    form = msgspec.to_builtins(option)
    assert form == {
        "action": {"verb": "raise", "to_chips": 29},
        "added_chips": 29,
        "all_in": True,
        "size": None,
        "full": False,
    }
    assert msgspec.convert(form["action"], type=Action) == option.action
