"""What the wallet reads from SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from app.store.ledger import account_id
from app.store.tables import accounts, currencies, entries, players, transfers

if TYPE_CHECKING:
    from app.store.database import Database
    from engine.rules.events import PlayerId


class WalletRow(NamedTuple):
    """What a player has, and when he was last given a refill."""

    currency: str
    decimals: int
    balance_chips: int
    refilled_ms: int | None


class EntryRow(NamedTuple):
    """One line of the ledger as it stands in one account."""

    number: int
    transfer: str
    reason: str
    reference: str
    at_ms: int
    amount_chips: int
    balance_after_chips: int


class WalletRepository:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def wallet(self, player: PlayerId, currency: str) -> WalletRow:
        """A player's wallet; one that nothing was ever put in is empty."""
        query = (
            select(currencies.c.code, currencies.c.decimals, accounts.c.balance_chips, players.c.refilled_ms)
            .select_from(players)
            .join(currencies, currencies.c.code == currency)
            .outerjoin(accounts, accounts.c.id == _wallet_id(player, currency))
            .where(players.c.id == player)
        )
        async with self._database.read() as connection:
            row = (await connection.execute(query)).one()
        return WalletRow(row.code, row.decimals, row.balance_chips or 0, row.refilled_ms)

    async def entries(self, player: PlayerId, currency: str, *, before: int | None, limit: int) -> list[EntryRow]:
        """The lines of a wallet, the newest first, those with a number below `before`."""
        query = (
            select(
                entries.c.number,
                entries.c.transfer_id,
                transfers.c.reason,
                transfers.c.reference,
                transfers.c.at_ms,
                entries.c.amount_chips,
                entries.c.balance_after_chips,
            )
            .join(transfers, transfers.c.id == entries.c.transfer_id)
            .where(entries.c.account_id == _wallet_id(player, currency))
            .order_by(entries.c.number.desc())
            .limit(limit)
        )
        if before is not None:
            query = query.where(entries.c.number < before)
        async with self._database.read() as connection:
            return [EntryRow(*row) for row in (await connection.execute(query)).all()]


def _wallet_id(player: PlayerId, currency: str) -> str:
    return account_id("wallet", currency, None, player)
