from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from app.store.errors import StoreInUse
from app.store.lock import DatabaseLock, lock_path


def test_a_database_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    database = tmp_path / "avenue.db"
    with DatabaseLock(database), pytest.raises(StoreInUse) as caught:
        DatabaseLock(database).acquire()
    assert caught.value.fields == {"database": str(database), "pid": os.getpid()}
    with DatabaseLock(database):
        pass


def test_a_file_left_behind_locks_nobody_out(tmp_path: Path) -> None:
    database = tmp_path / "avenue.db"
    lock_path(database).write_text("4194304\n")
    with DatabaseLock(database):
        assert lock_path(database).read_text() == f"{os.getpid()}\n"
    assert lock_path(database).read_text() == ""


def test_two_databases_do_not_mind_each_other(tmp_path: Path) -> None:
    with DatabaseLock(tmp_path / "a.db"), DatabaseLock(tmp_path / "b.db"):
        pass


def test_nobody_else_may_read_the_lock(tmp_path: Path) -> None:
    with DatabaseLock(tmp_path / "a.db"):
        assert stat.S_IMODE(lock_path(tmp_path / "a.db").stat().st_mode) == 0o600


def test_to_release_twice_is_no_harm(tmp_path: Path) -> None:
    lock = DatabaseLock(tmp_path / "a.db")
    lock.acquire()
    lock.release()
    lock.release()
