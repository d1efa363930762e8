"""Money outside the tables: what the house gives its players. Every call may be repeated and counts once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from sqlalchemy import bindparam, insert, select, update

from app.store.database import Database
from app.store.ledger import Account, LedgerTransfer, issued, transfer_steps
from app.store.tables import PLAY, accounts, entries, players, transfers
from app.store.writer import Writer
from app.store.writes import ROWS, UNIQUE, Statement, Step, Write, given, refused
from engine.rules.events import PlayerId
from engine.table.errors import CommitRefused


class NewPlayer(msgspec.Struct, frozen=True):
    """Who registers. `name_key` is the name in folded case, `of_age_word_ms` when he gave his word to be of age."""

    id: PlayerId
    kind: str
    name: str
    name_key: str
    password_hash: str | None
    created_ms: int
    of_age_word_ms: int | None

    def __repr__(self) -> str:
        return f"<NewPlayer {self.id}>"


class Booked(msgspec.Struct, frozen=True):
    """One line of a transfer that stands, with what the account held after it."""

    account: str
    amount_chips: int
    balance_after_chips: int


class Receipt(msgspec.Struct, frozen=True):
    """A transfer that stands. `repeated`: it stood before it was asked for this time."""

    transfer: str
    at_ms: int
    lines: tuple[Booked, ...]
    repeated: bool


class RefillTerms(msgspec.Struct, frozen=True):
    """A refill is for who has less than the floor in the wallet, and got the last one at least a pause ago."""

    amount_chips: int
    floor_chips: int
    pause_ms: int


class Bank:
    """Books what the house gives. `now_ms` is the clock of the journal."""

    def __init__(self, writer: Writer, database: Database, *, now_ms: Callable[[], int]) -> None:
        self._writer = writer
        self._database = database
        self._now_ms = now_ms

    async def register(self, player: NewPlayer, *, grant_chips: int, currency: str = PLAY) -> None:
        """Keep a new player together with his grant. Raises `CommitRefused` with `account/name_taken`."""
        steps = [
            Step(
                _REGISTER,
                (msgspec.structs.astuple(player),),
                changes=1,
                verdicts={UNIQUE: refused("account/name_taken")},
            )
        ]
        if grant_chips:
            grant = issued(
                id=f"grant:{player.id}",
                reason="grant",
                currency=currency,
                player=player.id,
                amount_chips=grant_chips,
            )
            steps += transfer_steps(grant, at_ms=player.created_ms)
        await self._writer.write(Write(about=f"register:{player.id}", steps=tuple(steps)))

    async def refill(self, player: PlayerId, terms: RefillTerms, *, key: str, currency: str = PLAY) -> Receipt:
        """Fill up a wallet; `key` is the asker's own, and the same key gives the same receipt.

        Raises `CommitRefused` with `wallet/refill_not_needed` (fields `floor_chips`, `balance_chips`) or
        `wallet/refill_too_soon` (field `next_at_ms`).
        """
        at_ms = self._now_ms()
        wallet = Account("wallet", currency, player).id
        transfer = issued(
            id=f"refill:{player}:{key}",
            reason="refill",
            currency=currency,
            player=player,
            amount_chips=terms.amount_chips,
        )
        conditions = (
            Step(
                _IS_LOW,
                ((wallet, terms.floor_chips),),
                changes=1,
                verdicts={ROWS: refused("wallet/refill_not_needed")},
            ),
            Step(
                _IS_DUE,
                ((at_ms, player, at_ms - terms.pause_ms),),
                changes=1,
                verdicts={ROWS: refused("wallet/refill_too_soon")},
            ),
        )
        try:
            return await self._book(transfer, at_ms, conditions)
        except CommitRefused as refusal:
            raise await self._told_more(refusal, player, wallet, terms) from None

    async def book(self, transfer: LedgerTransfer) -> Receipt:
        """Book a transfer once. Asked again with the same id and content, it gives the receipt of the first time.

        Raises `CommitRefused` with a code of `transfer_steps`, or `money/transfer_id_reused`.
        """
        return await self._book(transfer, self._now_ms(), ())

    async def _book(self, transfer: LedgerTransfer, at_ms: int, conditions: tuple[Step, ...]) -> Receipt:
        steps = transfer_steps(transfer, at_ms=at_ms, unless=conditions)
        try:
            await self._writer.write(Write(about=f"transfer:{transfer.id}", steps=steps))
        except CommitRefused as refusal:
            if refusal.code != "money/duplicate_transfer":
                raise
            return await self._receipt(transfer, repeated=True)
        return await self._receipt(transfer, repeated=False)

    async def _receipt(self, transfer: LedgerTransfer, *, repeated: bool) -> Receipt:
        """Read what stands under the transfer's id, which must be this very transfer."""
        async with self._database.read() as connection:
            head = (await connection.execute(select(transfers).where(transfers.c.id == transfer.id))).one()
            rows = (await connection.execute(_ENTERED.where(entries.c.transfer_id == transfer.id))).all()
        stands = (head.reason, head.currency, head.reference, [(row.account_id, row.amount_chips) for row in rows])
        asked = [(line.account.id, line.amount_chips) for line in transfer.lines]
        if stands != (transfer.reason, transfer.currency, transfer.reference, asked):
            raise CommitRefused("money/transfer_id_reused", transfer=transfer.id)
        lines = tuple(Booked(row.account_id, row.amount_chips, row.balance_after_chips) for row in rows)
        return Receipt(transfer=transfer.id, at_ms=head.at_ms, lines=lines, repeated=repeated)

    async def _told_more(
        self, refusal: CommitRefused, player: PlayerId, wallet: str, terms: RefillTerms
    ) -> CommitRefused:
        """Add to a refused refill what the asker can act on, as it stands now."""
        async with self._database.read() as connection:
            if refusal.code == "wallet/refill_not_needed":
                query = select(accounts.c.balance_chips).where(accounts.c.id == wallet)
                balance_chips = (await connection.execute(query)).scalar_one_or_none() or 0
                return CommitRefused(refusal.code, floor_chips=terms.floor_chips, balance_chips=balance_chips)
            if refusal.code == "wallet/refill_too_soon":
                when = select(players.c.refilled_ms).where(players.c.id == player)
                refilled_ms = (await connection.execute(when)).scalar_one_or_none() or 0
                return CommitRefused(refusal.code, next_at_ms=refilled_ms + terms.pause_ms)
        return refusal


_REGISTERED: Final = NewPlayer.__struct_fields__
_REGISTER: Final = Statement(insert(players).values(given(*_REGISTERED)), row=_REGISTERED)
_IS_LOW: Final = Statement(
    update(accounts)
    .where(accounts.c.id == bindparam("account"), accounts.c.balance_chips < bindparam("floor"))
    .values(entries=accounts.c.entries),
    row=("account", "floor"),
)
_IS_DUE: Final = Statement(
    update(players)
    .where(
        players.c.id == bindparam("player"),
        players.c.refilled_ms.is_(None) | (players.c.refilled_ms <= bindparam("latest_ms")),
    )
    .values(refilled_ms=bindparam("at_ms")),
    row=("at_ms", "player", "latest_ms"),
)
_ENTERED: Final = select(entries.c.account_id, entries.c.amount_chips, entries.c.balance_after_chips).order_by(
    entries.c.line
)
