"""The bounds: each is a whole number above nothing, each says what it is for, and they agree with each other."""

import ast
import inspect

from engine import limits

BOUNDS = {name: value for name, value in vars(limits).items() if name.isupper()}


def test_every_bound_is_a_whole_number_above_nothing() -> None:
    assert len(BOUNDS) > 20
    for name, value in BOUNDS.items():
        assert type(value) is int, name
        assert value > 0, name


def test_every_bound_stands_where_something_says_what_it_is_for() -> None:
    """A sentence stands below each bound, or below the group that it is the head of, unless its name says it all."""
    body = ast.parse(inspect.getsource(limits)).body[1:]
    told = sum(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in body)
    assert told >= len(BOUNDS) - 5


def test_chips_are_counted_exactly_by_every_client() -> None:
    assert limits.MAX_CHIPS == 2**53 - 1
    assert int(float(limits.MAX_CHIPS)) == limits.MAX_CHIPS


def test_what_is_least_is_below_what_is_most() -> None:
    assert limits.MIN_NAME_CHARS < limits.MAX_NAME_CHARS
    assert limits.MIN_PASSWORD_CHARS < limits.MAX_PASSWORD_CHARS
    assert limits.COMMANDS_PER_SECOND <= limits.COMMANDS_BURST
    assert limits.MAX_COMMIT_BATCH <= limits.MAX_WAITING_COMMITS
    assert limits.MAX_INBOX_COMMANDS <= limits.MAX_ANSWERS_TAKEN_UP <= limits.MAX_ANSWERS_PER_TABLE
