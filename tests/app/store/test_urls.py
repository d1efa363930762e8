from __future__ import annotations

from pathlib import Path

import pytest

from app.store.errors import BadDatabaseUrl
from app.store.urls import async_url, sqlite_path, sync_url


def test_a_file_is_named_from_the_working_directory_or_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sqlite_path("sqlite:///var/avenue.db") == tmp_path.resolve() / "var" / "avenue.db"
    assert sqlite_path("sqlite:////srv/avenue.db") == Path("/srv/avenue.db")


def test_two_names_of_one_file_are_one_file(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    assert sqlite_path(f"sqlite:///{tmp_path}/link/a.db") == sqlite_path(f"sqlite:///{tmp_path}/data/a.db")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "unreadable"),
        ("avenue.db", "unreadable"),
        ("postgresql://me:secret@host/db", "not_sqlite"),
        ("sqlite://", "not_a_file"),
        ("sqlite:///:memory:", "not_a_file"),
        ("sqlite:///a.db?mode=memory", "not_a_file"),
    ],
)
def test_what_is_no_file_of_sqlite_is_refused(url: str, reason: str) -> None:
    with pytest.raises(BadDatabaseUrl) as caught:
        sqlite_path(url)
    assert caught.value.fields == {"reason": reason}
    assert "secret" not in f"{caught.value} {caught.value!r}"


def test_a_path_with_any_characters_stays_itself() -> None:
    path = Path("/srv/a b%20?#/avenue.db")
    assert async_url(path).database == sync_url(path).database == str(path)
    assert async_url(path).drivername == "sqlite+aiosqlite"
