from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.store import migrate
from app.store import writer as writer_module
from app.store.errors import StoreBusy, StoreClosed, StoreInUse, WrongSchema
from app.store.opening import open_store
from app.store.urls import label_of
from app.store.writer import SqliteWriter
from app.store.writes import Write
from engine.table.errors import CommitFailed, CommitRefused, CommitUnknown
from tests.app.store.flaky import Flaw, Flaws, disk_broken, disk_full, thread_dies
from tests.app.store.house import url_of
from tests.app.store.places import KEYS, Place
from tests.app.store.small_writes import add
from tests.app.store.test_sqlite_batches import names_in
from tests.fakes import VirtualClock


@pytest.fixture
def flaws() -> Flaws:
    return Flaws()


@pytest.fixture
async def writer(path: Path, flaws: Flaws, clock: VirtualClock) -> AsyncIterator[SqliteWriter]:
    made = SqliteWriter(path, now_ms=clock.now_ms, connection_class=flaws.connection_class())
    await made.start()
    yield made
    await made.close()


class Held:
    """Keeps the writer's thread at its next commit until it is let go."""

    def __init__(self, flaws: Flaws) -> None:
        self._reached = threading.Event()
        self._go = threading.Event()
        flaws.plan(Flaw("COMMIT", before=self._wait))

    async def reached(self) -> None:
        assert await asyncio.to_thread(self._reached.wait, 10)

    def release(self) -> None:
        self._go.set()

    def _wait(self) -> None:
        self._reached.set()
        assert self._go.wait(10)


def later(*writes: Write, to: SqliteWriter) -> list[asyncio.Task[None]]:
    return [asyncio.ensure_future(to.write(write)) for write in writes]


async def outcomes(tasks: list[asyncio.Task[None]]) -> list[str | None]:
    """The code of each refusal or fault, None where the write stands."""
    found = await asyncio.gather(*tasks, return_exceptions=True)
    return [None if one is None else getattr(one, "code", repr(one)) for one in found]


async def test_a_write_is_durable_when_it_is_answered(path: Path, writer: SqliteWriter) -> None:
    await writer.write(add("ann"))
    assert names_in(path) == ["ann"]


async def test_nobody_is_answered_before_the_commit(path: Path, writer: SqliteWriter, flaws: Flaws) -> None:
    held = Held(flaws)
    tasks = later(add("ann"), add("ann"), to=writer)
    await held.reached()
    assert not any(task.done() for task in tasks), "also the refused one waits: what it was refused by may not stand"
    assert names_in(path) == []
    held.release()
    assert await outcomes(tasks) == [None, "account/name_taken"]


async def test_what_waits_shares_the_next_commit(path: Path, writer: SqliteWriter, flaws: Flaws) -> None:
    held = Held(flaws)
    first = later(add("first"), to=writer)
    await held.reached()
    commits = flaws.statements.count("COMMIT")
    others = later(*(add(f"p{number:02}") for number in range(50)), to=writer)
    await asyncio.sleep(0)
    held.release()
    assert await outcomes(first + others) == [None] * 51
    assert flaws.statements.count("COMMIT") - commits == 1
    assert len(names_in(path)) == 51


async def test_a_refusal_among_fifty_good_ones_is_refused_alone(path: Path, writer: SqliteWriter, flaws: Flaws) -> None:
    await writer.write(add("taken"))
    held = Held(flaws)
    first = later(add("first"), to=writer)
    await held.reached()
    tasks = later(
        *(add(f"p{number:02}") for number in range(25)),
        Write("half good", (*add("lost").steps, *add("taken").steps)),
        *(add(f"p{number:02}") for number in range(25, 50)),
        to=writer,
    )
    await asyncio.sleep(0)
    held.release()
    assert await outcomes(first + tasks) == [None] * 26 + ["account/name_taken"] + [None] * 25
    assert names_in(path) == sorted(["taken", "first", *(f"p{number:02}" for number in range(50))])


async def test_a_batch_has_a_bound(
    path: Path, writer: SqliteWriter, flaws: Flaws, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "MAX_COMMIT_BATCH", 10)
    held = Held(flaws)
    first = later(add("first"), to=writer)
    await held.reached()
    commits = flaws.statements.count("COMMIT")
    tasks = later(*(add(f"p{number}") for number in range(25)), to=writer)
    await asyncio.sleep(0)
    held.release()
    assert await outcomes(first + tasks) == [None] * 26
    assert flaws.statements.count("COMMIT") - commits == 3


async def test_more_than_may_wait_is_refused_at_once(
    path: Path, writer: SqliteWriter, flaws: Flaws, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "MAX_WAITING_COMMITS", 3)
    held = Held(flaws)
    tasks = later(add("a"), add("b"), add("c"), to=writer)
    await held.reached()
    with pytest.raises(StoreBusy) as caught:
        await writer.write(add("d"))
    assert caught.value.fields == {"max_waiting": 3}
    assert isinstance(caught.value, CommitFailed), "a table goes on as before"
    held.release()
    assert await outcomes(tasks) == [None] * 3
    await writer.write(add("d"))
    assert names_in(path) == ["a", "b", "c", "d"]


async def test_closing_writes_what_waits(path: Path, writer: SqliteWriter, flaws: Flaws) -> None:
    held = Held(flaws)
    tasks = later(*(add(f"p{number}") for number in range(5)), to=writer)
    await held.reached()
    closing = asyncio.ensure_future(writer.close())
    await asyncio.sleep(0)
    with pytest.raises(StoreClosed):
        await writer.write(add("late"))
    held.release()
    assert await outcomes([*tasks, closing]) == [None] * 6
    assert names_in(path) == [f"p{number}" for number in range(5)]
    await writer.wait_ended()
    await writer.close()


async def test_who_stops_waiting_does_not_take_the_write_back(path: Path, writer: SqliteWriter, flaws: Flaws) -> None:
    held = Held(flaws)
    (task,) = later(add("ann"), to=writer)
    await held.reached()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    held.release()
    await writer.write(add("bob"))
    assert names_in(path) == ["ann", "bob"]


async def test_a_commit_that_failed_is_told_as_failed(path: Path, writer: SqliteWriter, flaws: Flaws) -> None:
    flaws.plan(Flaw("COMMIT", before=disk_full))
    assert await outcomes(later(add("ann"), to=writer)) == ["fault/commit_failed"]
    assert names_in(path) == []
    await writer.write(add("ann"))


async def test_a_commit_whose_answer_was_lost_is_told_as_done(path: Path, writer: SqliteWriter, flaws: Flaws) -> None:
    flaws.plan(Flaw("COMMIT", after=disk_broken))
    assert await outcomes(later(add("ann"), to=writer)) == [None]
    assert names_in(path) == ["ann"]


async def test_while_a_commit_is_undecided_everybody_waits(
    path: Path, writer: SqliteWriter, flaws: Flaws, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "SETTLE_PAUSES_MS", (1,))
    asked = Flaw("SELECT server_epochs.batch", before=disk_broken)
    flaws.plan(Flaw("COMMIT", after=disk_broken), asked, asked, asked)
    tasks = later(add("ann"), to=writer)
    assert await outcomes(tasks + later(add("bob"), to=writer)) == [None, None]
    assert names_in(path) == ["ann", "bob"]


async def test_a_commit_that_stays_undecided_is_told_as_unknown(writer: SqliteWriter, flaws: Flaws) -> None:
    asking = threading.Event()

    def broken_for_good() -> None:
        flaws.plan(Flaw("SELECT server_epochs.batch", before=broken_for_good))
        asking.set()
        disk_broken()

    flaws.plan(Flaw("COMMIT", before=disk_full), Flaw("SELECT server_epochs.batch", before=broken_for_good))
    tasks = later(add("ann"), to=writer)
    assert await asyncio.to_thread(asking.wait, 10)
    await writer.close()
    assert await outcomes(tasks) == ["fault/commit_unknown"]


async def test_when_the_thread_dies_everybody_is_told(path: Path, writer: SqliteWriter, flaws: Flaws) -> None:
    held = Held(flaws)
    first = later(add("first"), to=writer)
    await held.reached()
    flaws.plan(Flaw("INSERT INTO players", before=thread_dies))
    in_hand = later(add("ann"), add("bob"), to=writer)
    await asyncio.sleep(0)
    held.release()
    assert await outcomes(first) == [None]
    assert set(await outcomes(in_hand)) <= {"fault/commit_unknown", "fault/commit_failed"}
    with pytest.raises(RuntimeError, match="the thread dies here"):
        await writer.wait_ended()
    with pytest.raises(StoreClosed):
        await writer.write(add("cid"))
    await writer.close()
    assert names_in(path) == ["first"]


async def test_what_the_dead_thread_never_took_has_surely_failed(
    writer: SqliteWriter, flaws: Flaws, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "MAX_COMMIT_BATCH", 1)
    held = Held(flaws)
    first = later(add("first"), to=writer)
    await held.reached()
    flaws.plan(Flaw("INSERT INTO players", before=thread_dies))
    tasks = later(add("ann"), add("bob"), add("cid"), to=writer)
    await asyncio.sleep(0)
    held.release()
    assert await outcomes(first + tasks) == [None, "fault/commit_unknown", "fault/commit_failed", "fault/commit_failed"]


async def test_the_log_tells_what_and_where_and_no_row(writer: SqliteWriter, flaws: Flaws) -> None:
    flaws.plan(Flaw("INSERT INTO players", before=thread_dies))
    with capture_logs() as logged:
        assert await outcomes(later(add("As-Kd"), to=writer)) == ["fault/commit_unknown"]
    (entry,) = logged
    assert entry["event"] == "the writer died"
    assert entry["error"] == "RuntimeError"
    assert any(place.startswith("app.store.sqlite_batches:") for place in entry["where"])
    assert "As-Kd" not in repr(logged)


async def test_a_second_writer_in_this_process_is_refused(
    path: Path, writer: SqliteWriter, clock: VirtualClock
) -> None:
    second = SqliteWriter(path, now_ms=clock.now_ms)
    with pytest.raises(StoreInUse):
        await second.start()
    await second.close()
    await writer.write(add("ann"))
    assert names_in(path) == ["ann"]


PROGRAM = """
import asyncio, sys
from app.store.opening import open_store

async def main():
    store = await open_store(sys.argv[1], now_ms=lambda: 1, sealing_keys=sys.argv[2])
    print("open", flush=True)
    sys.stdin.readline()

asyncio.run(main())
"""
ROOT = Path(__file__).resolve().parents[3]


async def test_a_second_server_is_refused_with_a_clear_line(place: Place, clock: VirtualClock) -> None:
    other = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, place.url, KEYS), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    assert await other.stdout.readline() == b"open\n"
    with pytest.raises(StoreInUse) as caught:
        await place.open(clock)
    label = label_of(place.url)
    assert str(caught.value) == f"{label} is in use by process {other.pid}: one server at a time may write to it"
    with pytest.raises(StoreInUse) as caught:
        migrate.upgrade(place.url)
    assert f"process {other.pid}:" in str(caught.value)
    other.kill()
    await other.wait()
    store = await place.open(clock)
    assert store.writer.epoch == 2, "a lock ends with its process, however that ends"
    await store.close()


async def test_an_empty_database_is_refused(tmp_path: Path, clock: VirtualClock) -> None:
    with pytest.raises(WrongSchema):
        await open_store(url_of(tmp_path / "none.db"), now_ms=clock.now_ms)


async def test_an_idle_writer_says_that_it_lives(
    place: Place, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "ALIVE_EVERY_MS", 1)
    store = await place.open(clock)
    await store.writer.write(add("ann"))
    clock.pass_over(5_000)
    for _ in range(1_000):
        if place.sql("SELECT max(alive_ms) FROM server_epochs") == [(clock.now_ms(),)]:
            break
        await asyncio.sleep(0.002)
    assert place.sql("SELECT max(alive_ms) FROM server_epochs") == [(clock.now_ms(),)]
    await store.close()


async def test_what_a_write_is_refused_by_is_told_to_its_own_asker(writer: SqliteWriter) -> None:
    await writer.write(add("ann"))
    with pytest.raises(CommitRefused) as caught:
        await writer.write(add("ann"))
    assert caught.value.code == "account/name_taken"
    assert not isinstance(caught.value, CommitUnknown)
