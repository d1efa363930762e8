"""Many statements in flight on one connection of PostgreSQL: sent one after the other, answered all at once.

A statement waits for no answer to the one before it, so a batch costs as many round trips as it has questions, not as
it has statements. When one fails the server skips those after it up to the next `collect`. Answers carry no text of the
server's: its messages and details show rows.
"""

from __future__ import annotations

import select
import time
from typing import Any, Final, NamedTuple, TypeAlias

import psycopg
from psycopg import pq

from app.store.writes import Prepared, Row
from engine.limits import MAX_PREPARED_STATEMENTS, MAX_SILENCE_MS


class ConnectionLost(Exception):
    """The connection is of no use any more: close it. What was not committed is gone."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Problem(NamedTuple):
    """Why a statement was not done: PostgreSQL's code, and the constraint that broke if one did."""

    sqlstate: str
    constraint: str = ""


SKIPPED: Final = Problem("")
"""One before it failed."""

Outcome: TypeAlias = int | Problem
"""How many rows a statement changed or gave, or why it did nothing."""


class Pipeline:
    """Sends statements and collects what became of them.

    The connection must be in autocommit, and is the pipeline's own from now on.
    Every method raises `ConnectionLost`.
    """

    def __init__(self, connection: psycopg.Connection[Any], *, silence_ms: int = MAX_SILENCE_MS) -> None:
        self._connection = connection
        self._silence_s = silence_ms / 1_000
        self._wire = connection.pgconn
        self._wire.enter_pipeline_mode()
        self._poller = select.poll()
        self._names: dict[str, bytes] = {}
        self._named = 0
        # What was sent and not answered: the text of a statement that is being prepared, None for one that runs.
        self._sent: list[str | None] = []
        self._value: bytes | None = None

    @property
    def backend(self) -> int:
        """The server's own number of this connection."""
        return self._wire.backend_pid

    def send(self, prepared: Prepared, row: Row) -> None:
        """Let a statement run for one row.

        Raises `TypeError`, `ValueError` and `IndexError` for a row that SQL cannot hold; nothing is sent then.
        """
        values, formats = encoded(prepared.arrange(row))
        try:
            name = self._names.get(prepared.sql) or self._prepare(prepared.sql)
            if name is None:
                self._wire.send_query_params(prepared.sql.encode(), values, param_formats=formats)
            else:
                self._wire.send_query_prepared(name, values, formats)
        except psycopg.OperationalError as error:
            raise self._lost(error) from error
        self._sent.append(None)

    def say(self, sql: str) -> None:
        """Let a statement without values run, such as BEGIN."""
        try:
            self._wire.send_query_params(sql.encode(), None)
        except psycopg.OperationalError as error:
            raise self._lost(error) from error
        self._sent.append(None)

    def push(self) -> None:
        """Let the server begin with what was sent so far, without waiting for it."""
        try:
            self._wire.flush()
        except psycopg.OperationalError as error:
            raise self._lost(error) from error

    def collect(self) -> list[Outcome]:
        """Wait for what was sent: an outcome for each `send` and `say`, in their order."""
        sent, self._sent = self._sent, []
        try:
            self._wire.pipeline_sync()
            return self._outcomes(sent)
        except psycopg.OperationalError as error:
            raise self._lost(error) from error

    def number(self, prepared: Prepared, row: Row = ()) -> int | None:
        """Ask for one whole number. Raises `ConnectionLost` too if the server does not give it."""
        self.send(prepared, row)
        (outcome,) = self.collect()
        if isinstance(outcome, Problem):
            raise ConnectionLost(outcome.sqlstate)
        return None if self._value is None else int(self._value)

    def close(self) -> None:
        self._connection.close()

    def _prepare(self, sql: str) -> bytes | None:
        if len(self._names) >= MAX_PREPARED_STATEMENTS:
            return None
        self._named += 1
        name = b"s%d" % self._named
        self._wire.send_prepare(name, sql.encode())
        self._sent.append(sql)
        self._names[sql] = name
        return name

    def _outcomes(self, sent: list[str | None]) -> list[Outcome]:
        ends_at = time.monotonic() + self._silence_s
        self._flush(ends_at)
        outcomes: list[Outcome] = []
        # Why a statement could not be prepared: the one that was to run is skipped, and this is what it is told.
        unprepared: Problem | None = None
        for preparing in sent:
            outcome = self._outcome(self._next_result(ends_at))
            if preparing is None:
                outcomes.append(unprepared if unprepared is not None and outcome is SKIPPED else outcome)
                unprepared = None
            elif isinstance(outcome, Problem):
                del self._names[preparing]
                unprepared = None if outcome is SKIPPED else outcome
        self._next_result(ends_at)
        return outcomes

    def _outcome(self, result: pq.abc.PGresult) -> Outcome:
        match result.status:
            case pq.ExecStatus.COMMAND_OK:
                return result.command_tuples or 0
            case pq.ExecStatus.TUPLES_OK:
                self._value = result.get_value(0, 0) if result.ntuples else None
                return result.ntuples
            case pq.ExecStatus.PIPELINE_ABORTED:
                return SKIPPED
            case _:
                problem = Problem(
                    _field(result, pq.DiagnosticField.SQLSTATE), _field(result, pq.DiagnosticField.CONSTRAINT_NAME)
                )
                if _field(result, pq.DiagnosticField.SEVERITY_NONLOCALIZED) != "ERROR":
                    raise ConnectionLost(problem.sqlstate or "closed")
                return problem

    def _next_result(self, ends_at: float) -> pq.abc.PGresult:
        """The next answer, over the gap that stands after each statement's."""
        for _ in range(2):
            while self._wire.is_busy():
                self._wait(ends_at)
            result = self._wire.get_result()
            if result is not None:
                return result
        raise ConnectionLost("out_of_step")

    def _flush(self, ends_at: float) -> None:
        """Send all that waits to be sent, and take in meanwhile what comes: each side may be waiting for the other."""
        while self._wire.flush():
            self._wait(ends_at, also_writable=True)

    def _wait(self, ends_at: float, *, also_writable: bool = False) -> None:
        self._poller.register(self._wire.socket, select.POLLIN | (select.POLLOUT if also_writable else 0))
        if not self._poller.poll(max(0.0, ends_at - time.monotonic()) * 1_000):
            raise ConnectionLost("silent")
        self._wire.consume_input()

    def _lost(self, error: psycopg.Error) -> ConnectionLost:
        return ConnectionLost(error.sqlstate or "closed")


def encoded(row: Row) -> tuple[list[bytes | None], list[int]]:
    """A row as the wire has it, and the format of each value.

    Text goes with its length: as a C string it would end at the first zero byte, and nobody would be told.
    """
    values: list[bytes | None] = []
    formats: list[int] = []
    for value in row:
        match value:
            case str():
                values.append(value.encode())
                formats.append(pq.Format.BINARY)
            case int():
                values.append(b"%d" % value)
                formats.append(pq.Format.TEXT)
            case bytes():
                values.append(value)
                formats.append(pq.Format.BINARY)
            case None:
                values.append(None)
                formats.append(pq.Format.TEXT)
            case _:
                raise TypeError(f"SQL holds no {type(value).__name__}")
    return values, formats


def _field(result: pq.abc.PGresult, which: pq.DiagnosticField) -> str:
    return (result.error_field(which) or b"").decode("ascii", "replace")
