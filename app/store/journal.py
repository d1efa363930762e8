"""The journal's port over SQL: keeping what tables decide, and giving it back after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import groupby, starmap
from operator import itemgetter
from typing import Any

import msgspec
from sqlalchemy import Row, and_, func, literal_column, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.codec import EventCodec
from app.store.commits import close_write, commit_write, key_write, take_write
from app.store.database import Database
from app.store.errors import UnreadableEvent
from app.store.keys import WrappedKey
from app.store.reading import JournalReader, Kept, keys_of, running_key
from app.store.salvage import SalvagedTable, salvage
from app.store.sealing import Seals
from app.store.tables import answers, checkpoints, hands, journal, server_epochs, table_heads, tables
from app.store.writer import Writer
from engine.limits import MAX_ANSWERS_TAKEN_UP, MAX_LOADED_TABLES
from engine.rules.errors import AvenueError
from engine.rules.events import HandId, HandStarted, PublicEvent
from engine.table.events import TableId
from engine.table.ports import Answer, TableCommit


class StoredTable(msgspec.Struct, frozen=True):
    """All that a table is recovered from: its last checkpoint, what happened after it, and the answers it gave.

    `epoch` is what its commits must carry from now on. `answers` are the latest ones, the oldest first. `stopped_ms` is
    the last sign of life of the server that had it before, within a second of its end.
    """

    table: TableId
    epoch: int
    last_seq: int
    checkpoint: bytes | None
    events: tuple[Kept, ...]
    answers: tuple[Answer, ...]
    stopped_ms: int | None

    def __repr__(self) -> str:
        return f"<StoredTable {self.table} at {self.last_seq}>"


class SqlJournal:
    """Keeps commits and gives them back.

    It remembers nothing but the seals of running hands, which stand in SQL as well.
    """

    def __init__(self, writer: Writer, database: Database, seals: Seals) -> None:
        self._writer = writer
        self._database = database
        self._seals = seals
        self._codec = EventCodec()
        self._reader = JournalReader(self._codec, seals)

    async def commit(self, commit: TableCommit) -> None:
        """See `engine/table/ports.py`."""
        if self._seals.running(commit.table) is None and _plays_on(commit):
            await self._take_up_seal(commit.table)
        await self._writer.write(commit_write(commit, self._codec, self._seals))

    async def close_table(self, table: TableId, *, at_ms: int) -> None:
        """Let a table be opened no more. Its seats must be empty.

        Raises `CommitRefused` with `table/hand_running`, and `StaleOwner`.
        """
        await self._writer.write(close_write(table, epoch=self._writer.epoch, at_ms=at_ms))

    async def tables(self) -> list[TableId]:
        """The tables that are open, the oldest first."""
        query = select(tables.c.id).where(tables.c.closed_ms.is_(None)).order_by(tables.c.opened_ms, tables.c.id)
        async with self._database.read() as connection:
            return [TableId(id) for id in (await connection.execute(query)).scalars()]

    async def load(self, table: TableId) -> StoredTable:
        """Take the table over, so that nobody else commits to it, and read what it is recovered from.

        Raises `StaleOwner` if there is no such table or a later writer has it, `UnreadableEvent` if its journal has a
        hole or holds what cannot be read.
        """
        found = (await self.load_many([table]))[table]
        if isinstance(found, AvenueError):
            raise found
        return found

    async def salvage(self, table: TableId) -> SalvagedTable:
        """Take a table over whose journal cannot be read, with what is still sure of it: its seats, and no card.

        Raises `StaleOwner`, and `UnreadableEvent` where not even the seats are sure.
        """
        await self._writer.write(take_write(table, epoch=self._writer.epoch))
        async with self._database.read() as connection:
            answered = await _answers_of(connection, [table])
            salvaged = await salvage(connection, table, self._codec, answers=answered.get(table, ()))
        self._seals.forget(table)
        return salvaged

    async def load_many(self, wanted: Sequence[TableId]) -> dict[TableId, StoredTable | AvenueError]:
        """Take tables over together, in one group commit and a handful of reads; one that `load` would refuse is given
        as its error.
        """
        found: dict[TableId, StoredTable | AvenueError] = {}
        for first in range(0, len(wanted), MAX_LOADED_TABLES):
            found |= await self._load_lot(wanted[first : first + MAX_LOADED_TABLES])
        return found

    async def _load_lot(self, wanted: Sequence[TableId]) -> dict[TableId, StoredTable | AvenueError]:
        async with self._database.read() as connection:
            alive = (await connection.execute(_OWNER_ALIVE.where(table_heads.c.table_id.in_(wanted)))).all()
        stopped_ms = {row.table_id: row.alive_ms for row in alive}
        takes = (self._writer.write(take_write(table, epoch=self._writer.epoch)) for table in wanted)
        taken = await asyncio.gather(*takes, return_exceptions=True)
        found: dict[TableId, StoredTable | AvenueError] = {}
        for table, outcome in zip(wanted, taken, strict=True):
            if isinstance(outcome, AvenueError):
                found[table] = outcome
            elif outcome is not None:
                raise outcome
        ours = [table for table in wanted if table not in found]
        async with self._database.read() as connection:
            stands = (await connection.execute(_STANDS.where(table_heads.c.table_id.in_(ours)))).all()
            tails = await self._reader.tails(connection, ours)
            keys = await keys_of(connection, [HandId(row.running_hand_id) for row in stands if row.running_hand_id])
            answered = await _answers_of(connection, ours)
        for row in stands:
            table = TableId(row.table_id)
            try:
                found[table] = self._stored(row, tails[table], keys, answered.get(table, ()), stopped_ms.get(table))
            except UnreadableEvent as error:
                found[table] = error
        return {table: found[table] for table in wanted}

    def _stored(
        self,
        row: Row[*tuple[Any, ...]],
        tail: tuple[Kept, ...] | UnreadableEvent,
        keys: Mapping[HandId, WrappedKey],
        answered: tuple[Answer, ...],
        stopped_ms: int | None,
    ) -> StoredTable:
        """Put a table together as it stands, with the seal of its running hand taken up. Raises `UnreadableEvent`."""
        table = TableId(row.table_id)
        if isinstance(tail, UnreadableEvent):
            raise tail
        if [one.seq for one in tail] != list(range((row.checkpoint_seq or 0) + 1, row.last_seq + 1)):
            raise UnreadableEvent(reason="hole", table=table, after_seq=row.checkpoint_seq)
        self._seals.forget(table)
        if row.running_hand_id in keys:
            self._seals.resume(table, row.running_hand_id, keys[row.running_hand_id])
        return StoredTable(
            table=table,
            epoch=row.epoch,
            last_seq=row.last_seq,
            checkpoint=row.state,
            events=tail,
            answers=answered,
            stopped_ms=stopped_ms,
        )

    async def events_after(self, table: TableId, seq: int, *, limit: int) -> tuple[Kept, ...]:
        """The next events of a table after that number, at most `limit` of them.

        Raises `UnreadableEvent`, also where the next one has left for an archive.
        """
        async with self._database.read() as connection:
            kept = await self._reader.events(connection, table, after_seq=seq, limit=limit)
        if kept and kept[0].seq != seq + 1:
            raise UnreadableEvent(reason="hole", table=table, after_seq=seq)
        return kept

    async def hand_events(self, hand: HandId) -> tuple[Kept, ...]:
        """Everything that happened at the table while the hand ran; nothing if there is no such hand.

        Raises `UnreadableEvent`.
        """
        async with self._database.read() as connection:
            of_hand = select(hands.c.table_id, hands.c.first_seq, hands.c.last_seq).where(hands.c.id == hand)
            found = (await connection.execute(of_hand)).one_or_none()
            if found is None:
                return ()
            return await self._reader.events(
                connection, found.table_id, after_seq=found.first_seq - 1, last_seq=found.last_seq
            )

    async def _take_up_seal(self, table: TableId) -> None:
        """Fetch the seal of the table's running hand, or give it one if it began before cards were sealed."""
        async with self._database.read() as connection:
            of_table = select(table_heads.c.running_hand_id).where(table_heads.c.table_id == table)
            hand = (await connection.execute(of_table)).scalar_one_or_none()
            key = None if hand is None else await running_key(connection, hand)
        if hand is None:
            return
        if key is not None:
            self._seals.resume(table, hand, key)
            return
        key = self._seals.begin(table, hand)
        # Nothing may be sealed with it before it stands.
        self._seals.forget(table)
        await self._writer.write(key_write(hand, key))
        self._seals.resume(table, hand, key)


def _plays_on(commit: TableCommit) -> bool:
    """Whether the commit may hold a secret of a hand that began in an earlier one."""
    for event in commit.events:
        if isinstance(event, HandStarted):
            return False
        if not isinstance(event, PublicEvent):
            return True
    return False


async def _answers_of(connection: AsyncConnection, of: Sequence[TableId]) -> dict[TableId, tuple[Answer, ...]]:
    """The latest answers of tables, each table's oldest first."""
    rows = (await connection.execute(_ANSWERS.where(table_heads.c.table_id.in_(of)))).all()
    return {
        TableId(table): tuple(starmap(Answer, (row[1:] for row in group))) for table, group in groupby(rows, _FIRST)
    }


_FIRST = itemgetter(0)
# The server under which the table's last event happened. One that came after it, took the table over and died before it
# could say a word was never there for the players: what they had left is counted from the one before.
_LAST_MS = (
    select(journal.c.at_ms)
    .where(journal.c.table_id == table_heads.c.table_id, journal.c.seq == table_heads.c.last_seq)
    .correlate(table_heads)
    .scalar_subquery()
)
_EARLIER = server_epochs.alias("earlier")
_PLAYED_UNDER = (
    select(_EARLIER.c.epoch)
    .where(_EARLIER.c.epoch <= table_heads.c.epoch, _EARLIER.c.started_ms <= _LAST_MS, _EARLIER.c.alive_ms >= _LAST_MS)
    .order_by(_EARLIER.c.epoch.desc())
    .limit(1)
    .correlate(table_heads)
    .scalar_subquery()
)
_OWNER_ALIVE = (
    select(table_heads.c.table_id, server_epochs.c.alive_ms)
    .select_from(table_heads)
    .join(server_epochs, server_epochs.c.epoch == func.coalesce(_PLAYED_UNDER, table_heads.c.epoch))
)
_STANDS = select(
    table_heads.c.table_id,
    table_heads.c.epoch,
    table_heads.c.last_seq,
    table_heads.c.running_hand_id,
    checkpoints.c.seq.label("checkpoint_seq"),
    checkpoints.c.state,
).outerjoin(checkpoints, checkpoints.c.table_id == table_heads.c.table_id)
_OTHERS = answers.alias("others")
_LATEST = (
    select(func.max(_OTHERS.c.number))
    .where(_OTHERS.c.table_id == table_heads.c.table_id)
    .correlate(table_heads)
    .scalar_subquery()
)
_ANSWERS = (
    select(answers.c.table_id, answers.c.player_id, answers.c.command_id, answers.c.digest, answers.c.seq)
    .select_from(table_heads)
    .join(
        answers,
        and_(
            answers.c.table_id == table_heads.c.table_id,
            answers.c.number > _LATEST - literal_column(str(MAX_ANSWERS_TAKEN_UP)),
        ),
    )
    .order_by(answers.c.table_id, answers.c.number)
)
