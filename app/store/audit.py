"""Adds everything up again: the ledger by itself, the hands against the ledger, the tables against their journals.

It reads one snapshot and changes nothing, so it may look at a live server's database. No player's frame can make a
difference come about: each one is a mistake of ours or somebody's hand in the database.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import msgspec
from sqlalchemy import Select, and_, func, literal_column, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.codec import EventCodec
from app.store.errors import UnreadableEvent
from app.store.reading import JournalReader
from app.store.tables import (
    account_kinds,
    accounts,
    checkpoints,
    entries,
    hand_players,
    hands,
    journal,
    table_heads,
    transfers,
)
from engine.rules.events import PlayerId
from engine.table.errors import JournalBroken
from engine.table.events import TableId
from engine.table.recovery import recover


class Difference(msgspec.Struct, frozen=True):
    """Something that does not add up: `what` as a code, `where` the id of the row, and the figures."""

    what: str
    where: str
    figures: dict[str, Any]


async def audit(connection: AsyncConnection) -> list[Difference]:
    """Give all that differs, nothing if all is well. Takes a read of the database without a limit of time."""
    found = [
        Difference(what, str(next(iter(row.values()))), dict(row))
        for what, query in _QUERIES.items()
        for row in (await connection.execute(query)).mappings().all()
    ]
    async for difference in _tables(connection, JournalReader(EventCodec(), None)):
        found.append(difference)
    return found


def _unbalanced_transfers() -> Select[Any]:
    total = func.coalesce(func.sum(entries.c.amount_chips), literal_column("0"))
    return (
        select(transfers.c.id, total.label("sum_chips"), func.count(entries.c.line).label("entries"))
        .outerjoin(entries, entries.c.transfer_id == transfers.c.id)
        .group_by(transfers.c.id)
        .having(or_(total != 0, func.count(entries.c.line) < 2))
    )


def _wrong_balances() -> Select[Any]:
    total = func.coalesce(func.sum(entries.c.amount_chips), literal_column("0"))
    return (
        select(
            accounts.c.id,
            accounts.c.balance_chips,
            total.label("entries_chips"),
            accounts.c.entries,
            func.count(entries.c.number).label("counted"),
        )
        .outerjoin(entries, entries.c.account_id == accounts.c.id)
        .group_by(accounts.c.id)
        .having(
            or_(
                accounts.c.balance_chips != total,
                accounts.c.entries != func.count(entries.c.number),
                accounts.c.entries != func.coalesce(func.max(entries.c.number), literal_column("0")),
            )
        )
    )


def _wrong_running_balances() -> Select[Any]:
    """Each entry's balance against all entries up to it: so a pair of false entries that cancel out is found too."""
    running = (
        func.sum(entries.c.amount_chips)
        .over(partition_by=entries.c.account_id, order_by=entries.c.number)
        .label("added_up_chips")
    )
    chain = select(
        entries.c.account_id, entries.c.number, entries.c.transfer_id, entries.c.balance_after_chips, running
    ).subquery()
    return select(chain).where(chain.c.added_up_chips != chain.c.balance_after_chips)


def _crossed_currencies() -> Select[Any]:
    return (
        select(
            entries.c.transfer_id,
            entries.c.line,
            entries.c.currency,
            transfers.c.currency.label("of_transfer"),
            accounts.c.currency.label("of_account"),
        )
        .join(transfers, transfers.c.id == entries.c.transfer_id)
        .join(accounts, accounts.c.id == entries.c.account_id)
        .where(or_(entries.c.currency != transfers.c.currency, entries.c.currency != accounts.c.currency))
    )


def _below_floor() -> Select[Any]:
    return (
        select(accounts.c.id, accounts.c.balance_chips, account_kinds.c.floor_chips)
        .join(account_kinds, account_kinds.c.kind == accounts.c.kind)
        .where(or_(accounts.c.balance_chips < account_kinds.c.floor_chips))
    )


def _unequal_hands() -> Select[Any]:
    nets = func.coalesce(func.sum(hand_players.c.net_chips), literal_column("0"))
    unknown = func.count() - func.count(hand_players.c.net_chips)
    return (
        select(hands.c.id, nets.label("nets_chips"), hands.c.rake_chips, unknown.label("without_net"))
        .join(hand_players, hand_players.c.hand_id == hands.c.id)
        .where(hands.c.outcome.is_not(None))
        .group_by(hands.c.id, hands.c.rake_chips)
        .having(or_(nets + hands.c.rake_chips != 0, unknown != 0))
    )


def _hands_unlike_the_ledger() -> Select[Any]:
    """What each player won or lost in a hand against what the ledger moved for it at that table."""
    moved = (
        select(transfers.c.reference, accounts.c.player_id, func.sum(entries.c.amount_chips).label("moved_chips"))
        .join(entries, entries.c.transfer_id == transfers.c.id)
        .join(accounts, accounts.c.id == entries.c.account_id)
        .where(transfers.c.reason == "hand", accounts.c.kind == "seat")
        .group_by(transfers.c.reference, accounts.c.player_id)
        .subquery()
    )
    moved_chips = func.coalesce(moved.c.moved_chips, literal_column("0"))
    return (
        select(hands.c.id, hand_players.c.player_id, hand_players.c.net_chips, moved_chips.label("moved_chips"))
        .join(hand_players, hand_players.c.hand_id == hands.c.id)
        .outerjoin(moved, and_(moved.c.reference == hands.c.id, moved.c.player_id == hand_players.c.player_id))
        .where(hands.c.outcome.is_not(None), hand_players.c.net_chips != moved_chips)
    )


def _broken_journals() -> Select[Any]:
    """The last event's number against the table's, and no number twice or left out since the first that is kept."""
    last = func.coalesce(func.max(journal.c.seq), literal_column("0"))
    kept = last - func.coalesce(func.min(journal.c.seq), literal_column("1")) + literal_column("1")
    return (
        select(
            table_heads.c.table_id,
            table_heads.c.last_seq,
            last.label("journal_last_seq"),
            func.count(journal.c.seq).label("events"),
        )
        .outerjoin(journal, journal.c.table_id == table_heads.c.table_id)
        .group_by(table_heads.c.table_id, table_heads.c.last_seq)
        .having(or_(table_heads.c.last_seq != last, func.count(journal.c.seq) != kept))
    )


def _misplaced_hands() -> Select[Any]:
    """A hand without an outcome is its table's running one, and the other way round."""
    open_hand = and_(hands.c.table_id == table_heads.c.table_id, hands.c.outcome.is_(None))
    return (
        select(table_heads.c.table_id, table_heads.c.running_hand_id, hands.c.id.label("open_hand_id"))
        .outerjoin(hands, open_hand)
        .where(
            func.coalesce(table_heads.c.running_hand_id, literal_column("''"))
            != func.coalesce(hands.c.id, literal_column("''"))
        )
    )


_QUERIES: Final[Mapping[str, Select[Any]]] = {
    "transfer/unbalanced": _unbalanced_transfers(),
    "account/wrong_balance": _wrong_balances(),
    "account/wrong_running_balance": _wrong_running_balances(),
    "entry/crosses_currencies": _crossed_currencies(),
    "account/below_floor": _below_floor(),
    "hand/does_not_add_up": _unequal_hands(),
    "hand/unlike_the_ledger": _hands_unlike_the_ledger(),
    "table/broken_journal": _broken_journals(),
    "table/misplaced_hand": _misplaced_hands(),
}


async def _tables(connection: AsyncConnection, reader: JournalReader) -> AsyncIterator[Difference]:
    """Bring every table back from its journal and lay its seats beside their accounts, a running hand or not."""
    query = (
        select(table_heads.c.table_id, checkpoints.c.state, checkpoints.c.seq)
        .outerjoin(checkpoints, checkpoints.c.table_id == table_heads.c.table_id)
        .order_by(table_heads.c.table_id)
    )
    for row in (await connection.execute(query)).all():
        table = TableId(row.table_id)
        booked = await _booked(connection, table)
        try:
            events = await reader.events(connection, table, after_seq=row.seq or 0)
            state = recover(row.state, events)
        except (JournalBroken, UnreadableEvent) as broken:
            yield Difference("table/unreadable", table, {"code": broken.code, **broken.fields})
            continue
        seated = {seat.player: seat.account_chips for seat in state.seats.values()}
        for player in sorted(seated.keys() | booked.keys()):
            seat_chips, account_chips = seated.get(player, 0), booked.get(player, 0)
            if seat_chips != account_chips:
                figures = {"player": player, "seat_chips": seat_chips, "account_chips": account_chips}
                yield Difference("table/seat_unlike_account", table, figures)


async def _booked(connection: AsyncConnection, table: TableId) -> dict[PlayerId, int]:
    query = select(accounts.c.player_id, accounts.c.balance_chips).where(
        accounts.c.table_id == table, accounts.c.kind == "seat"
    )
    return {PlayerId(row.player_id): row.balance_chips for row in (await connection.execute(query)).all()}
