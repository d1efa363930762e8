"""The tree of refusals: codes, fields, and whose fault it is."""

from __future__ import annotations

import pytest

from engine.rules import errors
from engine.rules.errors import (
    ActionNotOffered,
    ActionRefused,
    AvenueError,
    BadVariant,
    Fault,
    LawBroken,
    NoHandRunning,
    NotInHand,
    NotYourTurn,
    Refusal,
    StaleHand,
    StaleTurn,
    WrongAmount,
)

CODES = {
    NoHandRunning: "action/no_hand",
    StaleHand: "action/stale_hand",
    NotInHand: "action/not_in_hand",
    NotYourTurn: "action/not_your_turn",
    StaleTurn: "action/stale_turn",
    ActionNotOffered: "action/not_offered",
    WrongAmount: "action/wrong_amount",
    BadVariant: "variant/bad_value",
    LawBroken: "fault/law_broken",
}


@pytest.mark.parametrize(("error", "code"), CODES.items())
def test_codes_stay(error: type[AvenueError], code: str) -> None:
    raised = error(seat=3)
    assert (error.code, raised.code, str(raised), raised.fields) == (code, code, code, {"seat": 3})


def test_every_class_of_the_module_is_in_the_tree() -> None:
    classes = {
        one
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, AvenueError) and one.__module__ == errors.__name__
    }
    assert classes == {*CODES, AvenueError, Refusal, Fault, ActionRefused}
    assert len({one.code for one in classes}) == len(classes)


def test_the_askers_fault_and_ours_are_two_roots() -> None:
    for error in CODES:
        assert issubclass(error, Refusal) is not issubclass(error, Fault)
    assert issubclass(LawBroken, Fault)
    assert [error.__name__ for error in CODES if issubclass(error, ActionRefused)] == [
        "NoHandRunning",
        "StaleHand",
        "NotInHand",
        "NotYourTurn",
        "StaleTurn",
        "ActionNotOffered",
        "WrongAmount",
    ]


def test_fields_are_named_and_their_values_stay_out_of_the_text() -> None:
    raised = WrongAmount(options=[{"secret": "value"}])
    assert str(raised) == "action/wrong_amount"
    assert "value" not in repr(raised)
