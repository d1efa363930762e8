"""The ledger by itself: transfers sum to zero, each account's entries make an unbroken chain up to its balance."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.audit_pages import ZERO, AnyRow, Difference, Looker, difference, pages
from app.store.tables import account_kinds, accounts, entries, hands, transfers

SUM = func.coalesce(func.sum(entries.c.amount_chips), ZERO)


async def money(looker: Looker) -> AsyncIterator[Difference]:
    """Everything about the ledger that needs nothing else."""
    by_transfer = {
        "transfer/unbalanced": (transfers.c.id, _unbalanced),
        "transfer/without_hand": (transfers.c.id, _without_hand),
        "entry/crosses_currencies": (entries.c.transfer_id, _crossing),
        "account/wrong_running_balance": (entries.c.transfer_id, _off_the_chain),
    }
    async for found in pages(looker, "transfers", transfers.c.id, by_transfer):
        yield found
    async for found in pages(looker, "accounts", accounts.c.id, {"account/below_floor": (accounts.c.id, _below_floor)}):
        yield found
    async for found in _balances(looker):
        yield found
    async with looker.database.read() as connection:
        for row in (await connection.execute(_MADE_OR_LOST)).mappings().all():
            yield difference("currency/does_not_sum_to_zero", row)


def _unbalanced(page: ColumnElement[bool]) -> Select[Any]:
    return (
        select(transfers.c.id, SUM.label("sum_chips"), func.count(entries.c.line).label("entries"))
        .outerjoin(entries, entries.c.transfer_id == transfers.c.id)
        .where(page)
        .group_by(transfers.c.id)
        .having(or_(SUM != 0, func.count(entries.c.line) < 2))
    )


def _without_hand(page: ColumnElement[bool]) -> Select[Any]:
    """A hand's result is that of a hand which has ended."""
    return (
        select(transfers.c.id, transfers.c.reference)
        .outerjoin(hands, and_(hands.c.id == transfers.c.reference, hands.c.outcome == "ended"))
        .where(page, transfers.c.reason == "hand", hands.c.id.is_(None))
    )


def _crossing(page: ColumnElement[bool]) -> Select[Any]:
    return (
        select(
            entries.c.transfer_id,
            entries.c.line,
            entries.c.currency,
            transfers.c.currency.label("of_transfer"),
            accounts.c.currency.label("of_account"),
        )
        .join(transfers, transfers.c.id == entries.c.transfer_id)
        .outerjoin(accounts, accounts.c.id == entries.c.account_id)
        .where(
            page,
            or_(
                entries.c.currency != transfers.c.currency,
                accounts.c.id.is_(None),
                entries.c.currency != accounts.c.currency,
            ),
        )
    )


def _off_the_chain(page: ColumnElement[bool]) -> Select[Any]:
    """Each entry's balance against that of the account's entry before: so false entries that cancel out are found too.

    The first begins at nothing.
    """
    before = entries.alias("before")
    balance_before_chips = func.coalesce(before.c.balance_after_chips, ZERO)
    return (
        select(
            entries.c.account_id,
            entries.c.number,
            entries.c.transfer_id,
            entries.c.amount_chips,
            entries.c.balance_after_chips,
            before.c.balance_after_chips.label("balance_before_chips"),
        )
        .outerjoin(before, and_(before.c.account_id == entries.c.account_id, before.c.number == entries.c.number - 1))
        .where(
            page,
            or_(
                and_(before.c.number.is_(None), entries.c.number != 1),
                balance_before_chips + entries.c.amount_chips != entries.c.balance_after_chips,
            ),
        )
    )


def _below_floor(page: ColumnElement[bool]) -> Select[Any]:
    return (
        select(accounts.c.id, accounts.c.balance_chips, account_kinds.c.floor_chips)
        .join(account_kinds, account_kinds.c.kind == accounts.c.kind)
        .where(page, accounts.c.balance_chips < account_kinds.c.floor_chips)
    )


_MADE_OR_LOST = (
    select(accounts.c.currency, func.sum(accounts.c.balance_chips).label("sum_chips"))
    .group_by(accounts.c.currency)
    .having(func.sum(accounts.c.balance_chips) != 0)
)


async def _balances(looker: Looker) -> AsyncIterator[Difference]:
    """Each balance against the sum of its entries.

    Entries up to the number that an account tells never change, so those of an account with very many are added up over
    several snapshots; what was added since is beyond that number.
    """
    after = ""
    while True:
        found: list[Difference] = []
        async with looker.database.read() as connection:
            ahead = select(accounts.c.id, accounts.c.entries).where(accounts.c.id > after).order_by(accounts.c.id)
            rows = (await connection.execute(ahead.limit(looker.page_rows))).all()
            some = _as_many_as_fit(rows, looker.page_rows)
            if len(some) > 1:
                after = some[-1]
                page = _sums().where(accounts.c.id >= some[0], accounts.c.id <= after)
                found = [
                    difference("account/wrong_balance", row)
                    for row in (await connection.execute(page.having(_OFF))).mappings().all()
                ]
        if len(some) == 1:
            after = some[0]
            found = await _large_account(looker, after)
        looker.counted["entries"] += sum(row.entries for row in rows[: len(some)])
        for one in found:
            yield one
        if not rows:
            return


def _as_many_as_fit(rows: Sequence[AnyRow], page_rows: int) -> list[str]:
    """The first accounts whose entries together make no more than a page; one at least."""
    fit: list[str] = []
    total = 0
    for row in rows:
        total += row.entries
        if fit and total > page_rows:
            break
        fit.append(row.id)
    return fit


_LAST = func.coalesce(func.max(entries.c.number), ZERO)
_OFF = or_(
    accounts.c.balance_chips != SUM,
    accounts.c.entries != func.count(entries.c.number),
    accounts.c.entries != _LAST,
)


def _sums() -> Select[Any]:
    return (
        select(
            accounts.c.id,
            accounts.c.balance_chips,
            SUM.label("entries_chips"),
            accounts.c.entries,
            func.count(entries.c.number).label("counted"),
        )
        .outerjoin(entries, entries.c.account_id == accounts.c.id)
        .group_by(accounts.c.id)
    )


async def _large_account(looker: Looker, account: str) -> list[Difference]:
    async with looker.database.read() as connection:
        query = select(accounts.c.id, accounts.c.balance_chips, accounts.c.entries).where(accounts.c.id == account)
        row = (await connection.execute(query)).one()
        last = select(_LAST).where(entries.c.account_id == account)
        last_number = (await connection.execute(last)).scalar_one()
    sum_chips = counted = 0
    for below in range(0, row.entries, looker.page_rows):
        async with looker.database.read() as connection:
            chips, some = await _sum_of(connection, account, below, min(below + looker.page_rows, row.entries))
        sum_chips += chips
        counted += some
    if (row.balance_chips, row.entries, row.entries) == (sum_chips, counted, last_number):
        return []
    figures = {
        "id": account,
        "balance_chips": row.balance_chips,
        "entries_chips": sum_chips,
        "entries": row.entries,
        "counted": counted,
    }
    return [Difference("account/wrong_balance", account, figures)]


async def _sum_of(connection: AsyncConnection, account: str, below: int, to: int) -> tuple[int, int]:
    query = select(SUM, func.count()).where(
        entries.c.account_id == account, entries.c.number > below, entries.c.number <= to
    )
    chips, some = (await connection.execute(query)).one()
    return int(chips), int(some)
