"""Every code with which a table's socket refuses something, gathered from the refusals themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from app import refusals
from app.store import errors as store
from engine.rules import errors as rules
from engine.rules.errors import AvenueError
from engine.table import errors as table
from engine.table.errors import CommitFailed, CommitUnknown

if TYPE_CHECKING:
    from collections.abc import Iterator

_AREAS: Final = frozenset({"action", "table", "frame", "connection"})

_OF_THE_STORE: Final = {
    "wallet/insufficient": "The wallet holds less than it should give. Fields: `balance_chips`.",
    "money/out_of_bounds": "An account would hold more than any may.",
    "account/not_logged_in": "There is no token, or one that is unknown or has run out.",
}
"""What has no class of its own among those that are looked through, with what it means."""


def socket_codes() -> dict[str, str]:
    """Give every code in alphabetical order, with what its class says about it; often nothing."""
    found = dict(_OF_THE_STORE)
    for kind in _classes():
        area, _, name = kind.code.partition("/")
        answered_fault = kind in (rules.Fault, rules.LawBroken) or issubclass(kind, CommitFailed | CommitUnknown)
        if (area in _AREAS and name != "refused") or answered_fault:
            found[kind.code] = " ".join((kind.__dict__.get("__doc__") or "").split())
    return dict(sorted(found.items()))


def _classes() -> Iterator[type[AvenueError]]:
    """The classes of these modules and no others, whatever else the process has imported."""
    for module in (rules, table, refusals, store):
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, AvenueError) and kind.__module__ == module.__name__:
                yield kind
