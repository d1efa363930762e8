"""Brings a database to the schema of this version, and says which one it has.

The history stands in the package `migrations`, which the wheel carries, so an installed server migrates itself without
any configuration file.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

import migrations
from app.store.errors import WrongSchema
from app.store.lock import DatabaseLock
from app.store.postgres_sessions import LOCK, connect, in_use, lock_holder
from app.store.tables import metadata
from app.store.urls import place_of, server_label, sync_url
from engine.limits import MAX_BUSY_MS


def upgrade(url: str, *, revision: str = "head") -> None:
    """Bring the database to a revision; all of it or nothing. SQLite's file and folder are made if there are none.

    Raises `StoreInUse` while a server runs on it, and `StoreUnreachable`.
    """
    place = place_of(url)
    if isinstance(place, Path):
        place.parent.mkdir(parents=True, exist_ok=True)
    with _alone(place) as connection:
        command.upgrade(_config(connection), revision)


def downgrade(url: str, *, revision: str) -> None:
    """Bring the database back to an earlier revision (`base`: to nothing), and lose what only the later ones hold."""
    with _alone(place_of(url)) as connection:
        command.downgrade(_config(connection), revision)


def current(url: str) -> str | None:
    """The revision that the database has, None where it is empty or there is no file. Raises `StoreUnreachable`."""
    place = place_of(url)
    if isinstance(place, Path) and not place.exists():
        return None
    with _begin_sqlite(place, how="BEGIN") if isinstance(place, Path) else _begin_postgres(place) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def head() -> str:
    """The revision that this version wants. There is one head, always."""
    found = ScriptDirectory.from_config(_config()).get_current_head()
    if found is None:
        raise WrongSchema(found=None, wanted="a history of revisions, but the installation carries none")
    return found


def check(url: str) -> None:
    """Raise `WrongSchema` unless the database has the revision that this version wants."""
    found = current(url)
    if found != head():
        raise WrongSchema(found=found, wanted=head())


def script(*, dialect: str) -> str:
    """The whole history as SQL text of a dialect (`sqlite`, `postgresql`), for reading; nothing is executed."""
    config = _config()
    config.attributes["dialect"] = dialect
    config.output_buffer = io.StringIO()
    command.upgrade(config, "head", sql=True)
    return config.output_buffer.getvalue()


def _config(connection: Connection | None = None) -> Config:
    config = Config(stdout=io.StringIO())
    # The file's own place, with the configuration's sign for a variable doubled where a path has one.
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    config.attributes.update(connection=connection, metadata=metadata)
    return config


@contextmanager
def _alone(place: Path | URL) -> Iterator[Connection]:
    """One transaction on a database that no server has and none can take meanwhile."""
    if isinstance(place, Path):
        with DatabaseLock(place), _begin_sqlite(place, how="BEGIN IMMEDIATE") as connection:
            yield connection
        return
    with _begin_postgres(place) as connection:
        if not connection.execute(text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": LOCK}).scalar_one():
            driver: Any = connection.connection.driver_connection
            raise in_use(server_label(place), lock_holder(driver))
        yield connection


@contextmanager
def _begin_sqlite(path: Path, *, how: str) -> Iterator[Connection]:
    """A connection in one transaction, which the driver leaves alone: it would commit before each CREATE TABLE."""
    engine = create_engine(
        sync_url(path),
        poolclass=NullPool,
        hide_parameters=True,
        connect_args={"timeout": MAX_BUSY_MS // 1_000, "isolation_level": None},
    )

    @event.listens_for(engine, "connect")
    def keep_safe(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(how)

    with _disposed(engine), engine.begin() as connection:
        yield connection


@contextmanager
def _begin_postgres(url: URL) -> Iterator[Connection]:
    engine = create_engine(
        url, poolclass=NullPool, hide_parameters=True, creator=lambda: connect(url, autocommit=False)
    )
    with _disposed(engine), engine.begin() as connection:
        # A migration may have much to rewrite.
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        yield connection


@contextmanager
def _disposed(engine: Engine) -> Iterator[None]:
    try:
        yield
    finally:
        engine.dispose()
