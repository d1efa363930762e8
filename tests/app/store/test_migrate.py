from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from app.store import migrate
from app.store.errors import StoreInUse, WrongSchema
from app.store.lock import DatabaseLock
from tests.app.store.house import url_of


def test_a_database_is_made_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "avenue.db"
    assert migrate.current(url_of(path)) is None
    assert not path.exists(), "to look makes nothing"
    with pytest.raises(WrongSchema):
        migrate.check(url_of(path))
    migrate.upgrade(url_of(path))
    assert migrate.current(url_of(path)) == migrate.head()
    migrate.check(url_of(path))


def test_to_migrate_again_changes_nothing(path: Path) -> None:
    before = path.read_bytes()
    migrate.upgrade(url_of(path))
    assert path.read_bytes() == before


def test_nobody_migrates_under_a_running_server(path: Path) -> None:
    with DatabaseLock(path):
        with pytest.raises(StoreInUse):
            migrate.upgrade(url_of(path))
        migrate.check(url_of(path))


def test_a_migration_that_breaks_off_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "avenue.db"
    connection = sqlite3.connect(path)
    # The journal's table is one of the last to be made: something that stands in its way breaks the migration there.
    connection.execute("CREATE TABLE journal (mine TEXT)")
    connection.commit()
    with pytest.raises(Exception, match="table journal already exists"):
        migrate.upgrade(url_of(path))
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("journal",)]
    connection.close()
    assert migrate.current(url_of(path)) is None


def test_a_path_may_hold_any_characters(tmp_path: Path) -> None:
    path = tmp_path / "50% off, a b" / "avenue.db"
    migrate.upgrade(url_of(path))
    assert path.exists()


def test_a_new_database_keeps_its_journal_beside_it(path: Path) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
