from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import URL

from app.store.errors import BadDatabaseUrl
from app.store.urls import async_url, label_of, place_of, sync_url


def test_a_file_is_named_from_the_working_directory_or_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert place_of("sqlite:///var/avenue.db") == tmp_path.resolve() / "var" / "avenue.db"
    assert place_of("sqlite:////srv/avenue.db") == Path("/srv/avenue.db")


def test_two_names_of_one_file_are_one_file(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    assert place_of(f"sqlite:///{tmp_path}/link/a.db") == place_of(f"sqlite:///{tmp_path}/data/a.db")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "unreadable"),
        ("avenue.db", "unreadable"),
        ("mysql://me:secret@host/db", "unknown_database"),
        ("postgresql://me:secret@host:port/db", "unreadable"),
        ("postgresql://me:secret@host", "no_database"),
        ("sqlite://", "not_a_file"),
        ("sqlite:///:memory:", "not_a_file"),
        ("sqlite:///a.db?mode=memory", "not_a_file"),
    ],
)
def test_what_is_no_place_is_refused(url: str, reason: str) -> None:
    with pytest.raises(BadDatabaseUrl) as caught:
        place_of(url)
    assert caught.value.fields == {"reason": reason}
    assert "secret" not in f"{caught.value} {caught.value!r}"


def test_a_path_with_any_characters_stays_itself() -> None:
    path = Path("/srv/a b%20?#/avenue.db")
    assert async_url(path).database == sync_url(path).database == str(path)
    assert async_url(path).drivername == "sqlite+aiosqlite"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@host:5433/avenue?sslmode=require",
        "postgres://me:secret@host:5433/avenue?sslmode=require",
        "postgresql+asyncpg://me:secret@host:5433/avenue?sslmode=require",
    ],
)
def test_a_server_is_reached_by_the_one_driver_whatever_the_url_says(url: str) -> None:
    place = place_of(url)
    assert isinstance(place, URL)
    assert place.drivername == "postgresql+psycopg"
    assert (place.username, place.password, place.host, place.port) == ("me", "secret", "host", 5433)
    assert (place.database, place.query) == ("avenue", {"sslmode": "require"})


def test_a_label_names_the_place_and_no_password(tmp_path: Path) -> None:
    assert label_of(f"sqlite:///{tmp_path}/avenue.db") == str(tmp_path.resolve() / "avenue.db")
    assert label_of("postgresql://me:secret@host:5433/avenue") == "host:5433/avenue"
    assert label_of("postgresql:///avenue?host=/run/postgresql") == "/run/postgresql/avenue"
    assert label_of("postgresql:///avenue") == "localhost/avenue"
