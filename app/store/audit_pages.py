"""What all parts of an audit share: what a difference is, and the walk over what grows for ever, page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec
from sqlalchemy import ColumnElement, Row, Select, func, literal_column, select

from app.store.codec import EventCodec
from app.store.database import Database
from app.store.reading import JournalReader
from app.store.sealing import Seals


class Difference(msgspec.Struct, frozen=True):
    """Something that does not add up: `what` as a code, `where` the id of the row, and the figures."""

    what: str
    where: str
    figures: dict[str, Any]


class Looker:
    """The database, how its events are read, how many rows are looked at at once, and how many were."""

    def __init__(self, database: Database, seals: Seals | None, *, page_rows: int) -> None:
        self.database = database
        self.codec = EventCodec()
        self.reader = JournalReader(self.codec, seals)
        self.page_rows = page_rows
        self.counted: Counter[str] = Counter()


AnyRow: TypeAlias = Row[*tuple[Any, ...]]

ZERO: Final[ColumnElement[int]] = literal_column("0")

Query: TypeAlias = Callable[[ColumnElement[bool]], Select[Any]]
"""A query for what is wrong in a page, given the page as a condition. Its first column says where."""


async def pages(
    looker: Looker, what: str, key: ColumnElement[str], queries: Mapping[str, tuple[ColumnElement[str], Query]]
) -> AsyncIterator[Difference]:
    """Walk over a table by its key and give what the queries find, each page in a snapshot of its own.

    Each query comes under its code, with its own column that holds the same key. What is added meanwhile behind the
    walk is left for the next audit.
    """
    after = ""
    while True:
        found: list[Difference] = []
        async with looker.database.read() as connection:
            end = select(key).where(key > after).order_by(key).offset(looker.page_rows - 1).limit(1)
            last = (await connection.execute(end)).scalar_one_or_none()
            counted = select(func.count()).where(within(key, after, last))
            looker.counted[what] += (await connection.execute(counted)).scalar_one()
            for code, (column, query) in queries.items():
                rows = await connection.execute(query(within(column, after, last)))
                found += [difference(code, row) for row in rows.mappings().all()]
        for one in found:
            yield one
        if last is None:
            return
        after = last


def within(column: ColumnElement[str], after: str, last: str | None) -> ColumnElement[bool]:
    """The condition that a column lies beyond one value and not beyond the other; None is no end."""
    return column > after if last is None else (column > after) & (column <= last)


def difference(code: str, row: Mapping[Any, Any]) -> Difference:
    return Difference(code, str(next(iter(row.values()))), {str(name): value for name, value in row.items()})
