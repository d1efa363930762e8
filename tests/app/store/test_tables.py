from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import BigInteger, CheckConstraint, Integer, LargeBinary, Text

from app.store.postgres_sessions import DIALECT
from app.store.tables import APPEND_ONLY, metadata
from engine.limits import MAX_CHIPS
from tests.app.store.places import Place, PostgresPlace, SqlitePlace

UNITS = re.compile(r"(_chips|_ms)$|^(seq|first_seq|last_seq|epoch|batch|number|hands|entries)$")
"""What a whole number may count: chips, milliseconds, or places in an order."""


def test_b158_every_whole_number_says_its_unit() -> None:
    unnamed = [
        f"{table.name}.{column.name}"
        for table in metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, BigInteger) and not UNITS.search(column.name)
    ]
    assert not unnamed, "one unit, and the name says which"


def test_every_amount_is_bounded_in_sql() -> None:
    for table in metadata.tables.values():
        checks = {constraint.name for constraint in table.constraints if isinstance(constraint, CheckConstraint)}
        for column in table.columns:
            if column.name.endswith("_chips"):
                assert f"ck_{table.name}_{column.name}_bounds" in checks
                assert isinstance(column.type, BigInteger)


def test_there_is_no_type_that_the_databases_keep_differently() -> None:
    """Truth is 0 or 1 on one and true or false on the other; fractions and dates differ even more."""
    kinds = {type(column.type) for table in metadata.tables.values() for column in table.columns}
    assert kinds == {Text, BigInteger, Integer, LargeBinary}


def test_every_text_is_compared_by_its_bytes() -> None:
    for table in metadata.tables.values():
        for column in table.columns:
            if isinstance(column.type, Text):
                found = column.type.dialect_impl(DIALECT)
                assert getattr(found, "collation", None) == "C", f"{table.name}.{column.name}"


BROKEN = (sqlite3.IntegrityError, psycopg.IntegrityError, psycopg.DataError, psycopg.errors.RaiseException)


def an_account(place: Place, balance: object) -> None:
    place.sql("INSERT INTO accounts VALUES ('a', 'issuer', ?, NULL, NULL, 'PLAY', ?, 0)", -MAX_CHIPS, balance)


@pytest.mark.parametrize("amount", ["ten", 1e300, float("inf"), b"7", MAX_CHIPS + 1, -MAX_CHIPS - 1, 2**63, 2**64])
def test_b155_an_account_holds_whole_chips_within_bounds(place: Place, amount: object) -> None:
    with pytest.raises((*BROKEN, psycopg.ProgrammingError, OverflowError)):
        an_account(place, amount)
    assert place.balances() == {}


@pytest.mark.parametrize("amount", [0.5, 1.5, -0.25])
def test_b155_a_fraction_is_kept_nowhere(path: Path, amount: float) -> None:
    """PostgreSQL rounds one that comes as text of SQL; through the store none goes out at all, see `encoded`."""
    with pytest.raises(sqlite3.IntegrityError, match="CHECK constraint failed: ck_accounts_balance_chips_whole"):
        an_account(SqlitePlace(path), amount)


@pytest.mark.parametrize("amount", [MAX_CHIPS, -MAX_CHIPS, 0])
def test_the_bounds_themselves_are_allowed(place: Place, amount: int) -> None:
    an_account(place, amount)
    assert place.balances() == {"a": amount}


def test_an_account_has_the_floor_of_its_kind(place: Place) -> None:
    with pytest.raises(BROKEN, match=r"FOREIGN KEY|fk_accounts_kind_floor_chips"):
        place.sql("INSERT INTO accounts VALUES ('w', 'wallet', -5, NULL, NULL, 'PLAY', 0, 0)")
    place.sql("INSERT INTO accounts VALUES ('w', 'wallet', 0, NULL, NULL, 'PLAY', 0, 0)")
    with pytest.raises(BROKEN, match="ck_accounts_floor"):
        place.sql("UPDATE accounts SET balance_chips = -1")


FILL = {
    "transfers": ("INSERT INTO transfers VALUES ('t', 'grant', 'PLAY', '', 1)",),
    "entries": (
        "INSERT INTO transfers VALUES ('t', 'grant', 'PLAY', '', 1)",
        "INSERT INTO accounts VALUES ('a', 'rake', 0, NULL, NULL, 'PLAY', 5, 1)",
        "INSERT INTO entries VALUES ('t', 1, 'a', 'PLAY', 5, 1, 5)",
    ),
    "journal": (
        "INSERT INTO tables VALUES ('t', '{}', 'PLAY', 1, NULL)",
        "INSERT INTO journal VALUES ('t', 1, 1, 1, 'x', x'00')",
    ),
}
TEXTS = {"transfers": "reason", "entries": "account_id", "journal": "type"}


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_what_stands_is_never_changed(place: Place, table: str) -> None:
    for statement in FILL[table]:
        place.sql(statement)
    for change in (f"UPDATE {table} SET {TEXTS[table]} = 'other'", f"DELETE FROM {table}"):  # noqa: S608
        with pytest.raises(BROKEN, match=f"{table} is append-only"):
            place.sql(change)


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_what_stands_is_not_truncated_either(on_postgres: PostgresPlace, table: str) -> None:
    with pytest.raises(psycopg.errors.RaiseException, match=r"\w+ is append-only"):
        on_postgres.sql(f"TRUNCATE {table} CASCADE")


def test_money_moves_or_is_no_entry(place: Place) -> None:
    for statement in FILL["entries"][:2]:
        place.sql(statement)
    with pytest.raises(BROKEN, match="amount_chips_moves"):
        place.sql("INSERT INTO entries VALUES ('t', 1, 'a', 'PLAY', 0, 1, 5)")


def test_no_transfer_crosses_two_currencies(place: Place) -> None:
    place.sql("INSERT INTO currencies VALUES ('EUR', 2)")
    place.sql("INSERT INTO transfers VALUES ('t', 'grant', 'PLAY', '', 1)")
    for account, currency in (("play", "PLAY"), ("euro", "EUR")):
        place.sql("INSERT INTO accounts VALUES (?, 'rake', 0, NULL, NULL, ?, 0, 0)", account, currency)
    enter = "INSERT INTO entries VALUES ('t', 1, ?, ?, 5, 1, 5)"
    for account, currency in (("euro", "PLAY"), ("euro", "EUR"), ("play", "EUR")):
        with pytest.raises(BROKEN, match=r"FOREIGN KEY|fk_entries"):
            place.sql(enter, account, currency)
    place.sql(enter, "play", "PLAY")


def test_two_names_that_differ_in_case_alone_are_one_by_their_key(place: Place) -> None:
    """The key is folded before it comes here, so that both databases compare bytes and nothing else."""
    add = "INSERT INTO players (id, kind, name, name_key, created_ms) VALUES (?, 'person', ?, ?, 1)"
    place.sql(add, "1", "Straße", "Straße".casefold())
    with pytest.raises(BROKEN, match=r"UNIQUE|uq_players_name_key"):
        place.sql(add, "2", "STRASSE", "STRASSE".casefold())
    place.sql(add, "3", "strase", "strase")
    place.sql(add, "4", "STRASSE", "STRASSE")
