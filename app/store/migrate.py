"""Brings a database to the schema of this version, and says which one it has.

The history stands in the package `migrations`, which the wheel carries, so an installed server migrates itself without
any configuration file.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

import migrations
from app.store.errors import WrongSchema
from app.store.lock import DatabaseLock
from app.store.tables import metadata
from app.store.urls import sqlite_path, sync_url
from engine.limits import MAX_BUSY_MS


def upgrade(url: str, *, revision: str = "head") -> None:
    """Bring the database to a revision, making file and folder if there are none; all of it or nothing.

    Raises `StoreInUse` while a server runs on it.
    """
    path = sqlite_path(url)
    path.parent.mkdir(parents=True, exist_ok=True)
    with DatabaseLock(path), _begin(path) as connection:
        command.upgrade(_config(connection), revision)


def downgrade(url: str, *, revision: str) -> None:
    """Bring the database back to an earlier revision (`base`: to nothing), and lose what only the later ones hold."""
    path = sqlite_path(url)
    with DatabaseLock(path), _begin(path) as connection:
        command.downgrade(_config(connection), revision)


def current(url: str) -> str | None:
    """The revision that the database has, None where it is empty or not there."""
    path = sqlite_path(url)
    if not path.exists():
        return None
    with _begin(path, how="BEGIN") as connection:
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
def _begin(path: Path, *, how: str = "BEGIN IMMEDIATE") -> Iterator[Connection]:
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

    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()
