"""Adds everything up again: the ledger by itself, hands against ledger and journal, tables against both.

It changes nothing and may look at a live server's database. What grows for ever is read page by page, each page in a
short snapshot of its own: what stands in ledger and journal never changes, so pages need not be of one moment. What
moves (a table's head, its seats and their accounts, a balance and its entries) is compared inside one snapshot. No
player's frame can make a difference come about: each one is a mistake of ours or somebody's hand in the database.
"""

from __future__ import annotations

import msgspec

from app.store.audit_money import money
from app.store.audit_pages import Difference, Looker
from app.store.audit_play import hands_played, tables_kept
from app.store.database import Database
from app.store.sealing import Seals
from engine.limits import AUDIT_PAGE_ROWS

__all__ = ["Difference", "Report", "audit"]


class Report(msgspec.Struct, frozen=True):
    """What an audit found, and how much of what it looked at. `sealed_read`: the sealed parts were opened too."""

    differences: tuple[Difference, ...]
    counted: dict[str, int]
    sealed_read: bool


async def audit(database: Database, seals: Seals | None = None, *, page_rows: int = AUDIT_PAGE_ROWS) -> Report:
    """Look at everything. With `seals` the sealed parts of what tables are brought back from are opened too."""
    looker = Looker(database, seals, page_rows=page_rows)
    differences = [one for part in (money, hands_played, tables_kept) async for one in part(looker)]
    return Report(differences=tuple(differences), counted=dict(looker.counted), sealed_read=seals is not None)
