"""The server's refusals: every one of them has an HTTP status or a close code that was meant for it."""

import inspect

import pytest

import app.store.errors
import engine.table.errors
from app import refusals
from app.errors import CLOSES, STATUS
from engine.rules.errors import Refusal

ALL = [
    one for _, one in inspect.getmembers(refusals, inspect.isclass) if issubclass(one, Refusal) and one is not Refusal
]


@pytest.mark.parametrize("refusal", ALL, ids=lambda one: one.__name__)
def test_the_tree_on_top_of_the_module_names_it(refusal: type[Refusal]) -> None:
    assert f" {refusal.__name__} " in str(refusals.__doc__)
    assert refusal.code in str(refusals.__doc__) or refusal.code.endswith("/refused")


def test_every_status_and_close_code_is_of_a_refusal_that_there_is() -> None:
    told = "\n".join(str(module.__doc__) for module in (refusals, app.store.errors, engine.table.errors))
    for code in (*STATUS, *CLOSES):
        assert code in told or code == "fault/internal", code


@pytest.mark.parametrize("refusal", [one for one in ALL if issubclass(one, refusals.ConnectionRefused)])
def test_what_ends_a_connection_has_a_close_code(refusal: type[Refusal]) -> None:
    assert refusal is refusals.ConnectionRefused or refusal.code in CLOSES
