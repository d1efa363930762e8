"""Bodies of the wallet: what is in it, what moved, a refill."""

from __future__ import annotations

from app.schemas import AskedBody, RequestId, ToldBody


class CurrencyBody(ToldBody):
    code: str
    decimals: int


class RefillTermsBody(ToldBody):
    """A refill of `amount_chips` is for who has less than `floor_chips`, not before `next_at_ms` (null: at once)."""

    floor_chips: int
    amount_chips: int
    next_at_ms: int | None


class WalletBody(ToldBody):
    currency: CurrencyBody
    balance_chips: int
    refill: RefillTermsBody


class EntryBody(ToldBody):
    """One line of the ledger, as it stands in this wallet. `number` counts its lines from 1, without a gap."""

    number: int
    transfer: str
    reason: str
    reference: str
    at_ms: int
    amount_chips: int
    balance_after_chips: int


class EntriesBody(ToldBody):
    """The newest first. `next` is the `before` of the next page, null on the last one."""

    entries: list[EntryBody]
    next: int | None


class RefillBody(AskedBody):
    id: RequestId


class RefilledBody(ToldBody):
    added_chips: int
    balance_chips: int
