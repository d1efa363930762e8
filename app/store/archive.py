"""Moves old hands out of the journal into a file: written whole, read back beside the database, and only then removed.

Of every table the first events go, up to the end of the last hand that is old enough and never beyond the table's
checkpoint; so what is left has no hole, and `archives` says where it begins. The ledger is never touched, and neither
are the rows of hands and their players: those are the money's history. Whatever breaks off can be started again: a hand
is always whole in the journal, or its removal stands and the file is on the disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, text, update

from app.store.archive_file import (
    FORMAT,
    ArchivedEvent,
    ArchivedHand,
    ArchivedPlayer,
    ArchivedTable,
    Head,
    Line,
    archived_event,
    read_archive,
    write_archive,
)
from app.store.errors import BadArchive
from app.store.maintenance import Upkeep
from app.store.tables import archives, checkpoints, hand_players, hands, journal, tables
from engine.limits import ARCHIVE_BATCH_ROWS


class Archived(msgspec.Struct, frozen=True):
    """What an archiving came to. `resumed`: the file was there already, and what it holds was removed."""

    tables: int
    hands: int
    events: int
    removed_events: int
    resumed: bool


class _Range(msgspec.Struct, frozen=True):
    """The events of one table that are to go."""

    table: str
    first_seq: int
    last_seq: int


def archive(database: Upkeep, path: Path, *, before_ms: int, now_ms: int) -> Archived | None:
    """Move all hands that ended before a moment into a file, from every table; None if there are none.

    A file that is there already must be an archive: then what it holds is removed, as far as it still stands. Raises
    `BadArchive`, `UnreadableEvent`, `StoreBusy`.
    """
    resumed = path.exists()
    if not resumed:
        ranges = _ranges(database, before_ms)
        if not ranges:
            return None
        head = Head(format=FORMAT, made_ms=now_ms, before_ms=before_ms)
        write_archive(path, _lines(database, head, ranges))
    found = _compared(database, path)
    removed = sum(_remove(database, path.name, one, ends, now_ms) for one, ends in found)
    return Archived(
        tables=len(found),
        hands=sum(len(ends) for _, ends in found),
        events=sum(one.last_seq - one.first_seq + 1 for one, _ in found),
        removed_events=removed,
        resumed=resumed,
    )


def archived_seq(connection: Connection, table: str) -> int:
    """The number up to which a table's events have left the journal."""
    query = select(func.coalesce(func.max(archives.c.last_seq), 0)).where(archives.c.table_id == table)
    return int(connection.execute(query).scalar_one())


def _ranges(database: Upkeep, before_ms: int) -> list[_Range]:
    found = []
    with database.read() as connection:
        for table in connection.execute(select(tables.c.id).order_by(tables.c.id)).scalars().all():
            last_seq = connection.execute(_last_old_seq(table, before_ms)).scalar_one_or_none()
            first_seq = archived_seq(connection, table) + 1
            if last_seq is not None and last_seq >= first_seq:
                found.append(_Range(table, first_seq, last_seq))
    return found


def _last_old_seq(table: str, before_ms: int) -> Any:
    """The end of the last hand of those that ended before, counted from the table's first without leaving one out."""
    first_kept = (
        select(func.min(hands.c.number))
        .where(hands.c.table_id == table, func.coalesce(hands.c.ended_ms, before_ms) >= before_ms)
        .scalar_subquery()
    )
    checkpoint = select(checkpoints.c.seq).where(checkpoints.c.table_id == table).scalar_subquery()
    return select(func.max(hands.c.last_seq)).where(
        hands.c.table_id == table,
        hands.c.number < func.coalesce(first_kept, hands.c.number + 1),
        hands.c.last_seq <= checkpoint,
    )


def _lines(database: Upkeep, head: Head, ranges: Sequence[_Range]) -> Iterator[Line]:
    yield head
    for one in ranges:
        with database.read() as connection:
            row = connection.execute(select(tables.c.currency, tables.c.config).where(tables.c.id == one.table)).one()
        yield ArchivedTable(
            table=one.table,
            currency=row.currency,
            config=row.config,
            first_seq=one.first_seq,
            last_seq=one.last_seq,
        )
        yield from _hand_lines(database, one)
        for after in range(one.first_seq - 1, one.last_seq, ARCHIVE_BATCH_ROWS):
            yield from _events(database, one.table, after, min(after + ARCHIVE_BATCH_ROWS, one.last_seq))


def _hand_lines(database: Upkeep, one: _Range) -> Iterator[ArchivedHand]:
    number = 0
    while True:
        query = (
            select(hands)
            .where(hands.c.table_id == one.table, hands.c.first_seq >= one.first_seq, hands.c.last_seq <= one.last_seq)
            .where(hands.c.number > number)
            .order_by(hands.c.number)
            .limit(ARCHIVE_BATCH_ROWS // 10)
        )
        with database.read() as connection:
            rows = connection.execute(query).mappings().all()
            players = _players(connection, [row["id"] for row in rows])
        for row in rows:
            fields = {name: row[name] for name in ArchivedHand.__struct_fields__ if name not in ("hand", "players")}
            yield ArchivedHand(hand=row["id"], players=tuple(players.get(row["id"], ())), **fields)
            number = row["number"]
        if not rows:
            return


def _players(connection: Connection, of: Sequence[str]) -> dict[str, list[ArchivedPlayer]]:
    query = select(hand_players).where(hand_players.c.hand_id.in_(of)).order_by(hand_players.c.seat)
    found: dict[str, list[ArchivedPlayer]] = {}
    for row in connection.execute(query).all():
        found.setdefault(row.hand_id, []).append(
            ArchivedPlayer(row.seat, row.player_id, row.start_chips, row.net_chips)
        )
    return found


def _events(database: Upkeep, table: str, after: int, to: int) -> list[ArchivedEvent]:
    """The rows of the journal from one number to another, as lines."""
    query = (
        select(journal)
        .where(journal.c.table_id == table, journal.c.seq > after, journal.c.seq <= to)
        .order_by(journal.c.seq)
    )
    with database.read() as connection:
        rows = connection.execute(query).all()
    return [
        archived_event(seq=row.seq, at_ms=row.at_ms, format=row.format, kind=row.type, payload=row.payload)
        for row in rows
    ]


def _compared(database: Upkeep, path: Path) -> list[tuple[_Range, list[int]]]:
    """Read a file back to its end and compare it with what the database still holds.

    Gives each table's range and where its hands end. Raises `BadArchive`.
    """
    found: list[tuple[_Range, list[int]]] = []
    waiting: list[ArchivedEvent] = []
    for line in read_archive(path):
        match line:
            case Head():
                pass
            case ArchivedTable():
                _compare(database, path, found, waiting)
                waiting = []
                found.append((_Range(line.table, line.first_seq, line.last_seq), []))
            case ArchivedHand():
                found[-1][1].append(line.last_seq)
            case ArchivedEvent():
                waiting.append(line)
                if len(waiting) == ARCHIVE_BATCH_ROWS:
                    _compare(database, path, found, waiting)
                    waiting = []
    _compare(database, path, found, waiting)
    return found


def _compare(
    database: Upkeep, path: Path, found: Sequence[tuple[_Range, list[int]]], events: Sequence[ArchivedEvent]
) -> None:
    if not events:
        return
    table, first, last = found[-1][0].table, events[0].seq, events[-1].seq
    if [one.seq for one in events] != list(range(first, last + 1)):
        raise BadArchive(reason="hole", file=path.name, table=table, seq=first)
    with database.read() as connection:
        gone = archived_seq(connection, table)
    kept = _events(database, table, max(first - 1, gone), last)
    if kept != [one for one in events if one.seq > gone]:
        raise BadArchive(reason="unlike_the_database", file=path.name, table=table, seq=first)


def _remove(database: Upkeep, file: str, one: _Range, ends: Sequence[int], now_ms: int) -> int:
    """Remove a table's events in lots that each end with a hand. Gives how many went."""
    removed = 0
    begin = one.first_seq
    for number, end in enumerate(ends):
        is_last = number == len(ends) - 1
        if not is_last and ends[number + 1] - begin < ARCHIVE_BATCH_ROWS:
            continue
        change = partial(_remove_to, file=file, table=one.table, last_seq=end, now_ms=now_ms)
        removed += database.write(change)
        begin = end + 1
    return removed


def _remove_to(connection: Connection, *, file: str, table: str, last_seq: int, now_ms: int) -> int:
    """Remove a table's events up to a number, within one transaction, and write down that they went."""
    gone = archived_seq(connection, table)
    if gone >= last_seq:
        return 0
    checkpoint = select(checkpoints.c.seq).where(checkpoints.c.table_id == table)
    if (connection.execute(checkpoint).scalar_one_or_none() or 0) < last_seq:
        raise BadArchive(reason="beyond_the_checkpoint", file=file, table=table, seq=last_seq)
    with _unguarded(connection):
        rows = connection.execute(
            delete(journal).where(journal.c.table_id == table, journal.c.seq > gone, journal.c.seq <= last_seq)
        )
    if rows.rowcount != last_seq - gone:
        raise BadArchive(reason="unlike_the_database", file=file, table=table, seq=last_seq)
    of_them = (hands.c.table_id == table, hands.c.first_seq > gone, hands.c.last_seq <= last_seq)
    connection.execute(update(hands).where(*of_them).values(wrapped_key=None))
    same = (archives.c.table_id == table, archives.c.last_seq == gone, archives.c.file == file)
    moved = connection.execute(update(archives).where(*same).values(last_seq=last_seq, at_ms=now_ms))
    if not moved.rowcount:
        connection.execute(
            insert(archives).values(table_id=table, first_seq=gone + 1, last_seq=last_seq, at_ms=now_ms, file=file)
        )
    return rows.rowcount


@contextmanager
def _unguarded(connection: Connection) -> Iterator[None]:
    """Take the journal's guards away and put them back within the caller's transaction: nobody sees it without them."""
    if connection.dialect.name != "sqlite":
        connection.execute(text("ALTER TABLE journal DISABLE TRIGGER USER"))
        yield
        connection.execute(text("ALTER TABLE journal ENABLE TRIGGER USER"))
        return
    guards = connection.execute(
        text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'journal'")
    )
    for guard in (found := guards.all()):
        connection.exec_driver_sql(f"DROP TRIGGER {guard.name}")
    yield
    for guard in found:
        connection.exec_driver_sql(guard.sql)
