"""What is SQLite's own about group commits; `test_batches.py` has what holds everywhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.store.batches import Undecided, Unsettled
from app.store.errors import StoreUnsafe
from app.store.sqlite_batches import SqliteBatches
from app.store.writes import Write
from engine.table.errors import CommitFailed
from tests.app.store.flaky import Flaw, Flaws, disk_broken, disk_full
from tests.app.store.house import Template
from tests.app.store.small_writes import Clock, add, codes, rename


@pytest.fixture
def flaws() -> Flaws:
    return Flaws()


@pytest.fixture
def batches(path: Path, flaws: Flaws) -> Iterator[SqliteBatches]:
    made = SqliteBatches(path, now_ms=Clock(), connection_class=flaws.connection_class())
    yield made
    made.close()


def names_in(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    found = [name for (name,) in connection.execute("SELECT name FROM players ORDER BY id")]
    connection.close()
    return found


def epoch_row(path: Path, epoch: int) -> tuple[int, int, int]:
    connection = sqlite3.connect(path)
    row = connection.execute("SELECT started_ms, alive_ms, batch FROM server_epochs WHERE epoch = ?", (epoch,))
    found: tuple[int, int, int] = row.fetchone()
    connection.close()
    return found


def test_a_batch_is_one_transaction(path: Path, batches: SqliteBatches, flaws: Flaws) -> None:
    assert batches.run([add("ann"), add("bob", "cid")]) == [None, None]
    assert names_in(path) == ["ann", "bob", "cid"]
    assert flaws.statements.count("COMMIT") == 2, "one to take the epoch, one for the batch"


def test_a_batch_of_refusals_is_not_committed(path: Path, batches: SqliteBatches, flaws: Flaws) -> None:
    results = batches.run([add("ann", kind="ghost"), Write("none", (rename("bob", "Bob"),))])
    assert codes(results) == ["account/unknown_kind", "account/unknown"]
    assert flaws.statements[-1] == "ROLLBACK"
    assert epoch_row(path, batches.epoch)[2] == 0


@pytest.mark.parametrize("at", ["BEGIN IMMEDIATE", "INSERT INTO players", "UPDATE server_epochs", "RELEASE"])
def test_a_disk_that_fails_before_the_commit_fails_the_batch(
    path: Path, batches: SqliteBatches, flaws: Flaws, at: str
) -> None:
    flaws.plan(Flaw(at, before=lambda: _raise_full()))
    results = batches.run([add("ann"), add("bob")])
    assert all(isinstance(result, CommitFailed) for result in results)
    assert results[0] is not results[1]
    assert names_in(path) == []
    assert batches.run([add("ann"), add("bob")]) == [None, None], "and it goes on by itself"
    assert names_in(path) == ["ann", "bob"]


def test_an_error_that_is_still_remembered_holds_no_lock(path: Path, flaws: Flaws) -> None:
    """It holds on to the frames that it came through, and they to the cursor: so its transaction would stay open."""
    batches = SqliteBatches(path, now_ms=Clock(), busy_timeout_ms=0, connection_class=flaws.connection_class())
    flaws.plan(Flaw("RELEASE", before=_raise_full))
    remembered = batches.run([add("ann", "bob")])
    assert isinstance(remembered[0], CommitFailed)
    assert batches.run([add("ann", "bob")]) == [None]
    batches.close()
    assert names_in(path) == ["ann", "bob"]


def _raise_full() -> None:
    """As SQLite tells it, with the number by which a broken statement is told from a broken disk."""
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    error.sqlite_errorname = "SQLITE_FULL"
    raise error


def test_a_commit_that_failed_is_settled_as_not_standing(path: Path, batches: SqliteBatches, flaws: Flaws) -> None:
    flaws.plan(Flaw("COMMIT", before=disk_full))
    with pytest.raises(Undecided) as caught:
        batches.run([add("ann"), add("ann")])
    assert codes(caught.value.results) == [None, "account/name_taken"]
    assert batches.settle() is False
    assert epoch_row(path, batches.epoch)[2] == 2, "a commit stands over whatever the failed one left behind"
    assert names_in(path) == []
    assert batches.run([add("ann")]) == [None]
    assert epoch_row(path, batches.epoch)[2] == 3, "the number of the lost batch is never used again"


def test_a_commit_whose_answer_was_lost_is_settled_as_standing(
    path: Path, batches: SqliteBatches, flaws: Flaws
) -> None:
    flaws.plan(Flaw("COMMIT", after=disk_broken))
    with pytest.raises(Undecided):
        batches.run([add("ann")])
    assert batches.settle() is True
    assert names_in(path) == ["ann"]
    assert batches.run([add("bob")]) == [None]
    assert epoch_row(path, batches.epoch)[2] == 2


@pytest.mark.parametrize("lost", ["before", "after"])
def test_settling_may_fail_too_and_is_tried_again(path: Path, batches: SqliteBatches, flaws: Flaws, lost: str) -> None:
    again = Flaw("COMMIT", before=disk_full) if lost == "before" else Flaw("COMMIT", after=disk_broken)
    flaws.plan(Flaw("COMMIT", before=disk_full), Flaw("SELECT server_epochs.batch", before=disk_broken), again)
    with pytest.raises(Undecided):
        batches.run([add("ann")])
    for _ in range(2):
        with pytest.raises(Unsettled):
            batches.settle()
    assert batches.settle() is False
    assert names_in(path) == []
    assert batches.run([add("bob")]) == [None]
    assert names_in(path) == ["bob"]


def test_a_batch_and_a_beat_are_signs_of_life(path: Path, batches: SqliteBatches, flaws: Flaws) -> None:
    started_ms, alive_ms, _ = epoch_row(path, batches.epoch)
    assert started_ms == alive_ms
    batches.run([add("ann")])
    after_batch_ms = epoch_row(path, batches.epoch)[1]
    batches.beat()
    after_beat_ms = epoch_row(path, batches.epoch)[1]
    assert alive_ms < after_batch_ms < after_beat_ms
    flaws.plan(Flaw("UPDATE server_epochs", before=disk_broken))
    batches.beat()
    assert epoch_row(path, batches.epoch)[1] == after_beat_ms
    assert batches.run([add("bob")]) == [None], "a beat that failed is no harm"


class Careless(sqlite3.Connection):
    """A SQLite that does not sync when it is told to."""

    def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
        return super().execute(sql.replace("synchronous = FULL", "synchronous = OFF"))


def test_a_database_below_full_is_refused(path: Path) -> None:
    with pytest.raises(StoreUnsafe) as caught:
        SqliteBatches(path, now_ms=Clock(), connection_class=Careless)
    assert caught.value.fields == {"setting": "synchronous", "found": 0, "wanted": 2}


def test_a_database_in_memory_is_refused() -> None:
    with pytest.raises(StoreUnsafe) as caught:
        SqliteBatches(Path(":memory:"), now_ms=Clock())
    assert caught.value.fields["setting"] == "journal_mode"


def test_another_writer_is_waited_for_and_then_given_up(template: Template, tmp_path: Path) -> None:
    path = template.copy(tmp_path / "busy.db")
    batches = SqliteBatches(path, now_ms=Clock(), busy_timeout_ms=20)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    (result,) = batches.run([add("ann")])
    assert isinstance(result, CommitFailed)
    assert result.fields == {"reason": "not_written", "error": "SQLITE_BUSY"}
    other.execute("ROLLBACK")
    other.close()
    assert batches.run([add("ann")]) == [None]
    batches.close()
