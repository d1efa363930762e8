"""A write as data: what to do, and what it means when the database does not let it happen.

A write is a tuple of steps, each one statement with the rows that it is run for. It is kept whole or not at all. The
database is the judge: whether a wallet holds enough or an id is new is never read first, it is a constraint or a count
of changed rows, and the step says what the askers are told when that breaks. So the same write runs on any database:
`app/store/batches.py` says how, and its adapters do it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

import msgspec
from sqlalchemy import BindParameter, Dialect, bindparam
from sqlalchemy.sql import ClauseElement

from engine.rules.errors import AvenueError
from engine.table.errors import CommitFailed, CommitRefused, StaleOwner

Value: TypeAlias = str | int | bytes | None
Row: TypeAlias = tuple[Value, ...]

Breach: TypeAlias = str
"""What broke: one of the words below, or a check by its full name (`ck_accounts_floor`)."""

UNIQUE: Final = "unique"
FOREIGN_KEY: Final = "foreign_key"
NOT_NULL: Final = "not_null"
GUARD: Final = "guard"
"""A trigger that refuses to change what stands."""
ROWS: Final = "rows"
"""A row of the step changed another number of rows than it must."""


class Prepared(NamedTuple):
    """A statement for one database. `order` is which of a row's values each placeholder takes; None: as given."""

    sql: str
    order: tuple[int, ...] | None

    def arrange(self, row: Row) -> Row:
        return row if self.order is None else tuple(row[place] for place in self.order)


class Statement:
    """A statement of SQLAlchemy Core and the names of its parameters in the order in which rows give them.

    Make each once, as a module's constant: it is compiled once for every database.
    """

    def __init__(self, clause: ClauseElement, *, row: tuple[str, ...]) -> None:
        self._clause = clause
        self._row = row
        self._prepared: dict[str, Prepared] = {}

    def prepared(self, dialect: Dialect) -> Prepared:
        """Give the text for a database whose placeholders are positional."""
        found = self._prepared.get(dialect.name)
        if found is None:
            compiled = self._clause.compile(dialect=dialect)
            names: list[str] = compiled.positiontup or []  # type: ignore[attr-defined]
            strays = sorted(set(names) ^ set(self._row))
            if strays:
                raise ValueError(f"the statement and its row do not agree on: {', '.join(strays)}")
            order = tuple(self._row.index(name) for name in names)
            as_given = order == tuple(range(len(self._row)))
            found = self._prepared[dialect.name] = Prepared(str(compiled), None if as_given else order)
        return found

    @property
    def row(self) -> tuple[str, ...]:
        return self._row


def given(*names: str) -> dict[str, BindParameter[Any]]:
    """Values of an INSERT that its rows give, each under the name of its column."""
    return {name: bindparam(name) for name in names}


class Verdict(msgspec.Struct, frozen=True):
    """What the asker of a write is told when a step breaks."""

    kind: Literal["refused", "stale", "failed", "put_off"]
    code: str = ""
    fields: dict[str, Any] = {}

    def error(self) -> AvenueError:
        match self.kind:
            case "refused":
                return CommitRefused(self.code, **self.fields)
            case "stale":
                return StaleOwner(**self.fields)
            case "failed":
                return CommitFailed(for_good=True, **self.fields)
            case "put_off":
                return CommitFailed(**self.fields)


STALE: Final = Verdict("stale")


def refused(code: str, **fields: Any) -> Verdict:
    return Verdict("refused", code, fields)


def failed(reason: str, **fields: Any) -> Verdict:
    """A mistake of ours: this write will never be kept."""
    return Verdict("failed", fields={"reason": reason, **fields})


def put_off(error: str) -> Verdict:
    """The database could not do this one write now, for a reason that it names; it may later."""
    return Verdict("put_off", fields={"reason": "not_written", "error": error})


class Runnable(Protocol):
    """What a step runs: a `Statement`, or one that came with its values."""

    def prepared(self, dialect: Dialect) -> Prepared: ...


class Step(msgspec.Struct, frozen=True):
    """One statement, run for each row in turn.

    `changes` is how many rows of the database each row must change; None is any number. A breach without a verdict is a
    mistake of ours: the write fails, with its name in the fault.
    """

    statement: Runnable
    rows: tuple[Row, ...]
    changes: int | None = None
    verdicts: Mapping[Breach, Verdict] = {}

    def verdict(self, breach: Breach) -> Verdict:
        return self.verdicts.get(breach) or failed("broken", breach=breach)

    def __repr__(self) -> str:
        # Rows hold journals and hashes: never show them.
        return f"<Step of {len(self.rows)} rows>"


def bound_step(clause: ClauseElement, dialect: Dialect) -> Step:
    """A step of a statement that holds its own values, as SQLAlchemy builds it; compiled here and now."""
    compiled = clause.compile(dialect=dialect, compile_kwargs={"render_postcompile": True})
    names: list[str] = compiled.positiontup or []  # type: ignore[attr-defined]
    values = compiled.params
    return Step(_Text(str(compiled), dialect.name), (tuple(values[name] for name in names),))


class _Text:
    """A statement that is text already, for one database alone."""

    def __init__(self, sql: str, dialect: str) -> None:
        self._prepared = Prepared(sql, None)
        self._dialect = dialect

    def prepared(self, dialect: Dialect) -> Prepared:
        if dialect.name != self._dialect:
            raise ValueError(f"the statement is for {self._dialect}, not for {dialect.name}")
        return self._prepared


class Write(msgspec.Struct, frozen=True):
    """Steps that stand together. `about` names it in logs: a table and a number, or a transfer."""

    about: str
    steps: tuple[Step, ...]

    def __repr__(self) -> str:
        return f"<Write {self.about}>"
