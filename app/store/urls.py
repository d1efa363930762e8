"""One URL says where everything is kept; each library wants it in a form of its own."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from app.store.errors import BadDatabaseUrl


def sqlite_path(url: str) -> Path:
    """The file that a URL such as `sqlite:///var/avenue.db` names, absolute and with links resolved.

    Raises `BadDatabaseUrl`, also for a database in memory: it keeps nothing, and each connection has one of its own.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise BadDatabaseUrl(reason="unreadable") from None
    if parsed.get_backend_name() != "sqlite":
        raise BadDatabaseUrl(reason="not_sqlite")
    if not parsed.database or parsed.database == ":memory:" or parsed.query:
        raise BadDatabaseUrl(reason="not_a_file")
    return Path(parsed.database).resolve()


def async_url(path: Path) -> URL:
    """The URL of a SQLite file for SQLAlchemy's async engine."""
    return URL.create("sqlite+aiosqlite", database=str(path))


def sync_url(path: Path) -> URL:
    """The URL of a SQLite file for what waits, such as migrations."""
    return URL.create("sqlite+pysqlite", database=str(path))
