"""Hands against the ledger and the journal; tables against their journals, their seats and the seats' accounts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, literal_column, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.audit_pages import ZERO, AnyRow, Difference, Looker, pages, within
from app.store.errors import UnreadableEvent
from app.store.tables import (
    accounts,
    answers,
    archives,
    checkpoints,
    entries,
    hand_players,
    hands,
    journal,
    table_heads,
    transfers,
)
from engine.rules.events import HandCancelled, HandEnded, HandStarted, PlayerId
from engine.table.errors import JournalBroken
from engine.table.events import TableId
from engine.table.recovery import recover
from engine.table.state import TableState


async def hands_played(looker: Looker) -> AsyncIterator[Difference]:
    """Every hand: its nets by themselves, against the ledger and against its first and last event."""
    by_hand = {
        "hand/does_not_add_up": (hands.c.id, _unequal),
        "hand/unlike_the_ledger": (hands.c.id, _unlike_the_ledger),
        "table/misplaced_hand": (hands.c.id, _open_without_a_table),
    }
    async for found in pages(looker, "hands", hands.c.id, by_hand):
        yield found
    async for found in _against_the_journal(looker):
        yield found


def _unequal(page: ColumnElement[bool]) -> Select[Any]:
    nets = func.coalesce(func.sum(hand_players.c.net_chips), ZERO)
    unknown = func.count() - func.count(hand_players.c.net_chips)
    return (
        select(hands.c.id, nets.label("nets_chips"), hands.c.rake_chips, unknown.label("without_net"))
        .join(hand_players, hand_players.c.hand_id == hands.c.id)
        .where(page, hands.c.outcome.is_not(None))
        .group_by(hands.c.id, hands.c.rake_chips)
        .having(or_(nets + hands.c.rake_chips != 0, unknown != 0))
    )


def _unlike_the_ledger(page: ColumnElement[bool]) -> Select[Any]:
    """What each player won or lost in a hand against what the ledger moved for it at that table."""
    moved_chips = (
        select(func.coalesce(func.sum(entries.c.amount_chips), ZERO))
        .select_from(transfers)
        .join(entries, entries.c.transfer_id == transfers.c.id)
        .join(accounts, accounts.c.id == entries.c.account_id)
        .where(
            transfers.c.reference == hands.c.id,
            transfers.c.reason == "hand",
            accounts.c.kind == "seat",
            accounts.c.player_id == hand_players.c.player_id,
        )
        .correlate(hands, hand_players)
        .scalar_subquery()
    )
    return (
        select(hands.c.id, hand_players.c.player_id, hand_players.c.net_chips, moved_chips.label("moved_chips"))
        .join(hand_players, hand_players.c.hand_id == hands.c.id)
        .where(page, hands.c.outcome.is_not(None), hand_players.c.net_chips != moved_chips)
    )


def _open_without_a_table(page: ColumnElement[bool]) -> Select[Any]:
    """A hand without an outcome is its table's running one."""
    return (
        select(hands.c.table_id, hands.c.id.label("open_hand_id"), table_heads.c.running_hand_id)
        .outerjoin(table_heads, table_heads.c.table_id == hands.c.table_id)
        .where(
            page,
            hands.c.outcome.is_(None),
            func.coalesce(table_heads.c.running_hand_id, literal_column("''")) != hands.c.id,
        )
    )


async def _against_the_journal(looker: Looker) -> AsyncIterator[Difference]:
    """What is told of a hand against the events that begin and end it, as long as they are in the journal."""
    after = ""
    while True:
        async with looker.database.read() as connection:
            query = _ENDS.where(within(hands.c.id, after, None)).order_by(hands.c.id).limit(looker.page_rows)
            rows = (await connection.execute(query)).all()
            last = rows[-1].id if rows else None
            seated = await _players_of(connection, within(hand_players.c.hand_id, after, last)) if rows else {}
        for row in rows:
            wrong = _unlike_its_events(looker, row, seated.get(row.id, []))
            if wrong is not None:
                yield Difference("hand/unlike_the_journal", row.id, {"id": row.id, "event": wrong})
        if last is None:
            return
        after = last


_BEGINNING, _END = journal.alias("beginning"), journal.alias("ending")
_ARCHIVED = (
    select(func.coalesce(func.max(archives.c.last_seq), ZERO))
    .where(archives.c.table_id == hands.c.table_id)
    .correlate(hands)
    .scalar_subquery()
)
_ENDS = (
    select(
        hands.c.id,
        hands.c.outcome,
        hands.c.rake_chips,
        _BEGINNING.c.format.label("first_format"),
        _BEGINNING.c.payload.label("first"),
        _END.c.format.label("last_format"),
        _END.c.payload.label("last"),
    )
    .outerjoin(_BEGINNING, and_(_BEGINNING.c.table_id == hands.c.table_id, _BEGINNING.c.seq == hands.c.first_seq))
    .outerjoin(_END, and_(_END.c.table_id == hands.c.table_id, _END.c.seq == hands.c.last_seq))
    .where(hands.c.first_seq > _ARCHIVED)
)


async def _players_of(connection: AsyncConnection, page: ColumnElement[bool]) -> dict[str, list[AnyRow]]:
    query = select(
        hand_players.c.hand_id,
        hand_players.c.seat,
        hand_players.c.player_id,
        hand_players.c.start_chips,
        hand_players.c.net_chips,
    ).where(page)
    found: dict[str, list[AnyRow]] = defaultdict(list)
    for row in (await connection.execute(query)).all():
        found[row.hand_id].append(row)
    return found


def _unlike_its_events(looker: Looker, row: AnyRow, seated: Sequence[AnyRow]) -> str | None:
    """Which of a hand's two events does not say what its rows say; None if both do."""
    try:
        first = looker.codec.public(format=row.first_format, payload=row.first)
        last = looker.codec.public(format=row.last_format, payload=row.last) if row.outcome else None
    except UnreadableEvent:
        return "unreadable"
    started = {(one.seat, one.player_id, one.start_chips) for one in seated}
    if not (
        isinstance(first, HandStarted)
        and first.hand == row.id
        and {(one.seat, one.player, one.stack_chips) for one in first.seats} == started
    ):
        return "first"
    nets = {(one.seat, one.net_chips) for one in seated}
    match last:
        case None:
            return None
        case HandEnded():
            same = row.outcome == "ended" and last.rake_chips == row.rake_chips
        case HandCancelled():
            same = row.outcome == "cancelled"
        case _:
            return "last"
    return None if same and {(one.seat, one.net_chips) for one in last.results} == nets else "last"


async def tables_kept(looker: Looker) -> AsyncIterator[Difference]:
    """Every table, brought back from its checkpoint and its journal, beside its seats' accounts."""
    async with looker.database.read() as connection:
        ids = (await connection.execute(select(table_heads.c.table_id).order_by(table_heads.c.table_id))).scalars()
        tables = [TableId(one) for one in ids]
    for table in tables:
        looker.counted["tables"] += 1
        async with looker.database.read() as connection:
            found, head, archived_seq = await _one_table(looker, connection, table)
        for one in found:
            yield one
        async for one in _unbroken(looker, table, after_seq=archived_seq, last_seq=head.last_seq):
            yield one


async def _one_table(
    looker: Looker, connection: AsyncConnection, table: TableId
) -> tuple[list[Difference], AnyRow, int]:
    """All of a table that moves, in one snapshot. Gives its head and how far its journal is archived too."""
    head = (await connection.execute(_HEADS.where(table_heads.c.table_id == table))).one()
    rows = await connection.execute(select(archives).where(archives.c.table_id == table).order_by(archives.c.first_seq))
    archived_seq, found = 0, list[Difference]()
    for row in rows.all():
        if row.first_seq != archived_seq + 1:
            found.append(Difference("table/broken_archive", table, {"after_seq": archived_seq, "seq": row.first_seq}))
        archived_seq = row.last_seq
    if head.running_hand_id is not None and head.open_hand_id is None:
        figures = {"table_id": table, "running_hand_id": head.running_hand_id, "open_hand_id": None}
        found.append(Difference("table/misplaced_hand", table, figures))
    for query, code in ((_LATER_EVENTS, "table/broken_journal"), (_LATER_ANSWERS, "answer/ahead_of_its_table")):
        later = (await connection.execute(query, {"of_table": table, "seq": head.last_seq})).scalar_one()
        if later:
            found.append(Difference(code, table, {"table_id": table, "last_seq": head.last_seq, "later": later}))
    counted = (await connection.execute(_HANDS.where(hands.c.table_id == table))).one()
    if (counted.hands, counted.last) != (head.hands, head.hands):
        figures = {"table_id": table, "hands": head.hands, "counted": counted.hands, "last": counted.last}
        found.append(Difference("table/miscounted_hands", table, figures))
    booked = await _booked(connection, table)
    try:
        state = recover(head.state, await looker.reader.events(connection, table, after_seq=head.checkpoint_seq or 0))
    except (JournalBroken, UnreadableEvent) as broken:
        found.append(Difference("table/unreadable", table, {"code": broken.code, **broken.fields}))
        return found, head, archived_seq
    lying = lying_chips(state)
    looker.counted["chips_at_tables"] += sum(lying.values())
    for player in sorted(lying.keys() | booked.keys()):
        seat_chips, account_chips = lying.get(player, 0), booked.get(player, 0)
        if seat_chips != account_chips:
            figures = {"player": player, "seat_chips": seat_chips, "account_chips": account_chips}
            found.append(Difference("table/seat_unlike_account", table, figures))
    return found, head, archived_seq


def lying_chips(state: TableState) -> dict[PlayerId, int]:
    """What each player has at the table: in a hand what is behind and what he put in, and what is to join later."""
    lying = {seat.player: seat.account_chips for seat in state.seats.values()}
    if state.hand is not None:
        for player in state.hand.players:
            queued_chips = state.seats[player.seat].queued_chips
            lying[player.player] = player.stack_chips + player.total_chips + queued_chips
    return lying


async def _unbroken(looker: Looker, table: TableId, *, after_seq: int, last_seq: int) -> AsyncIterator[Difference]:
    """Count the events from the first that is kept to the last, page by page: they never change."""
    for below in range(after_seq, last_seq, looker.page_rows):
        to = min(below + looker.page_rows, last_seq)
        query = select(func.count()).where(journal.c.table_id == table, journal.c.seq > below, journal.c.seq <= to)
        async with looker.database.read() as connection:
            events = (await connection.execute(query)).scalar_one()
        looker.counted["events"] += events
        if events != to - below:
            figures = {"table_id": table, "after_seq": below, "last_seq": to, "events": events}
            yield Difference("table/broken_journal", table, figures)


async def _booked(connection: AsyncConnection, table: TableId) -> dict[PlayerId, int]:
    query = select(accounts.c.player_id, accounts.c.balance_chips).where(
        accounts.c.table_id == table, accounts.c.kind == "seat"
    )
    return {PlayerId(row.player_id): row.balance_chips for row in (await connection.execute(query)).all()}


_HEADS = (
    select(
        table_heads.c.last_seq,
        table_heads.c.hands,
        table_heads.c.running_hand_id,
        hands.c.id.label("open_hand_id"),
        checkpoints.c.seq.label("checkpoint_seq"),
        checkpoints.c.state,
    )
    .outerjoin(checkpoints, checkpoints.c.table_id == table_heads.c.table_id)
    .outerjoin(
        hands,
        and_(
            hands.c.id == table_heads.c.running_hand_id,
            hands.c.table_id == table_heads.c.table_id,
            hands.c.outcome.is_(None),
        ),
    )
)
_HANDS = select(func.count().label("hands"), func.coalesce(func.max(hands.c.number), ZERO).label("last"))
_LATER_EVENTS = select(func.count()).where(
    journal.c.table_id == bindparam("of_table"), journal.c.seq > bindparam("seq")
)
_LATER_ANSWERS = select(func.count()).where(
    answers.c.table_id == bindparam("of_table"), answers.c.seq > bindparam("seq")
)
