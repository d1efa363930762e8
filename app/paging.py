"""Pages of listings: a cursor names the last row that was told, so nothing is skipped when rows come in meanwhile."""

from __future__ import annotations

from typing import NamedTuple

from app.refusals import BadBody
from engine.limits import MAX_CHIPS


class Place(NamedTuple):
    """The row behind which a page begins: its time, and its id among those of the same time."""

    at_ms: int
    id: str


def cursor_of(place: Place) -> str:
    """A place as clients hand it back; they need not look inside."""
    return f"{place.at_ms}.{place.id}"


def at_cursor(cursor: str) -> Place:
    """The place that a cursor names. Raises `BadBody` for one that we did not make."""
    at_ms, dot, row_id = cursor.partition(".")
    if not (dot and row_id and at_ms.isascii() and at_ms.isdigit() and len(at_ms) <= 16 and int(at_ms) <= MAX_CHIPS):
        raise BadBody(errors=[{"at": "query.before", "reason": "not_a_cursor"}])
    return Place(int(at_ms), row_id)
