from __future__ import annotations

import pytest
from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.dialects.postgresql import asyncpg
from sqlalchemy.engine import Dialect

from app.store import bank, ledger, table_statements
from app.store.batches import not_written
from app.store.errors import BadTransfer, StoreBusy
from app.store.sqlite_batches import DIALECT
from app.store.tables import sessions, tables
from app.store.writes import ROWS, STALE, UNIQUE, Statement, Step, Write, bound_step, failed, put_off, refused
from engine.table.errors import CommitFailed, CommitRefused, StaleOwner

POSTGRESQL: Dialect = asyncpg.dialect()  # type: ignore[no-untyped-call]
DIALECTS: list[Dialect] = [DIALECT, POSTGRESQL]

STATEMENTS = {
    f"{module.__name__}.{name}": statement
    for module in (bank, ledger, table_statements)
    for name, statement in vars(module).items()
    if isinstance(statement, Statement)
}


def test_the_statements_are_found() -> None:
    assert len(STATEMENTS) > 15


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("name", STATEMENTS)
def test_every_statement_is_text_on_both_databases(name: str, dialect: Dialect) -> None:
    prepared = STATEMENTS[name].prepared(dialect)
    assert ("?" in prepared.sql) == (dialect.name == "sqlite")
    assert ("$1" in prepared.sql) == (dialect.name == "postgresql")


def test_a_row_is_given_in_the_statements_own_order() -> None:
    statement = Statement(
        update(tables).where(tables.c.id == bindparam("of_table")).values(closed_ms=bindparam("at_ms")),
        row=("of_table", "at_ms"),
    )
    assert statement.prepared(DIALECT).arrange(("t1", 5)) == (5, "t1")


def test_a_value_may_stand_twice() -> None:
    statement = Statement(
        select(tables.c.id).where(tables.c.id == bindparam("id"), tables.c.config != bindparam("id")), row=("id",)
    )
    assert statement.prepared(DIALECT).arrange(("t1",)) == ("t1", "t1")


def test_a_row_that_does_not_fit_is_told() -> None:
    with pytest.raises(ValueError, match="do not agree on: at_ms"):
        Statement(delete(tables).where(tables.c.id == bindparam("id")), row=("id", "at_ms")).prepared(DIALECT)


def test_a_bound_step_holds_its_values() -> None:
    old = select(sessions.c.token_sha256).where(sessions.c.player_id == "ann").limit(3)
    step = bound_step(
        delete(sessions).where(sessions.c.player_id.in_(["ann", "bob"]), sessions.c.token_sha256.not_in(old)), DIALECT
    )
    prepared = step.statement.prepared(DIALECT)
    assert step.rows[0][:3] == ("ann", "bob", "ann")
    assert prepared.sql.count("?") == len(step.rows[0])
    with pytest.raises(ValueError, match="for sqlite, not for postgresql"):
        step.statement.prepared(POSTGRESQL)


def test_a_breach_means_what_the_step_says() -> None:
    step = Step(
        Statement(insert(tables), row=()), (), verdicts={UNIQUE: refused("table/exists", table="t1"), ROWS: STALE}
    )
    exists = step.verdict(UNIQUE).error()
    assert isinstance(exists, CommitRefused)
    assert (exists.code, exists.fields) == ("table/exists", {"table": "t1"})
    assert isinstance(step.verdict(ROWS).error(), StaleOwner)
    unforeseen = step.verdict("ck_accounts_floor").error()
    assert isinstance(unforeseen, CommitFailed)
    assert unforeseen.fields == {"reason": "broken", "breach": "ck_accounts_floor"}
    assert failed("overdrawn").error().fields == {"reason": "overdrawn"}


def test_two_askers_never_get_the_same_error() -> None:
    assert STALE.error() is not STALE.error()


def test_a_write_shows_nothing_of_its_rows() -> None:
    step = Step(Statement(insert(tables), row=()), (("As Kd", b"token"),))
    assert repr(Write("t1:5", (step,))) == "<Write t1:5>"
    assert repr(step) == "<Step of 1 rows>"


def test_a_table_is_told_whether_it_helps_to_try_again() -> None:
    for verdict, for_good in ((failed("bad_value"), True), (put_off("deadlock_detected"), False)):
        error = verdict.error()
        assert isinstance(error, CommitFailed)
        assert error.for_good == for_good
    assert put_off("deadlock_detected").error().fields == {"reason": "not_written", "error": "deadlock_detected"}
    assert BadTransfer(reason="unbalanced").for_good
    assert not StoreBusy(max_waiting=1).for_good
    assert not not_written(OSError(), "SQLITE_FULL").for_good
