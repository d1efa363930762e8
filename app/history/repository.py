"""What the history reads from SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
from sqlalchemy import exists, select, tuple_

from app.store.tables import archives, hand_players, hands, tables
from engine.table.events import TableConfig

if TYPE_CHECKING:
    from app.paging import Place
    from app.store.database import Database
    from engine.rules.events import HandId, PlayerId


class PlayedHand(NamedTuple):
    """A finished hand that a player was dealt into."""

    hand: str
    table: str
    table_name: str
    game: str
    currency: str
    small_bet_chips: int | None
    big_bet_chips: int | None
    seat: int
    start_chips: int
    net_chips: int
    pot_chips: int
    outcome: str
    started_ms: int
    ended_ms: int


class HandRow(NamedTuple):
    """Where a hand was played, whether it is over, and whether its events have left for an archive."""

    table: str
    currency: str
    over: bool
    archived: bool = False


class HistoryRepository:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def played(self, player: PlayerId, *, before: Place | None, limit: int) -> list[PlayedHand]:
        """The finished hands of a player, the newest first."""
        query = (
            select(
                hands.c.id,
                hands.c.table_id,
                tables.c.config,
                hands.c.game,
                hands.c.currency,
                hands.c.small_bet_chips,
                hands.c.big_bet_chips,
                hand_players.c.seat,
                hand_players.c.start_chips,
                hand_players.c.net_chips,
                hands.c.pot_chips,
                hands.c.outcome,
                hands.c.started_ms,
                hands.c.ended_ms,
            )
            .join(hands, hands.c.id == hand_players.c.hand_id)
            .join(tables, tables.c.id == hands.c.table_id)
            .where(hand_players.c.player_id == player, hands.c.outcome.is_not(None))
            .order_by(hand_players.c.started_ms.desc(), hand_players.c.hand_id.desc())
            .limit(limit)
        )
        if before is not None:
            place = tuple_(hand_players.c.started_ms, hand_players.c.hand_id)
            query = query.where(place < tuple_(before.at_ms, before.id))
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        return [PlayedHand._make((*row[:2], _name_in(row.config), *row[3:])) for row in rows]

    async def hand(self, hand: HandId) -> HandRow | None:
        gone = exists().where(archives.c.table_id == hands.c.table_id, archives.c.last_seq >= hands.c.first_seq)
        query = select(hands.c.table_id, hands.c.currency, hands.c.outcome, gone.label("archived"))
        query = query.where(hands.c.id == hand)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else HandRow(row.table_id, row.currency, row.outcome is not None, bool(row.archived))


def _name_in(config: str) -> str:
    return msgspec.json.decode(config, type=TableConfig).name
