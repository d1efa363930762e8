"""The same history on PostgreSQL: up, down and up again, and in the end the very tables that the code knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, create_engine
from sqlalchemy.pool import NullPool

import migrations
from app.store import migrate
from app.store.errors import StoreInUse, StoreUnreachable, WrongSchema
from app.store.postgres_sessions import LOCK
from app.store.tables import APPEND_ONLY, metadata
from app.store.urls import place_of
from tests.postgres import PostgresServer, rows

OF_ITS_OWN = "alembic_version"

COLUMNS = """
    SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, l.collname,
           col_description(c.oid, a.attnum), pg_get_expr(d.adbin, d.adrelid)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
    LEFT JOIN pg_collation l ON l.oid = a.attcollation
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
"""
CONSTRAINTS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND conrelid <> 0
"""
INDEXES = "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
TABLES = """
    SELECT relname, obj_description(oid) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""
GUARDS = "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal"
FUNCTIONS = "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace"


def schema(url: str, *queries: str) -> set[tuple[object, ...]]:
    """What a database is made of, one row each, in no order; what Alembic keeps for itself is left out."""
    asked = queries or (TABLES, COLUMNS, CONSTRAINTS, INDEXES, GUARDS, FUNCTIONS)
    return {row for query in asked for row in rows(url, query) if row[0] != OF_ITS_OWN}


@pytest.fixture
def url(postgres: PostgresServer) -> Iterator[str]:
    made = postgres.empty_database()
    yield made
    postgres.drop(made)


def metadata_connection(url: str) -> Connection:
    place = place_of(url)
    assert isinstance(place, URL)
    return create_engine(place, poolclass=NullPool).connect()


def test_up_down_up(url: str) -> None:
    migrate.upgrade(url)
    first = schema(url)
    assert len(first) > 100
    assert migrate.current(url) == migrate.head()
    migrate.downgrade(url, revision="base")
    assert schema(url) == set()
    assert migrate.current(url) is None
    migrate.upgrade(url)
    assert schema(url) == first


def test_every_step_goes_down_to_where_it_came_from(url: str) -> None:
    seen = []
    for revision in steps():
        migrate.upgrade(url, revision=revision)
        seen.append((revision, schema(url)))
    for revision, before in reversed(seen[:-1]):
        migrate.downgrade(url, revision=revision)
        assert schema(url) == before, revision


def steps() -> list[str]:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return [step.revision for step in reversed(list(ScriptDirectory.from_config(config).walk_revisions()))]


def test_the_history_ends_in_the_tables_that_the_code_knows(url: str, postgres: PostgresServer) -> None:
    migrate.upgrade(url)
    with metadata_connection(url) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
    made = postgres.empty_database()
    with metadata_connection(made) as connection:
        metadata.create_all(connection)
        connection.commit()
    parts = (TABLES, COLUMNS, CONSTRAINTS, INDEXES)
    assert schema(url, *parts) == schema(made, *parts)
    postgres.drop(made)


def test_what_is_append_only_is_guarded(url: str) -> None:
    migrate.upgrade(url)
    assert schema(url, GUARDS) == {(table, f"{table}_refuse_change") for table in APPEND_ONLY}


def test_the_seed_is_there(url: str) -> None:
    migrate.upgrade(url)
    assert rows(url, "SELECT * FROM currencies") == [("PLAY", 0)]
    assert dict(rows(url, "SELECT kind, floor_chips FROM account_kinds")) == {
        "wallet": 0,
        "seat": 0,
        "rake": 0,
        "issuer": -(2**53 - 1),
    }
    assert rows(url, "SELECT kind FROM player_kinds ORDER BY kind") == [("house_bot",), ("person",)]


def test_what_breaks_off_leaves_nothing_behind(url: str) -> None:
    rows(url, "CREATE TABLE journal (mine TEXT)")
    with pytest.raises(Exception, match='relation "journal" already exists'):
        migrate.upgrade(url)
    assert schema(url, TABLES) == {("journal", None)}
    assert migrate.current(url) is None
    with pytest.raises(WrongSchema):
        migrate.check(url)


def test_nobody_migrates_under_a_server_that_runs(url: str) -> None:
    with psycopg.connect(url) as server:
        server.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        with pytest.raises(StoreInUse):
            migrate.upgrade(url)
        assert migrate.current(url) is None, "to look is allowed"
    migrate.upgrade(url)


def test_a_database_that_is_not_there_is_told(postgres: PostgresServer, url: str) -> None:
    postgres.drop(url)
    for ask in (migrate.upgrade, migrate.current):
        with pytest.raises(StoreUnreachable, match="does not exist"):
            ask(url)
