"""A player's wallet: what is in it, what moved, and a refill for who has run low."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.store.bank import RefillTerms
from app.store.ledger import account_id
from app.store.tables import PLAY
from app.wallet.schemas import (
    CurrencyBody,
    EntriesBody,
    EntryBody,
    RefilledBody,
    RefillTermsBody,
    WalletBody,
)

if TYPE_CHECKING:
    from app.store.bank import Bank
    from app.wallet.repository import WalletRepository
    from engine.rules.events import PlayerId
    from engine.table.ports import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletTerms:
    """When and with how much a wallet is filled up again."""

    floor_chips: int
    amount_chips: int
    pause_ms: int


class Wallets:
    """All wallets, in play chips."""

    def __init__(self, repository: WalletRepository, bank: Bank, *, clock: Clock, terms: WalletTerms) -> None:
        self._repository = repository
        self._bank = bank
        self._clock = clock
        self._terms = terms

    async def wallet(self, player: PlayerId) -> WalletBody:
        row = await self._repository.wallet(player, PLAY)
        return WalletBody(
            currency=CurrencyBody(code=row.currency, decimals=row.decimals),
            balance_chips=row.balance_chips,
            refill=RefillTermsBody(
                floor_chips=self._terms.floor_chips,
                amount_chips=self._terms.amount_chips,
                next_at_ms=self._next_refill_ms(row.refilled_ms),
            ),
        )

    async def entries(self, player: PlayerId, *, before: int | None, limit: int) -> EntriesBody:
        """A page of the wallet's lines in the ledger, the newest first."""
        found = await self._repository.entries(player, PLAY, before=before, limit=limit + 1)
        page = [EntryBody.model_validate(row) for row in found[:limit]]
        return EntriesBody(entries=page, next=page[-1].number if len(found) > limit else None)

    async def refill(self, player: PlayerId, request_id: str) -> RefilledBody:
        """Fill the wallet up once for each id; asked again, it tells what it told the first time.

        Raises `CommitRefused` with `wallet/refill_not_needed` or `wallet/refill_too_soon`.
        """
        terms = RefillTerms(
            amount_chips=self._terms.amount_chips, floor_chips=self._terms.floor_chips, pause_ms=self._terms.pause_ms
        )
        receipt = await self._bank.refill(player, terms, key=request_id)
        mine = account_id("wallet", PLAY, None, player)
        line = next(one for one in receipt.lines if one.account == mine)
        return RefilledBody(added_chips=line.amount_chips, balance_chips=line.balance_after_chips)

    def _next_refill_ms(self, refilled_ms: int | None) -> int | None:
        if refilled_ms is None:
            return None
        next_ms = refilled_ms + self._terms.pause_ms
        return next_ms if next_ms > self._clock.now_ms() else None
