"""Refusals of a table and faults of ours: two roots, and every one has its own code."""

import pytest

from engine.rules.errors import Fault, Refusal
from engine.table import errors
from engine.table.errors import CommitRefused

REFUSALS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Refusal)]
FAULTS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Fault)]


@pytest.mark.parametrize("kind", FAULTS)
def test_our_faults_are_never_refusals(kind: type[Fault]) -> None:
    assert not issubclass(kind, Refusal)
    assert kind.code.startswith("fault/")


def test_there_are_both() -> None:
    assert len(REFUSALS) > 10
    assert len(FAULTS) > 4


def test_what_the_store_refuses_bears_the_stores_code() -> None:
    refused = CommitRefused("wallet/insufficient", balance_chips=5)
    assert (refused.code, str(refused), refused.fields) == (
        "wallet/insufficient",
        "wallet/insufficient",
        {"balance_chips": 5},
    )
    assert CommitRefused("wallet/frozen").code == "wallet/frozen"
