"""What a server that has ended left in its journal, read through the store, since cards may be sealed at rest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from argon2 import PasswordHasher

from app.accounts.passwords import Passwords
from app.bootstrap import open_house
from engine.table.events import AnyEvent, TableId
from tests.e2e.server import settings_in

PAGE_ROWS = 5_000


class Row(NamedTuple):
    """An event with its number at the table, unredacted."""

    seq: int
    event: AnyEvent


async def journals(folder: Path, tables: Sequence[TableId]) -> dict[TableId, list[Row]]:
    """Everything that happened at each table, in order."""
    async with open_house(settings_in(folder), passwords=Passwords(PasswordHasher())) as house:
        found: dict[TableId, list[Row]] = {}
        for table in tables:
            rows = found[table] = []
            while page := await house.store.journal.events_after(table, len(rows), limit=PAGE_ROWS):
                rows += [Row(kept.seq, kept.event) for kept in page]
            assert [row.seq for row in rows] == list(range(1, len(rows) + 1)), "numbers without a gap"
        return found
