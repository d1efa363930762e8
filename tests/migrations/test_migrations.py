"""The database's history: one line of steps, up and down, that ends in the tables of `app/store/tables.py`."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

import migrations
from app.store import migrate
from app.store.tables import APPEND_ONLY, metadata
from app.store.urls import sync_url

FOLDER = Path(migrations.__file__).parent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "avenue.db"


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def schema(path: Path) -> dict[str, str | None]:
    """Every table, index and trigger by name, as the database keeps its text."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE '%alembic%'").fetchall()
    connection.close()
    return dict(rows)


def parts(sql: str | None) -> list[str]:
    """What a table is made of, in no order: columns and constraints."""
    if sql is None:
        return []
    head, _, rest = re.sub(r"\s+", " ", sql).partition("(")
    body, _, options = rest.rpartition(")")
    return [head, options, *sorted(part.strip() for part in re.split(r", (?=CONSTRAINT|\w+ [A-Z]+)", body))]


def test_there_is_one_head() -> None:
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    assert ScriptDirectory.from_config(config).get_heads() == [migrate.head()]


def test_up_down_up(path: Path) -> None:
    migrate.upgrade(url_of(path))
    first = schema(path)
    migrate.downgrade(url_of(path), revision="base")
    assert schema(path) == {}
    assert migrate.current(url_of(path)) is None
    migrate.upgrade(url_of(path))
    assert schema(path) == first


def test_the_history_ends_in_the_tables_that_the_code_knows(path: Path) -> None:
    migrate.upgrade(url_of(path))
    engine = create_engine(sync_url(path), poolclass=NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_checks_and_keys_are_those_that_the_code_knows_too(path: Path, tmp_path: Path) -> None:
    """Alembic compares no checks; so both ways are made and their text laid side by side."""
    migrate.upgrade(url_of(path))
    engine = create_engine(sync_url(tmp_path / "made.db"), poolclass=NullPool)
    metadata.create_all(engine)
    engine.dispose()
    migrated = {name: sql for name, sql in schema(path).items() if "_refuse_" not in name}
    made = schema(tmp_path / "made.db")
    assert migrated.keys() == made.keys()
    for name, sql in made.items():
        assert parts(migrated[name]) == parts(sql), name


def test_the_seed_is_there(path: Path) -> None:
    migrate.upgrade(url_of(path))
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT * FROM currencies").fetchall() == [("PLAY", 0)]
    assert dict(connection.execute("SELECT kind, floor_chips FROM account_kinds").fetchall()) == {
        "wallet": 0,
        "seat": 0,
        "rake": 0,
        "issuer": -(2**53 - 1),
    }
    assert connection.execute("SELECT kind FROM player_kinds ORDER BY kind").fetchall() == [("house_bot",), ("person",)]
    connection.close()


def test_what_is_append_only_is_guarded(path: Path) -> None:
    migrate.upgrade(url_of(path))
    guards = sorted(name for name in schema(path) if "_refuse_" in name)
    assert guards == sorted(f"{table}_refuse_{verb}" for table in APPEND_ONLY for verb in ("update", "delete"))


def test_the_same_history_is_sql_for_postgresql() -> None:
    sql = migrate.script(dialect="postgresql")
    for table in metadata.tables.values():
        assert f"CREATE TABLE {table.name} (" in sql
        for column in table.columns:
            if column.name.endswith(("_chips", "_ms")):
                assert re.search(rf"\b{column.name} BIGINT", sql), "an amount has 64 bits there"
    for guarded in APPEND_ONLY:
        assert f"CREATE TRIGGER {guarded}_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {guarded}" in sql
    assert "typeof" not in sql
    assert 'player_id TEXT COLLATE "C"' in sql, "text is ordered by its bytes"
    assert "WITHOUT ROWID" not in sql


def test_every_step_can_be_taken_back() -> None:
    for step in (FOLDER / "versions").glob("[0-9]*.py"):
        text = step.read_text(encoding="utf-8")
        assert re.search(r"^def downgrade\(\) -> None:\n(?!    (pass|\.\.\.)\n)", text, re.MULTILINE), step.name
