"""Wraps the keys of hands anew under the current key, so that an older one may go. No card is touched."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sqlalchemy import Connection, func, select, update

from app.store.keys import WrappedKey
from app.store.maintenance import Upkeep
from app.store.sealing import Seals
from app.store.tables import hands
from engine.limits import ARCHIVE_BATCH_ROWS
from engine.rules.events import HandId
from engine.table.events import TableId


def rewrap(database: Upkeep, seals: Seals) -> int:
    """Wrap every hand's key with the current one; gives how many were. It may be broken off and begun again.

    Raises `UnreadableEvent` for a hand whose key none of the given ones unwraps, and `StoreBusy`.
    """
    changed, after = 0, ""
    while True:
        query = (
            select(hands.c.id, hands.c.table_id, hands.c.key_id, hands.c.wrapped_key)
            .where(hands.c.id > after, hands.c.wrapped_key.is_not(None))
            .order_by(hands.c.id)
            .limit(ARCHIVE_BATCH_ROWS)
        )
        with database.read() as connection:
            rows = connection.execute(query).all()
        if not rows:
            return changed
        after = rows[-1].id
        anew = [
            (row.id, row.key_id, key)
            for row in rows
            if (key := seals.rewrap(TableId(row.table_id), HandId(row.id), WrappedKey(row.key_id, row.wrapped_key)))
        ]
        if anew:
            changed += database.write(partial(_write, anew=anew))


def keys_in_use(database: Upkeep) -> dict[str, int]:
    """How many hands each key wraps the keys of, by its id."""
    query = select(hands.c.key_id, func.count()).where(hands.c.wrapped_key.is_not(None)).group_by(hands.c.key_id)
    with database.read() as connection:
        return {key_id: count for key_id, count in connection.execute(query.order_by(hands.c.key_id)).all()}


def _write(connection: Connection, anew: Sequence[tuple[str, str, WrappedKey]]) -> int:
    changed = 0
    for hand, former, key in anew:
        # One that was archived meanwhile has no key here any more.
        still = (hands.c.id == hand, hands.c.key_id == former, hands.c.wrapped_key.is_not(None))
        done = connection.execute(update(hands).where(*still).values(key_id=key.key_id, wrapped_key=key.wrapped))
        changed += done.rowcount
    return changed
