"""The one writer of a process: a thread that gathers whatever waits into the next group commit.

While one batch is on its way to the disk the next one gathers, so the more tables play, the more of them share a sync
of the disk. A write is answered after its batch is durable and never before; what one write is refused touches no
other.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from itertools import chain, repeat
from pathlib import Path
from queue import Empty, SimpleQueue
from traceback import walk_tb
from typing import Any, NamedTuple, Protocol

import structlog
from sqlalchemy import URL

from app.store.batches import Batches, Undecided, Unsettled
from app.store.errors import StoreBusy, StoreClosed
from app.store.lock import DatabaseLock
from app.store.pipeline import Pipeline
from app.store.postgres_batches import PostgresBatches
from app.store.postgres_sessions import PATIENCE, Patience
from app.store.sqlite_batches import SqliteBatches
from app.store.writes import Write
from engine.limits import MAX_BUSY_MS, MAX_COMMIT_BATCH, MAX_WAITING_COMMITS
from engine.rules.errors import AvenueError
from engine.table.errors import CommitFailed, CommitUnknown

log = structlog.get_logger(__name__)

SETTLE_PAUSES_MS = (10, 20, 50, 100, 200, 500, 1_000)
"""How long to wait before the next try to read back an undecided batch; the last one again and again."""


ALIVE_EVERY_MS = 1_000
"""How often a writer with nothing to do says that it lives: so the moment of a crash is known to within that."""


class Writer(Protocol):
    """Keeps writes. `epoch` is the number of its start, which every table that it owns carries."""

    @property
    def epoch(self) -> int: ...

    async def write(self, write: Write) -> None:
        """Keep the write: when this returns it is durable.

        Raises what the write's own verdicts say (`CommitRefused`, `StaleOwner`, `CommitFailed`), `CommitFailed` too
        when its whole batch surely did not happen, `StoreBusy` and `StoreClosed` before anything was tried, and
        `CommitUnknown` if the writer ended before it could tell. Who stops waiting does not take the write back.
        """
        ...


class _Waiting(NamedTuple):
    write: Write
    answer: asyncio.Future[None]


class _Stop:
    """The last thing in the queue."""


class BatchWriter:
    """The writer of a database. `start` it in the event loop that will use it, and `close` it at the end.

    `opened` takes the database for this process and lets it go at the end; it is entered and left in the thread.
    """

    def __init__(self, opened: AbstractContextManager[Batches]) -> None:
        self._opened = opened
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[_Waiting | _Stop] = SimpleQueue()
        self._waiting = 0
        self._closing = threading.Event()
        self._started: asyncio.Future[int] = self._loop.create_future()
        self._ended = asyncio.Event()
        self._death: BaseException | None = None
        # What the thread has taken from the queue and not answered; others look at it only when the thread is gone.
        self._in_hand: Sequence[_Waiting] = ()
        self._thread = threading.Thread(target=self._live, name="store-writer", daemon=True)

    async def start(self) -> None:
        """Take the database for this process, with a new epoch, and begin to write.

        The schema must be there. Raises `StoreInUse` if another process has the database, `StoreUnsafe` if it does not
        keep safely, `StoreUnreachable` if it does not answer.
        """
        self._thread.start()
        await asyncio.shield(self._started)

    @property
    def epoch(self) -> int:
        return self._started.result()

    async def write(self, write: Write) -> None:
        """See `Writer.write`."""
        if self._closing.is_set():
            raise StoreClosed
        if self._waiting >= MAX_WAITING_COMMITS:
            raise StoreBusy(max_waiting=MAX_WAITING_COMMITS)
        answer: asyncio.Future[None] = self._loop.create_future()
        self._waiting += 1
        self._queue.put(_Waiting(write, answer))
        await answer

    async def close(self) -> None:
        """Write what waits, then let the database go. Whoever writes from now on gets `StoreClosed`."""
        if not self._closing.is_set():
            self._closing.set()
            self._queue.put(_Stop())
        await self._ended.wait()
        self._thread.join()

    async def wait_ended(self) -> None:
        """Wait until nothing is written any more. Raises what the writer died of: a server without one must stop."""
        await self._ended.wait()
        if self._death is not None:
            raise self._death

    def _live(self) -> None:
        """The thread's whole life; what ends it early is told to everyone who waits."""
        try:
            with self._opened as batches:
                self._tell(self._started.set_result, batches.epoch)
                self._work(batches)
        except BaseException as error:  # noqa: BLE001 - it goes to the loop, which passes it on
            self._tell(self._bury, error)
        else:
            self._tell(self._bury, None)

    def _work(self, batches: Batches) -> None:
        while batch := self._gather(batches):
            self._in_hand = batch
            results = self._keep(batches, [waiting.write for waiting in batch])
            self._in_hand = ()
            self._tell(self._hand_back, batch, results)

    def _gather(self, batches: Batches) -> list[_Waiting]:
        """Wait for a write and take with it what came meanwhile; nothing when it is time to stop."""
        batch: list[_Waiting] = []
        item = self._next(batches)
        while isinstance(item, _Waiting):
            batch.append(item)
            if len(batch) == MAX_COMMIT_BATCH:
                return batch
            try:
                item = self._queue.get_nowait()
            except Empty:
                return batch
        if batch:
            self._queue.put(item)
        return batch

    def _next(self, batches: Batches) -> _Waiting | _Stop:
        """Wait for the next in the queue, and give signs of life meanwhile; a batch is one by itself."""
        while True:
            try:
                return self._queue.get(timeout=ALIVE_EVERY_MS / 1_000)
            except Empty:
                batches.beat()

    def _keep(self, batches: Batches, writes: list[Write]) -> Sequence[AvenueError | None]:
        try:
            return batches.run(writes)
        except Undecided as undecided:
            log.error("a commit went wrong, reading back whether it stands", writes=len(writes), **_told(undecided))
            stands = self._settle(batches)
            log.error("the commit is decided", writes=len(writes), stands=stands)
            if stands is None:
                return [CommitUnknown() for _ in writes]
            return undecided.results if stands else [CommitFailed(reason="not_kept") for _ in writes]

    def _settle(self, batches: Batches) -> bool | None:
        """Ask the database until it tells; None if the writer is closed before that."""
        for pause_ms in chain(SETTLE_PAUSES_MS, repeat(SETTLE_PAUSES_MS[-1])):
            try:
                return batches.settle()
            except Unsettled as error:
                if self._closing.wait(pause_ms / 1_000):
                    log.error("the commit stays undecided", **_told(error))
                    return None
        raise AssertionError("the pauses never end")

    def _tell(self, tell: Callable[..., object], *what: object) -> None:
        """Call something in the event loop. A loop that is closed has nobody left who waits."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(tell, *what)

    def _hand_back(self, batch: Sequence[_Waiting], results: Sequence[AvenueError | None]) -> None:
        self._waiting -= len(batch)
        for (_, answer), error in zip(batch, results, strict=True):
            if answer.done():
                continue
            if error is None:
                answer.set_result(None)
            else:
                answer.set_exception(error)

    def _bury(self, death: BaseException | None) -> None:
        """The thread is gone: nobody may wait for it any more."""
        self._closing.set()
        self._death = death
        if death is not None and not self._started.done():
            self._started.set_exception(death)
        elif death is not None:
            log.critical("the writer died", **_told(death))
        in_hand, self._in_hand = self._in_hand, ()
        self._hand_back(in_hand, [CommitUnknown() for _ in in_hand])
        while True:
            try:
                item = self._queue.get_nowait()
            except Empty:
                break
            if isinstance(item, _Waiting):
                self._hand_back([item], [CommitFailed(reason="writer_ended")])
        self._ended.set()


class SqliteWriter(BatchWriter):
    """The writer of a SQLite file."""

    def __init__(
        self,
        path: Path,
        *,
        now_ms: Callable[[], int],
        busy_timeout_ms: int = MAX_BUSY_MS,
        connection_class: type[sqlite3.Connection] = sqlite3.Connection,
    ) -> None:
        @contextmanager
        def opened() -> Iterator[SqliteBatches]:
            with (
                DatabaseLock(path),
                closing(
                    SqliteBatches(
                        path, now_ms=now_ms, busy_timeout_ms=busy_timeout_ms, connection_class=connection_class
                    )
                ) as batches,
            ):
                yield batches

        super().__init__(opened())


class PostgresWriter(BatchWriter):
    """The writer of a PostgreSQL database. One at a time may be there: its connection holds the database's lock."""

    def __init__(
        self,
        url: URL,
        *,
        now_ms: Callable[[], int],
        pipeline_class: type[Pipeline] = Pipeline,
        patience: Patience = PATIENCE,
    ) -> None:
        @contextmanager
        def opened() -> Iterator[PostgresBatches]:
            with closing(
                PostgresBatches(url, now_ms=now_ms, pipeline_class=pipeline_class, patience=patience)
            ) as batches:
                yield batches

        super().__init__(opened())


def _told(error: BaseException) -> dict[str, Any]:
    """An error for the log: what it is and where, and nothing of the rows that its frames hold."""
    cause = error.__cause__ or error
    return {
        "error": type(cause).__qualname__,
        "code": getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None),
        "where": [f"{frame.f_globals.get('__name__')}:{line}" for frame, line in walk_tb(cause.__traceback__)],
    }
