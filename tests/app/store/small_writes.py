"""Writes of one row each, to try what becomes of writes, and adapters to try them on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from sqlalchemy import URL, bindparam, insert, update

from app.store.batches import Batches
from app.store.postgres_batches import PostgresBatches
from app.store.sqlite_batches import SqliteBatches
from app.store.tables import players
from app.store.urls import place_of
from app.store.writes import FOREIGN_KEY, ROWS, UNIQUE, Statement, Step, Write, given, refused
from engine.rules.errors import AvenueError
from tests.app.store.places import Place, SqlitePlace

NAMES = ("id", "kind", "name", "name_key", "created_ms")
ADD = Statement(insert(players).values(given(*NAMES)), row=NAMES)
RENAME = Statement(
    update(players).where(players.c.id == bindparam("player")).values(name=bindparam("to")), row=("player", "to")
)
VERDICTS = {
    UNIQUE: refused("account/name_taken"),
    FOREIGN_KEY: refused("account/unknown_kind"),
    ROWS: refused("account/unknown"),
}


def add(*names: str, kind: str = "person") -> Write:
    rows = tuple((name, kind, name, name, 1) for name in names)
    return Write(f"add {names}", (Step(ADD, rows, changes=1, verdicts=VERDICTS),))


def rename(name: str, to: str) -> Step:
    return Step(RENAME, ((name, to),), changes=1, verdicts=VERDICTS)


def codes(results: Sequence[AvenueError | None]) -> list[str | None]:
    return [None if result is None else result.code for result in results]


class Clock:
    """Tells another time whenever it is asked."""

    def __init__(self) -> None:
        self._times = count(1_001)

    def __call__(self) -> int:
        return next(self._times)


def batches_in(place: Place) -> Batches:
    if isinstance(place, SqlitePlace):
        return SqliteBatches(place.path, now_ms=Clock())
    url = place_of(place.url)
    assert isinstance(url, URL)
    return PostgresBatches(url, now_ms=Clock())
