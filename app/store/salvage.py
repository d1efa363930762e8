"""What is still sure of a table whose journal cannot be read: its seats' events, and what the ledger says of its seats.

Cards are not needed for it, and no key: of each event the public's view is read, and one of the running hand that
cannot be read is passed over. Whether that is enough, `engine/table/recovery.py` says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.codec import EventCodec
from app.store.errors import UnreadableEvent
from app.store.tables import accounts, checkpoints, journal, table_heads
from engine.rules.events import PlayerId
from engine.table.events import AnyEvent, TableId
from engine.table.ports import Answer
from engine.table.recovery import DISPENSABLE


class Salvaged(NamedTuple):
    """An event as the public sees it, or None for one that cannot be read and that the seats can do without."""

    seq: int
    at_ms: int
    event: AnyEvent | None


class SalvagedTable(msgspec.Struct, frozen=True):
    """All that a table's seats are brought back from; `seat_chips` is what the ledger holds for each player there."""

    table: TableId
    epoch: int
    checkpoint: bytes | None
    events: tuple[Salvaged, ...]
    answers: tuple[Answer, ...]
    seat_chips: dict[PlayerId, int]

    def __repr__(self) -> str:
        return f"<SalvagedTable {self.table}>"


async def salvage(
    connection: AsyncConnection, table: TableId, codec: EventCodec, *, answers: tuple[Answer, ...]
) -> SalvagedTable:
    """Read what is sure of a table, which must have been taken over.

    Raises `UnreadableEvent` for an event without which its seats are not known, or where one is missing.
    """
    stands = (await connection.execute(_STANDS.where(table_heads.c.table_id == table))).one()
    after_seq = stands.checkpoint_seq or 0
    rows = (await connection.execute(_ROWS.where(journal.c.table_id == table, journal.c.seq > after_seq))).all()
    if [row.seq for row in rows] != list(range(after_seq + 1, stands.last_seq + 1)):
        raise UnreadableEvent(reason="hole", table=table, after_seq=after_seq)
    seats = (await connection.execute(_SEATS.where(accounts.c.table_id == table))).all()
    return SalvagedTable(
        table=table,
        epoch=stands.epoch,
        checkpoint=stands.state,
        events=tuple(Salvaged(row.seq, row.at_ms, _read(table, row, codec)) for row in rows),
        answers=answers,
        seat_chips={PlayerId(row.player_id): row.balance_chips for row in seats if row.balance_chips},
    )


def _read(table: TableId, row: Row[*tuple[Any, ...]], codec: EventCodec) -> AnyEvent | None:
    try:
        event = codec.public(format=row.format, payload=row.payload)
    except UnreadableEvent as error:
        if row.type in DISPENSABLE:
            return None
        raise UnreadableEvent(**error.fields, table=table, seq=row.seq) from None
    if event.__struct_config__.tag != row.type:
        raise UnreadableEvent(reason="another_type", table=table, seq=row.seq)
    return event


_STANDS = select(
    table_heads.c.epoch, table_heads.c.last_seq, checkpoints.c.seq.label("checkpoint_seq"), checkpoints.c.state
).outerjoin(checkpoints, checkpoints.c.table_id == table_heads.c.table_id)
_ROWS = select(journal.c.seq, journal.c.at_ms, journal.c.format, journal.c.type, journal.c.payload).order_by(
    journal.c.seq
)
_SEATS = select(accounts.c.player_id, accounts.c.balance_chips).where(accounts.c.kind == "seat")
