from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import BigInteger, CheckConstraint

from app.store.tables import APPEND_ONLY, metadata
from engine.limits import MAX_CHIPS

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


def rows_of_money(connection: sqlite3.Connection, amount: object) -> None:
    connection.execute("INSERT INTO accounts VALUES ('a', 'issuer', ?, NULL, NULL, 'PLAY', ?, 0)", (-MAX_CHIPS, amount))


@pytest.mark.parametrize("amount", [0.5, "ten", 1e300, float("inf"), b"7", MAX_CHIPS + 1, -MAX_CHIPS - 1])
def test_b155_an_account_holds_whole_chips_within_bounds(path: Path, amount: object) -> None:
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="CHECK constraint failed: ck_accounts_balance_chips"):
        rows_of_money(connection, amount)
    connection.close()


@pytest.mark.parametrize("amount", [MAX_CHIPS, -MAX_CHIPS, 0])
def test_the_bounds_themselves_are_allowed(path: Path, amount: int) -> None:
    connection = sqlite3.connect(path)
    rows_of_money(connection, amount)
    assert connection.execute("SELECT balance_chips FROM accounts").fetchone() == (amount,)
    connection.close()


def test_an_account_has_the_floor_of_its_kind(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA foreign_keys = ON")
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        connection.execute("INSERT INTO accounts VALUES ('w', 'wallet', -5, NULL, NULL, 'PLAY', 0, 0)")
    connection.execute("INSERT INTO accounts VALUES ('w', 'wallet', 0, NULL, NULL, 'PLAY', 0, 0)")
    with pytest.raises(sqlite3.IntegrityError, match="ck_accounts_floor"):
        connection.execute("UPDATE accounts SET balance_chips = -1")
    connection.close()


FILL = {
    "transfers": "INSERT INTO transfers VALUES ('t', 'grant', 'PLAY', '', 1)",
    "entries": "INSERT INTO entries VALUES ('t', 1, 'a', 'PLAY', 5, 1, 5)",
    "journal": "INSERT INTO journal VALUES ('t', 1, 1, 1, 'x', x'00')",
}


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_what_stands_is_never_changed(path: Path, table: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(FILL[table])
    column = connection.execute(f"SELECT name FROM pragma_table_info('{table}') LIMIT 1").fetchone()[0]  # noqa: S608
    for change in (f"UPDATE {table} SET {column} = 'other'", f"DELETE FROM {table}"):  # noqa: S608
        with pytest.raises(sqlite3.IntegrityError, match=f"{table} is append-only"):
            connection.execute(change)
    connection.close()


def test_money_moves_or_is_no_entry(path: Path) -> None:
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="amount_chips_moves"):
        connection.execute("INSERT INTO entries VALUES ('t', 1, 'a', 'PLAY', 0, 1, 5)")
    connection.close()


def test_no_transfer_crosses_two_currencies(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("INSERT INTO currencies VALUES ('EUR', 2)")
    connection.execute("INSERT INTO transfers VALUES ('t', 'grant', 'PLAY', '', 1)")
    for account, currency in (("play", "PLAY"), ("euro", "EUR")):
        connection.execute("INSERT INTO accounts VALUES (?, 'rake', 0, NULL, NULL, ?, 0, 0)", (account, currency))
    enter = "INSERT INTO entries VALUES ('t', 1, ?, ?, 5, 1, 5)"
    for account, currency in (("euro", "PLAY"), ("euro", "EUR"), ("play", "EUR")):
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            connection.execute(enter, (account, currency))
    connection.execute(enter, ("play", "PLAY"))
    connection.close()
