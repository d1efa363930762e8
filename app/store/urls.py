"""One URL says where everything is kept; each library wants it in a form of its own.

`sqlite:///var/avenue.db` is a file, `postgresql://user:password@host/database` a database of a server.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from app.store.errors import BadDatabaseUrl


def place_of(url: str) -> Path | URL:
    """Where everything is kept: the file of SQLite, or the URL of a PostgreSQL database. Raises `BadDatabaseUrl`."""
    # What a provider of PostgreSQL hands out often begins so.
    parsed = _parsed(url.replace("postgres://", "postgresql://", 1) if url.startswith("postgres://") else url)
    match parsed.get_backend_name():
        case "sqlite":
            return _file(parsed)
        case "postgresql":
            return _server(parsed)
        case _:
            raise BadDatabaseUrl(reason="unknown_database")


def label_of(url: str) -> str:
    """A URL for people to read: the file, or the server and its database; never a password. Raises `BadDatabaseUrl`."""
    place = place_of(url)
    return str(place) if isinstance(place, Path) else server_label(place)


def server_label(url: URL) -> str:
    """A PostgreSQL database by its host and name alone."""
    host = url.host or url.query.get("host") or "localhost"
    return f"{host if isinstance(host, str) else ','.join(host)}{f':{url.port}' if url.port else ''}/{url.database}"


def async_url(path: Path) -> URL:
    """The URL of a SQLite file for SQLAlchemy's async engine."""
    return URL.create("sqlite+aiosqlite", database=str(path))


def sync_url(path: Path) -> URL:
    """The URL of a SQLite file for what waits, such as migrations."""
    return URL.create("sqlite+pysqlite", database=str(path))


def _parsed(url: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        # A port that is no number is told with the whole URL in the message.
        raise BadDatabaseUrl(reason="unreadable") from None


def _file(url: URL) -> Path:
    """Absolute and with links resolved. A database in memory keeps nothing, and each connection has one of its own."""
    if not url.database or url.database == ":memory:" or url.query:
        raise BadDatabaseUrl(reason="not_a_file")
    return Path(url.database).resolve()


def _server(url: URL) -> URL:
    """Whichever driver it names, there is one here."""
    if not url.database:
        raise BadDatabaseUrl(reason="no_database")
    return url.set(drivername="postgresql+psycopg")
