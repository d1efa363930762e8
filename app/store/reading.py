"""Reads a table's journal back: rows in order, each opened with the key of the hand that it belongs to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Row, and_, func, literal_column, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.codec import SEALED_JSON, EventCodec
from app.store.errors import UnreadableEvent
from app.store.keys import WrappedKey
from app.store.sealing import HandSeal, Seals
from app.store.tables import checkpoints, hands, journal, table_heads
from engine.rules.events import HandId, HandStarted
from engine.table.events import AnyEvent, TableId


class Kept(NamedTuple):
    """An event as it stands in the journal, unredacted: only `engine/rules/views.py` may let anyone see it."""

    seq: int
    at_ms: int
    event: AnyEvent


class JournalReader:
    """Reads events over any connection. Without `seals` it gives of each event what the public may see, and no more."""

    def __init__(self, codec: EventCodec, seals: Seals | None) -> None:
        self._codec = codec
        self._seals = seals

    async def events(
        self,
        connection: AsyncConnection,
        table: TableId,
        *,
        after_seq: int,
        last_seq: int | None = None,
        limit: int | None = None,
    ) -> tuple[Kept, ...]:
        """A table's events after a number, in order. Raises `UnreadableEvent`, with the row's place."""
        query = _ROWS.where(journal.c.table_id == table, journal.c.seq > after_seq).limit(limit)
        if last_seq is not None:
            query = query.where(journal.c.seq <= last_seq)
        rows = (await connection.execute(query)).all()
        if self._seals is None:
            return tuple(Kept(row.seq, row.at_ms, self._read(table, row, None)) for row in rows)
        begun = self._begun(table, rows)
        keys = await keys_of(connection, begun.values())
        sealed = next((row.seq for row in rows if row.format == SEALED_JSON), None)
        seal = None
        if sealed is not None and not any(seq <= sealed for seq in begun):
            seal = await _seal_at(connection, table, sealed, self._seals)
        return tuple(self._opened(table, rows, begun, keys, self._seals, seal))

    async def tails(
        self, connection: AsyncConnection, tables: Sequence[TableId]
    ) -> dict[TableId, tuple[Kept, ...] | UnreadableEvent]:
        """What follows each table's checkpoint, or without one all its events; what cannot be read is its error.

        A checkpoint stands between hands, so every hand in a tail begins there. It takes the seals.
        """
        if self._seals is None:
            raise ValueError("without its seals no table can be taken up")
        found = (await connection.execute(_TAILS.where(table_heads.c.table_id.in_(tables)))).all()
        rows = {TableId(table): list(group) for table, group in groupby(found, attrgetter("table_id"))}
        tails: dict[TableId, tuple[Kept, ...] | UnreadableEvent] = dict.fromkeys(tables, ())
        begun: dict[TableId, dict[int, HandId]] = {}
        for table in rows:
            try:
                begun[table] = self._begun(table, rows[table])
            except UnreadableEvent as error:
                tails[table] = error
        keys = await keys_of(connection, [hand for hands_begun in begun.values() for hand in hands_begun.values()])
        for table in begun:
            try:
                tails[table] = tuple(self._opened(table, rows[table], begun[table], keys, self._seals, None))
            except UnreadableEvent as error:
                tails[table] = error
        return tails

    def _opened(  # noqa: PLR0913 - rows, and all that opens them
        self,
        table: TableId,
        rows: Sequence[Row[*tuple[Any, ...]]],
        begun: Mapping[int, HandId],
        keys: Mapping[HandId, WrappedKey],
        seals: Seals,
        seal: HandSeal | None,
    ) -> Iterator[Kept]:
        """Read rows in order; `seal` is that of the hand which runs at the first of them."""
        for row in rows:
            hand = begun.get(row.seq)
            if hand is not None:
                key = keys.get(hand)
                seal = None if key is None else seals.of(table, hand, key)
            yield Kept(row.seq, row.at_ms, self._read(table, row, seal))

    def _begun(self, table: TableId, rows: Sequence[Row[*tuple[Any, ...]]]) -> dict[int, HandId]:
        """The hands that begin in these rows, by the number at which they do."""
        return {row.seq: self._hand_of(table, row) for row in rows if row.type == _BEGINS}

    def _hand_of(self, table: TableId, row: Row[*tuple[Any, ...]]) -> HandId:
        event = self._located(table, row, self._codec.public, format=row.format, payload=row.payload)
        if not isinstance(event, HandStarted):
            raise UnreadableEvent(reason="another_type", table=table, seq=row.seq)
        return event.hand

    def _read(self, table: TableId, row: Row[*tuple[Any, ...]], seal: HandSeal | None) -> AnyEvent:
        told = {"format": row.format, "payload": row.payload}
        if self._seals is None:
            return self._located(table, row, self._codec.public, **told)
        return self._located(table, row, self._codec.decode, **told, seq=row.seq, seal=seal)

    def _located(self, table: TableId, row: Row[*tuple[Any, ...]], read: Any, **told: Any) -> AnyEvent:
        try:
            return read(**told)  # type: ignore[no-any-return]  # one of the codec's two ways to read
        except UnreadableEvent as error:
            raise UnreadableEvent(**error.fields, table=table, seq=row.seq) from None


async def running_key(connection: AsyncConnection, hand: HandId) -> WrappedKey | None:
    """The key of a hand as it is kept; None if it has none."""
    return (await keys_of(connection, [hand])).get(hand)


async def keys_of(connection: AsyncConnection, of: Collection[HandId]) -> dict[HandId, WrappedKey]:
    """The keys of hands as they are kept; those that have none are left out."""
    found = (await connection.execute(_KEYS.where(hands.c.id.in_(list(of))))).all() if of else []
    return {HandId(row.id): WrappedKey(row.key_id, row.wrapped_key) for row in found}


async def _seal_at(connection: AsyncConnection, table: TableId, seq: int, seals: Seals) -> HandSeal | None:
    """The seal of the hand that ran at a number, which began before it."""
    earlier = _KEYS.where(hands.c.table_id == table, hands.c.first_seq <= seq).order_by(hands.c.number.desc()).limit(1)
    row = (await connection.execute(earlier)).one_or_none()
    return None if row is None else seals.of(table, HandId(row.id), WrappedKey(row.key_id, row.wrapped_key))


_BEGINS = str(HandStarted.__struct_config__.tag)
_ROWS = select(journal.c.seq, journal.c.at_ms, journal.c.format, journal.c.type, journal.c.payload).order_by(
    journal.c.seq
)
_TAILS = (
    select(journal.c.table_id, journal.c.seq, journal.c.at_ms, journal.c.format, journal.c.type, journal.c.payload)
    .select_from(table_heads)
    .outerjoin(checkpoints, checkpoints.c.table_id == table_heads.c.table_id)
    .join(
        journal,
        and_(
            journal.c.table_id == table_heads.c.table_id,
            journal.c.seq > func.coalesce(checkpoints.c.seq, literal_column("0")),
        ),
    )
    .order_by(journal.c.table_id, journal.c.seq)
)
_KEYS = select(hands.c.id, hands.c.key_id, hands.c.wrapped_key).where(hands.c.wrapped_key.is_not(None))
