from __future__ import annotations

import pytest

from app.store import table_statements as sql
from app.store.sqlite_batches import DIALECT
from app.store.writes import Statement

HOT = ("ADVANCE", "RECORD", "ANSWER", "SAVE", "DEAL_IN")


@pytest.mark.parametrize("name", HOT)
def test_what_every_commit_runs_takes_its_rows_as_they_are(name: str) -> None:
    statement = getattr(sql, name)
    assert isinstance(statement, Statement)
    assert statement.prepared(DIALECT).order is None, "sorting each row anew would cost more than the step"


def test_a_table_moves_on_only_from_its_own_epoch_and_number() -> None:
    text = sql.ADVANCE.prepared(DIALECT).sql
    assert text.endswith("WHERE table_heads.table_id = ? AND table_heads.epoch = ? AND table_heads.last_seq = ?")


def test_a_checkpoint_takes_the_place_of_the_one_before() -> None:
    assert "ON CONFLICT (table_id) DO UPDATE SET" in sql.SAVE.prepared(DIALECT).sql
