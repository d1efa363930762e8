"""Finds the keys for a database, and refuses to go on with ones that do not open what it holds."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import and_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.errors import BadSealingKeys, UnreadableEvent
from app.store.keys import KeyRing, WrappedKey, key_path, make_ring_beside, ring_beside, ring_of
from app.store.sealing import Seals
from app.store.tables import hands, table_heads
from engine.deal.shuffle import Entropy
from engine.rules.events import HandId
from engine.table.events import TableId


async def unlock(
    connection: AsyncConnection, *, keys: str | None, beside: Path | None, entropy: Entropy = os.urandom
) -> Seals:
    """The seals of a server. `keys` is a ring's text; without it the keys lie beside a SQLite file, or are made there.

    Raises `BadSealingKeys`: also if there are no keys for hands that are sealed already, or others than they need.
    """
    return await _unlocked(connection, keys, beside, entropy, lambda path: make_ring_beside(path, entropy=entropy))


async def unlock_to_read(connection: AsyncConnection, *, keys: str | None, beside: Path | None) -> Seals:
    """The same for who only reads: no key is ever made."""
    return await _unlocked(connection, keys, beside, os.urandom, None)


def unlock_now(*, keys: str | None, beside: Path | None) -> Seals:
    """The same without a look at what they are to open. Raises `BadSealingKeys`."""
    ring = ring_of(keys) if keys is not None else None if beside is None else ring_beside(beside)
    if ring is None:
        raise BadSealingKeys(reason="none")
    return Seals(ring)


async def _unlocked(
    connection: AsyncConnection,
    keys: str | None,
    beside: Path | None,
    entropy: Entropy,
    make: Callable[[Path], KeyRing] | None,
) -> Seals:
    latest = (await connection.execute(_LATEST)).all()
    ring = None
    if keys is not None:
        ring = ring_of(keys)
    elif beside is not None:
        ring = ring_beside(beside)
        if ring is None and latest:
            raise BadSealingKeys(reason="lost", file=str(key_path(beside)))
        if ring is None and make is not None:
            ring = make(beside)
    if ring is None:
        raise BadSealingKeys(reason="none")
    seals = Seals(ring, entropy=entropy)
    for row in latest:
        if row.key_id not in ring:
            raise BadSealingKeys(reason="unknown", key=row.key_id)
        try:
            seals.of(TableId(row.table_id), HandId(row.id), WrappedKey(row.key_id, row.wrapped_key))
        except UnreadableEvent:
            raise BadSealingKeys(reason="not_this", key=row.key_id) from None
    return seals


# The last hand of every table, the running one where one runs: what a server cannot do without.
_LATEST = (
    select(hands.c.table_id, hands.c.id, hands.c.key_id, hands.c.wrapped_key)
    .join(table_heads, and_(hands.c.table_id == table_heads.c.table_id, hands.c.number == table_heads.c.hands))
    .where(hands.c.wrapped_key.is_not(None))
)
