from __future__ import annotations

import pytest

from app.store.errors import (
    BadDatabaseUrl,
    BadTransfer,
    StoreBusy,
    StoreClosed,
    StoreInUse,
    StoreUnreachable,
    StoreUnsafe,
    WrongSchema,
)
from engine.rules.errors import Fault
from engine.table.errors import CommitFailed


@pytest.mark.parametrize("error", [StoreBusy, StoreClosed, BadTransfer])
def test_what_was_never_tried_has_surely_not_happened(error: type[Fault]) -> None:
    assert issubclass(error, CommitFailed), "a table goes on after it"


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            StoreInUse(database="a.db", pid=7),
            "a.db is in use by process 7: one server at a time may write to it",
        ),
        (
            StoreInUse(database="a.db", pid=None),
            "a.db is in use by another process: one server at a time may write to it",
        ),
        (
            StoreInUse(database="db/avenue", pid=7, host="north"),
            "db/avenue is in use by process 7 on north: one server at a time may write to it",
        ),
        (
            StoreUnreachable(database="db/avenue", reason="connection refused"),
            "db/avenue cannot be reached: connection refused",
        ),
        (
            StoreUnsafe(setting="synchronous", found=1, wanted=2),
            "the database has synchronous = 1, not 2",
        ),
        (
            WrongSchema(found=None, wanted="0001"),
            "the database holds nothing, this version wants 0001: run `avenue migrate`",
        ),
        (
            WrongSchema(found="0002", wanted="0001"),
            "the database holds 0002, this version wants 0001: run `avenue migrate`",
        ),
        (
            BadDatabaseUrl(reason="unknown_database"),
            "the database's URL is of no use (unknown_database): "
            "write sqlite:///path/to/avenue.db or postgresql://user@host/database",
        ),
    ],
)
def test_what_an_operator_sees_is_one_line_with_its_cure(error: Fault, line: str) -> None:
    assert str(error) == line


@pytest.mark.parametrize("error", [StoreInUse, StoreUnreachable, StoreUnsafe, WrongSchema, BadDatabaseUrl])
def test_an_error_made_again_without_fields_still_says_something(error: type[Fault]) -> None:
    assert str(error())
