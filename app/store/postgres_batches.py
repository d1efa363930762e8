"""Group commits on PostgreSQL: one connection, and a whole lot of writes on their way to it at once.

Most writes are kept, so they go in lots, each lot behind a savepoint. Where one of a lot is refused the lot is taken
back, the refused write is left out, and those before it go again: they saw nothing of it, so they end as they did. What
comes next goes in lots that begin with one and double, so a batch of nothing but refusals costs each of them one round
trip and no more.

A connection that is lost before COMMIT took the batch with it: it is run again on another one. Lost in COMMIT, the
batch is undecided, and read back by its number over another connection, which gets the database's lock only when the
lost one has surely ended.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

import psycopg
from sqlalchemy import URL

from app.store.batches import ALIVE, LAST_EPOCH, MARK, NEW_EPOCH, READ_MARK, Undecided, Unsettled, not_written
from app.store.errors import StoreInUse, StoreUnreachable
from app.store.pipeline import ConnectionLost, Outcome, Pipeline, Problem
from app.store.postgres_sessions import DIALECT, PATIENCE, Patience, StillThere, connect, require_safe, take_lock
from app.store.urls import server_label
from app.store.writes import (
    FOREIGN_KEY,
    GUARD,
    NOT_NULL,
    ROWS,
    UNIQUE,
    Prepared,
    Row,
    Step,
    Verdict,
    Write,
    failed,
    put_off,
)
from engine.limits import MAX_PIPELINED_WRITES, MAX_PREPARED_STATEMENTS
from engine.rules.errors import AvenueError

BEGIN: Final = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
"""Each statement judges what is committed when it gets its rows' locks: all conditions stand in statements."""

SHORT_LOCK_WAIT_MS: Final = 50
"""How long the rest of a batch waits for a row after one wait was in vain."""

ROWS_AT_ONCE: Final = 8
"""So many rows go in one INSERT; each number of them is a statement that is prepared for itself."""

PUSHED_WRITES: Final = 8
"""So many writes go out before the next is looked at: the server works on them meanwhile."""

RECONNECT_PAUSES_MS: Final = (10, 20, 50, 100, 200, 500)
"""How long to wait before the next try to connect; the last one again and again."""


class _Stuck(Exception):
    """The server cannot keep this batch, and no write of it is to blame."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.sqlstate)
        self.sqlstate = problem.sqlstate


class PostgresBatches:
    """See `Batches`. The schema must be there.

    Raises `StoreInUse` if another server has the database, `StoreUnsafe` if it does not keep what it is told to keep,
    `StoreUnreachable`.
    """

    def __init__(
        self,
        url: URL,
        *,
        now_ms: Callable[[], int],
        pipeline_class: type[Pipeline] = Pipeline,
        patience: Patience = PATIENCE,
    ) -> None:
        self._url = url
        self._label = server_label(url)
        self._now_ms = now_ms
        self._pipeline_class = pipeline_class
        self._patience = patience
        self._pipeline: Pipeline | None = None
        self._former_backend: int | None = None
        self._lost_at: float | None = None
        self._batch = 0
        self.epoch = 0
        try:
            self._connect()
            self.epoch = self._take_epoch()
        except ConnectionLost as lost:
            self._disconnect()
            raise StoreUnreachable(database=self._label, reason=lost.why) from lost

    def run(self, writes: Sequence[Write]) -> list[AvenueError | None]:
        """See `Batches.run`."""
        try:
            try:
                return self._run(self._connected(), writes)
            except ConnectionLost:
                # It may have been lost long ago, with nobody there to notice.
                self._disconnect()
                return self._run(self._connected(), writes)
        except (ConnectionLost, StoreUnreachable, StillThere) as error:
            self._disconnect()
            return [not_written(error, _name(error)) for _ in writes]

    def settle(self) -> bool:
        """See `Batches.settle`."""
        self._disconnect()
        try:
            self._connect()
            stands_at = self._pipe.number(READ_MARK.prepared(DIALECT), (self.epoch,))
        except (ConnectionLost, StoreUnreachable, StillThere) as error:
            self._disconnect()
            raise Unsettled from error
        stands = stands_at == self._batch + 1
        if stands:
            self._batch += 1
        return stands

    def beat(self) -> None:
        """See `Batches.beat`. It is also how a lost connection is noticed while nothing is written."""
        try:
            if self._pipeline is None:
                self._connect()
            self._pipe.send(ALIVE.prepared(DIALECT), (self._now_ms(), self.epoch))
            self._pipe.collect()
        except (ConnectionLost, StoreUnreachable, StillThere):
            self._disconnect()

    def close(self) -> None:
        self._disconnect()

    def _run(self, pipe: Pipeline, writes: Sequence[Write]) -> list[AvenueError | None]:
        try:
            results = _Lots(pipe, writes).keep(mark=(self._batch + 1, self._now_ms(), self.epoch))
        except _Stuck as stuck:
            pipe.say("ROLLBACK")
            pipe.collect()
            return [not_written(stuck, stuck.sqlstate) for _ in writes]
        is_kept = any(result is None for result in results)
        pipe.say("COMMIT" if is_kept else "ROLLBACK")
        try:
            *_, ended = pipe.collect()
        except ConnectionLost as lost:
            if is_kept:
                raise Undecided(results) from lost
            raise
        if isinstance(ended, Problem):
            self._disconnect()
            return [not_written(_Stuck(ended), ended.sqlstate) for _ in writes]
        if is_kept:
            self._batch += 1
        return results

    @property
    def _pipe(self) -> Pipeline:
        if self._pipeline is None:
            raise ConnectionLost("closed")
        return self._pipeline

    def _connected(self) -> Pipeline:
        """The connection; one that was lost is looked for again, for a while."""
        if self._pipeline is not None:
            return self._pipeline
        if self._lost_at is None:
            self._lost_at = time.monotonic()
        gives_up_at = self._lost_at + self._patience.reconnect_ms / 1_000
        tries = 0
        while self._pipeline is None:
            try:
                self._connect()
            except (ConnectionLost, StoreUnreachable, StillThere):
                if time.monotonic() >= gives_up_at:
                    raise
                time.sleep(RECONNECT_PAUSES_MS[min(tries, len(RECONNECT_PAUSES_MS) - 1)] / 1_000)
                tries += 1
        return self._pipe

    def _connect(self) -> None:
        connection = connect(self._url, autocommit=True, patience=self._patience)
        try:
            require_safe(connection)
            take_lock(
                connection,
                label=self._label,
                within_ms=self._patience.takeover_ms,
                former_backend=self._former_backend,
            )
            pipeline = self._pipeline_class(connection, silence_ms=self._patience.silence_ms)
            if self.epoch and pipeline.number(LAST_EPOCH.prepared(DIALECT)) != self.epoch:
                # Another server was here while we were away; the tables are its own now.
                raise StoreInUse(database=self._label, pid=None)
        except psycopg.Error as error:
            connection.close()
            raise ConnectionLost(error.sqlstate or "closed") from error
        except BaseException:
            connection.close()
            raise
        self._pipeline = pipeline
        self._lost_at = None

    def _disconnect(self) -> None:
        """Close the connection, which takes back what is not committed."""
        pipeline, self._pipeline = self._pipeline, None
        if pipeline is not None:
            self._former_backend = pipeline.backend
            pipeline.close()

    def _take_epoch(self) -> int:
        # The lock is held: nobody takes the same number.
        self._pipe.send(NEW_EPOCH.prepared(DIALECT), (self._now_ms(),))
        if self._pipe.collect() != [1]:
            raise ConnectionLost("no_epoch")
        epoch = self._pipe.number(LAST_EPOCH.prepared(DIALECT))
        if epoch is None:
            raise ConnectionLost("no_epoch")
        return epoch


class _Lots:
    """One batch on its way, inside its transaction."""

    def __init__(self, pipe: Pipeline, writes: Sequence[Write]) -> None:
        self._pipe = pipe
        self._writes = writes
        # What goes ahead of the next lot and has not been looked at: how many rows each must change.
        self._ahead: list[int] = []

    def keep(self, *, mark: Row) -> list[AvenueError | None]:
        """Begin and run all writes; give why each one that is refused is. What comes next is COMMIT or ROLLBACK.

        Raises `ConnectionLost` and `_Stuck`.
        """
        results: list[AvenueError | None] = [None] * len(self._writes)
        self._say(BEGIN)
        # The batch's number comes first: from here on the row is locked, until it is decided whether the batch stands.
        self._pipe.send(MARK.prepared(DIALECT), mark)
        self._ahead.append(1)
        waiting = list(range(len(results)))
        done, size = 0, MAX_PIPELINED_WRITES
        while done < len(waiting):
            lot = waiting[done : done + size]
            refused = self._attempt([self._writes[place] for place in lot])
            if refused is None:
                self._say("RELEASE a_lot")
                done += len(lot)
                size = min(size * 2, MAX_PIPELINED_WRITES)
                continue
            place, verdict = refused
            self._say("ROLLBACK TO a_lot")
            self._say("RELEASE a_lot")
            if verdict is _LOCKED:
                self._say(f"SET LOCAL lock_timeout = {SHORT_LOCK_WAIT_MS}")
            results[waiting.pop(done + place)] = verdict.error()
            size = max(1, place)
        return results

    def _attempt(self, lot: Sequence[Write]) -> tuple[int, Verdict] | None:
        """Run a lot behind a savepoint. Gives the place of the first write that is refused, and why."""
        self._say("SAVEPOINT a_lot")
        sent = 0
        unsendable: tuple[int, Verdict] | None = None
        try:
            for write in lot:
                self._send(write)
                sent += 1
                if sent % PUSHED_WRITES == 0:
                    self._pipe.push()
        except _BAD_VALUES:
            # A mistake of ours in this one write. Those before it are on their way already.
            unsendable = (sent, failed("bad_value"))
        outcomes = self._pipe.collect()
        ahead, self._ahead = self._ahead, []
        for wanted, outcome in zip(ahead, outcomes, strict=False):
            if outcome != wanted:
                raise _Stuck(outcome if isinstance(outcome, Problem) else _NO_MARK)
        return _first_refused(lot[:sent], outcomes[len(ahead) :]) or unsendable

    def _send(self, write: Write) -> None:
        for step in write.steps:
            prepared = step.statement.prepared(DIALECT)
            for rows in _portions(step, prepared):
                if len(rows) == 1:
                    self._pipe.send(prepared, rows[0])
                else:
                    together = tuple(chain.from_iterable(map(prepared.arrange, rows)))
                    self._pipe.send(_for_several(prepared, len(rows)), together)

    def _say(self, sql: str) -> None:
        self._pipe.say(sql)
        self._ahead.append(0)


_NO_MARK: Final = Problem("no_epoch")
"""The row of this start is gone: without it no batch can be told from another."""

_BAD_VALUES: Final = (TypeError, ValueError, IndexError)


def _portions(step: Step, prepared: Prepared) -> Iterable[Sequence[Row]]:
    """A step's rows by the statements that they go in: a plain INSERT takes several, any other one at a time."""
    size = ROWS_AT_ONCE if len(step.rows) > 1 and _INSERT.fullmatch(prepared.sql) else 1
    return (step.rows[at : at + size] for at in range(0, len(step.rows), size))


_INSERT: Final = re.compile(r"(INSERT INTO [^()]+ \([^()]+\) VALUES )(\([^()]+\))")
_PLACE: Final = re.compile(r"\$(\d+)")


@lru_cache(maxsize=MAX_PREPARED_STATEMENTS)
def _for_several(prepared: Prepared, rows: int) -> Prepared:
    """A plain INSERT of one row as one of several, whose values follow each other."""
    found = _INSERT.fullmatch(prepared.sql)
    if found is None:
        raise ValueError("only a plain INSERT takes several rows")
    head, group = found.groups()
    width = len(_PLACE.findall(group))
    groups = (_PLACE.sub(lambda place, moved=width * row: f"${int(place[1]) + moved}", group) for row in range(rows))
    return Prepared(head + ", ".join(groups), None)


def _first_refused(lot: Sequence[Write], outcomes: Sequence[Outcome]) -> tuple[int, Verdict] | None:
    at = 0
    for place, write in enumerate(lot):
        for step in write.steps:
            changed = 0
            sent = sum(1 for _ in _portions(step, step.statement.prepared(DIALECT)))
            for outcome in outcomes[at : at + sent]:
                if isinstance(outcome, Problem):
                    return place, _verdict(step, outcome)
                changed += outcome
            at += sent
            if step.changes is not None and changed != step.changes * len(step.rows):
                return place, step.verdict(ROWS)
    return None


_LOCKED: Final = put_off("lock_not_available")
_BREACHES: Final = {"23505": UNIQUE, "23503": FOREIGN_KEY, "23502": NOT_NULL, "P0001": GUARD}
_ITS_OWN: Final = {
    "08P01": failed("bad_value"),
    "40001": put_off("serialization_failure"),
    "40P01": put_off("deadlock_detected"),
    "55P03": _LOCKED,
    "57014": put_off("query_canceled"),
}
"""What one write is told when the server does not do it and the others may go on."""


def _verdict(step: Step, problem: Problem) -> Verdict:
    """What a write is told whose step met a problem. Raises `_Stuck` for one that is no write's own."""
    state = problem.sqlstate
    if state == "23514":
        return step.verdict(problem.constraint)
    if state in _BREACHES:
        return step.verdict(_BREACHES[state])
    if state in _ITS_OWN:
        return _ITS_OWN[state]
    match state[:2]:
        case "22":
            return failed("bad_value")
        case "42":
            return failed("bad_statement")
        case _:
            raise _Stuck(problem)


def _name(error: Exception) -> str:
    return error.why if isinstance(error, ConnectionLost) else type(error).__name__
