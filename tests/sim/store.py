"""The store of a simulated process: the real statements on the real SQLite, with no thread beside the event loop.

`InlineWriter` does what `app/store/writer.py` does in its thread, at moments of virtual time: it gathers what waits,
commits it, and answers when the disk has had its time. `InlineDatabase` reads in line in the same way.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import CursorResult
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from app.store.batches import Undecided, Unsettled
from app.store.database import Database
from app.store.errors import StoreBusy, StoreClosed
from app.store.sqlite_batches import DIALECT, SqliteBatches
from app.store.urls import sync_url
from app.store.writer import SETTLE_PAUSES_MS
from app.store.writes import Write
from engine.limits import MAX_COMMIT_BATCH, MAX_READ_MS, MAX_WAITING_COMMITS
from engine.rules.errors import AvenueError
from engine.table.errors import CommitFailed, CommitUnknown

ALIVE_EVERY_S = 1.0


class Pace(NamedTuple):
    """How slow the disk is, in microseconds, each time anew: to gather, to sync, to answer, to read."""

    gather_us: Callable[[], int]
    sync_us: Callable[[], int]
    read_us: Callable[[], int]


class _Waiting(NamedTuple):
    write: Write
    answer: asyncio.Future[None]


class InlineWriter:
    """The `Writer` of a process in a simulated world. Make it in the loop that uses it; it takes a new epoch at once.

    When something of our own breaks in it, it is as dead as a writer's thread would be, and says so by `broke`.
    """

    def __init__(
        self,
        path: Path,
        *,
        now_ms: Callable[[], int],
        pace: Pace,
        connection_class: type[sqlite3.Connection],
        broke: Callable[[], None],
    ) -> None:
        self._batches = SqliteBatches(path, now_ms=now_ms, busy_timeout_ms=0, connection_class=connection_class)
        self._loop = asyncio.get_running_loop()
        self._pace = pace
        self._broke = broke
        self._waiting: deque[_Waiting] = deque()
        self._in_hand: list[_Waiting] = []
        self._closing = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._beat = self._loop.call_later(ALIVE_EVERY_S, self._give_sign)
        self.durable = False
        """Whether what is in hand stands already and only waits to be answered."""
        self.settling = False
        """Whether a batch is undecided; then a transaction may be open, which locks the file."""

    @property
    def epoch(self) -> int:
        return self._batches.epoch

    @property
    def in_flight(self) -> int:
        """How many writes are on their way to the disk or back."""
        return len(self._in_hand)

    async def write(self, write: Write) -> None:
        """See `app/store/writer.py`."""
        if self._closing:
            raise StoreClosed
        if len(self._waiting) + len(self._in_hand) >= MAX_WAITING_COMMITS:
            raise StoreBusy(max_waiting=MAX_WAITING_COMMITS)
        waiting = _Waiting(write, self._loop.create_future())
        self._waiting.append(waiting)
        self._go_on()
        await waiting.answer

    async def close(self) -> None:
        """Write what waits, then let the database go."""
        self._closing = True
        await self._idle.wait()
        self._beat.cancel()
        self._batches.close()

    def drop(self) -> None:
        """Let go of the file of a process that is dead."""
        self._batches.close()

    def _go_on(self) -> None:
        if self._waiting and not self._in_hand:
            self._idle.clear()
            self._in_hand.append(self._waiting.popleft())
            self._loop.call_later(self._pace.gather_us() / 1_000_000, self._commit)

    def _commit(self) -> None:
        """Take with it what came meanwhile, and commit it. The answer takes as long as the disk does."""
        while self._waiting and len(self._in_hand) < MAX_COMMIT_BATCH:
            self._in_hand.append(self._waiting.popleft())
        try:
            results = self._batches.run([waiting.write for waiting in self._in_hand])
        except Undecided as undecided:
            self._settle(undecided.results, tries=0)
        except Exception:  # noqa: BLE001 - whatever ends a writer's thread ends this one, and nobody may wait for it
            self._bury()
        else:
            self._answer_later(results)

    def _settle(self, results: list[AvenueError | None], *, tries: int) -> None:
        """Ask the database until it tells whether the batch stands."""
        self.settling = True
        try:
            stands = self._batches.settle()
        except Unsettled:
            pause_ms = SETTLE_PAUSES_MS[min(tries, len(SETTLE_PAUSES_MS) - 1)]
            self._loop.call_later(pause_ms / 1_000, lambda: self._settle(results, tries=tries + 1))
        except Exception:  # noqa: BLE001 - see `_commit`
            self._bury()
        else:
            self.settling = False
            self._answer_later(results if stands else [CommitFailed(reason="not_kept") for _ in results])

    def _answer_later(self, results: Sequence[AvenueError | None]) -> None:
        self.durable = True
        self._loop.call_later(self._pace.sync_us() / 1_000_000, self._hand_back, results)

    def _hand_back(self, results: Sequence[AvenueError | None]) -> None:
        in_hand, self._in_hand = self._in_hand, []
        self.durable = False
        for waiting, error in zip(in_hand, results, strict=True):
            _answer(waiting, error)
        if not self._waiting:
            self._idle.set()
        self._go_on()

    def _bury(self) -> None:
        self._closing = True
        self._beat.cancel()
        in_hand, self._in_hand = self._in_hand, []
        for waiting in in_hand:
            _answer(waiting, CommitUnknown())
        while self._waiting:
            _answer(self._waiting.popleft(), CommitFailed(reason="writer_ended"))
        self._batches.close()
        self._idle.set()
        self._broke()

    def _give_sign(self) -> None:
        if not self._in_hand:
            self._batches.beat()
        self._beat = self._loop.call_later(ALIVE_EVERY_S, self._give_sign)


def _answer(waiting: _Waiting, error: AvenueError | None) -> None:
    if waiting.answer.done():
        return
    if error is None:
        waiting.answer.set_result(None)
    else:
        waiting.answer.set_exception(error)


class InlineDatabase(Database):
    """Reads of a process in a simulated world; without a process around it, at once and for reading alone."""

    def __init__(
        self,
        path: Path,
        writer: InlineWriter | None = None,
        *,
        read_us: Callable[[], int] | None = None,
        works: Callable[[], None] = lambda: None,
    ) -> None:
        self._engine = reading_engine(path)
        self._dialect = DIALECT
        if writer is not None:
            self._writer = writer
        self._read_us = read_us
        self._works = works

    @asynccontextmanager
    async def read(self, *, max_ms: int | None = MAX_READ_MS) -> AsyncIterator[AsyncConnection]:
        """See `app/store/database.py`."""
        if self._read_us is not None:
            await asyncio.sleep(self._read_us() / 1_000_000)
        self._works()
        with self._engine.connect() as connection:
            yield cast("AsyncConnection", InlineConnection(connection, self._works))

    async def close(self) -> None:
        self._engine.dispose()

    def drop(self) -> None:
        self._engine.dispose()


class InlineConnection:
    """A connection that can be awaited and never makes anyone wait."""

    def __init__(self, connection: Connection, works: Callable[[], None]) -> None:
        self._connection = connection
        self._works = works

    async def execute(self, statement: Any, parameters: Any = None) -> CursorResult[Any]:
        self._works()
        return self._connection.execute(statement, parameters)


def reading_engine(path: Path) -> Engine:
    """One connection to a file that can only read it, a snapshot each time."""
    engine = create_engine(
        sync_url(path), poolclass=StaticPool, hide_parameters=True, connect_args={"isolation_level": None}
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA query_only = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def done(waited: Awaitable[Any]) -> Any:
    """The result of something that can be awaited and never waits."""
    try:
        waited.__await__().send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits for something")
