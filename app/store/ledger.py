"""The double-entry ledger: what a transfer is, and the statements that book it.

An account's id follows from what it is for (`wallet:PLAY:<player>`), and an account comes to be with the first transfer
that names it. A transfer's entries sum to zero, all in its own currency; no account goes below the floor of its kind,
which the database itself refuses. What stands is never changed: a mistake is set right by another transfer.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal, TypeAlias
from urllib.parse import quote

import msgspec
from sqlalchemy import bindparam, insert, literal_column, select, update
from sqlalchemy.dialects.postgresql import insert as insert_or

from app.store.errors import BadTransfer
from app.store.tables import KEY, account_kinds, accounts, entries, transfers
from app.store.writes import FOREIGN_KEY, ROWS, UNIQUE, Breach, Statement, Step, Verdict, failed, refused
from engine.limits import MAX_CHIPS
from engine.rules.events import PlayerId
from engine.table.events import TableId
from engine.table.ports import Transfer, TransferReason

Kind: TypeAlias = Literal["wallet", "seat", "rake", "issuer"]
"""What the code of this version moves money between. Which kinds there are, and how low each may go, stands in SQL."""

Reason: TypeAlias = TransferReason | Literal["grant", "refill"]


class Account(msgspec.Struct, frozen=True):
    """A wallet has a player, a seat has a player and a table; the rake and the issuer are the house's own."""

    kind: Kind
    currency: str
    player: PlayerId | None = None
    table: TableId | None = None

    @property
    def id(self) -> str:
        return account_id(self.kind, self.currency, self.table, self.player)


@lru_cache(maxsize=65_536)
def account_id(kind: str, currency: str, table: str | None, player: str | None) -> str:
    """The id of an account: its kind, currency and owners, each quoted so that no two accounts share one."""
    return ":".join(quote(part, safe="") for part in (kind, currency, table, player) if part is not None)


class Line(msgspec.Struct, frozen=True):
    """One entry: above zero it goes into the account, below zero it comes out."""

    account: Account
    amount_chips: int


class LedgerTransfer(msgspec.Struct, frozen=True):
    """Money that moves, whole or not at all. `id` is the caller's own and unique for ever."""

    id: str
    reason: Reason
    currency: str
    lines: tuple[Line, ...]
    reference: str = ""


def of_table(transfer: Transfer) -> LedgerTransfer:
    """A table's transfer as the ledger books it."""
    return LedgerTransfer(
        id=transfer.id,
        reason=transfer.reason,
        currency=transfer.currency,
        lines=tuple(
            Line(
                Account(entry.account.kind, transfer.currency, entry.account.player, entry.account.table),
                entry.amount_chips,
            )
            for entry in transfer.entries
        ),
        reference=transfer.reference,
    )


def issued(
    *, id: str, reason: Literal["grant", "refill"], currency: str, player: PlayerId, amount_chips: int
) -> LedgerTransfer:
    """Chips that the house gives a player: they come out of the issuer's account, which shows all that is about."""
    return LedgerTransfer(
        id=id,
        reason=reason,
        currency=currency,
        lines=(
            Line(Account("issuer", currency), -amount_chips),
            Line(Account("wallet", currency, player), amount_chips),
        ),
    )


def transfer_steps(transfer: LedgerTransfer, *, at_ms: int, unless: tuple[Step, ...] = ()) -> tuple[Step, ...]:
    """The steps that book a transfer. Raises `BadTransfer` for one that contradicts itself.

    `unless` are conditions of the caller's own: they come when the transfer is known to be new and its accounts are
    there, and before anything moves.

    Refusals: `money/duplicate_transfer`, `wallet/insufficient`, `money/out_of_bounds`, `money/unknown_account`,
    `money/unknown_currency`.
    """
    _require_sound(transfer)
    lines = transfer.lines
    return (
        Step(
            _BOOK,
            ((transfer.id, transfer.reason, transfer.currency, transfer.reference, at_ms),),
            changes=1,
            verdicts={
                UNIQUE: refused("money/duplicate_transfer", transfer=transfer.id),
                FOREIGN_KEY: refused("money/unknown_currency", currency=transfer.currency),
            },
        ),
        Step(
            _OPEN_ACCOUNT,
            tuple(
                (account.id, account.player, account.table, account.currency, account.kind)
                for account in (line.account for line in lines)
            ),
            verdicts={FOREIGN_KEY: refused("money/unknown_account")},
        ),
        *unless,
        *(_move(line) for line in sorted(lines, key=_account_of)),
        Step(
            _ENTER,
            tuple(
                (transfer.id, number, transfer.currency, line.amount_chips, line.account.id)
                for number, line in enumerate(lines, start=1)
            ),
            changes=1,
        ),
    )


_BOOK: Final = Statement(insert(transfers), row=("id", "reason", "currency", "reference", "at_ms"))

# The floor is copied from the kind: an unknown kind opens nothing, and the account is then missed by its first move.
_OPEN_ACCOUNT: Final = Statement(
    insert_or(accounts)
    .from_select(
        ["id", "kind", "floor_chips", "player_id", "table_id", "currency", "balance_chips", "entries"],
        select(
            bindparam("id", type_=KEY),
            account_kinds.c.kind,
            account_kinds.c.floor_chips,
            bindparam("player", type_=KEY),
            bindparam("table", type_=KEY),
            bindparam("currency", type_=KEY),
            literal_column("0"),
            literal_column("0"),
        ).where(account_kinds.c.kind == bindparam("of_kind")),
    )
    .on_conflict_do_nothing(),
    row=("id", "player", "table", "currency", "of_kind"),
)

_MOVE: Final = Statement(
    update(accounts)
    .where(accounts.c.id == bindparam("account"))
    .values(
        balance_chips=accounts.c.balance_chips + bindparam("amount_chips"),
        entries=accounts.c.entries + literal_column("1"),
    ),
    row=("amount_chips", "account"),
)

_ENTER: Final = Statement(
    insert(entries).from_select(
        ["transfer_id", "line", "currency", "amount_chips", "account_id", "number", "balance_after_chips"],
        select(
            bindparam("transfer", type_=KEY),
            bindparam("line_number", type_=entries.c.line.type),
            bindparam("currency", type_=KEY),
            bindparam("amount_chips", type_=entries.c.amount_chips.type),
            accounts.c.id,
            accounts.c.entries,
            accounts.c.balance_chips,
        ).where(accounts.c.id == bindparam("account")),
    ),
    row=("transfer", "line_number", "currency", "amount_chips", "account"),
)

_FLOOR: Final[Breach] = "ck_accounts_floor"
_BOUNDS: Final[Breach] = "ck_accounts_balance_chips_bounds"


def _move(line: Line) -> Step:
    """Change one balance. The constraint on it is the only look at what is there."""
    account, amount_chips = line.account, line.amount_chips
    return Step(
        _MOVE,
        ((amount_chips, account.id),),
        changes=1,
        verdicts={
            _FLOOR: _overdrawn(line),
            _BOUNDS: refused("money/out_of_bounds", max_chips=MAX_CHIPS),
            ROWS: refused("money/unknown_account"),
        },
    )


def _overdrawn(line: Line) -> Verdict:
    match line.account.kind:
        case "wallet":
            return refused("wallet/insufficient", currency=line.account.currency, needed_chips=-line.amount_chips)
        case "issuer":
            return refused("money/out_of_bounds", max_chips=MAX_CHIPS)
        case "seat" | "rake":
            # No player can ask for it: the table and the ledger disagree.
            return failed("overdrawn", account_kind=line.account.kind)


def _account_of(line: Line) -> str:
    """Balances change in one order everywhere, so that two transfers never wait for each other in a circle."""
    return line.account.id


def _require_sound(transfer: LedgerTransfer) -> None:
    lines = transfer.lines
    if not lines or sum(line.amount_chips for line in lines) != 0:
        raise BadTransfer(reason="does_not_sum_to_zero", transfer=transfer.id)
    if not all(0 < abs(line.amount_chips) <= MAX_CHIPS for line in lines):
        raise BadTransfer(reason="bad_amount", transfer=transfer.id)
    if any(line.account.currency != transfer.currency for line in lines):
        raise BadTransfer(reason="crosses_currencies", transfer=transfer.id)
    if len({line.account.id for line in lines}) != len(lines):
        raise BadTransfer(reason="names_an_account_twice", transfer=transfer.id)
    if any(not _owned(line.account) for line in lines):
        raise BadTransfer(reason="bad_owner", transfer=transfer.id)


_OWNERS: Final = {"wallet": (True, False), "seat": (True, True), "rake": (False, False), "issuer": (False, False)}
"""Whether an account of the kind has a player and whether it has a table."""


def _owned(account: Account) -> bool:
    return _OWNERS.get(account.kind) == (account.player is not None, account.table is not None)
