from __future__ import annotations

import pytest

from app.store.audit_money import money
from app.store.audit_pages import Difference, Looker
from app.store.bank import RefillTerms
from app.store.opening import Store
from tests.app.store.house import add_player
from tests.app.store.places import Place

TERMS = RefillTerms(amount_chips=5, floor_chips=1_000_000, pause_ms=0)


async def busy(store: Store) -> None:
    """One wallet with many entries, one with few."""
    ann = await add_player(store, "ann", chips=50)
    await add_player(store, "bob", chips=70)
    for number in range(11):
        await store.bank.refill(ann, TERMS, key=f"k{number}")


async def found_by(store: Store, page_rows: int = 4) -> list[Difference]:
    looker = Looker(store.database, None, page_rows=page_rows)
    return [one async for one in money(looker)]


@pytest.mark.parametrize("page_rows", [1, 2, 5, 12, 13, 1_000])
async def test_accounts_of_any_size_add_up_over_any_page(store: Store, page_rows: int) -> None:
    await busy(store)
    looker = Looker(store.database, None, page_rows=page_rows)
    assert [one async for one in money(looker)] == []
    assert looker.counted == {"transfers": 13, "accounts": 3, "entries": 26}


@pytest.mark.parametrize(
    ("statements", "what"),
    [
        (
            ("UPDATE accounts SET balance_chips = balance_chips + 1 WHERE id = 'wallet:PLAY:ann'",),
            {"account/wrong_balance", "currency/does_not_sum_to_zero"},
        ),
        (
            ("UPDATE accounts SET entries = entries + 1 WHERE id = 'wallet:PLAY:ann'",),
            {"account/wrong_balance"},
        ),
        (
            ("UPDATE entries SET amount_chips = 6 WHERE account_id = 'wallet:PLAY:ann' AND number = 5",),
            {"account/wrong_balance", "account/wrong_running_balance", "transfer/unbalanced"},
        ),
        (
            # Two false entries that cancel out, in the sums and in both transfers.
            (
                "UPDATE entries SET amount_chips = amount_chips + 1 WHERE transfer_id = 'refill:ann:k3' AND line = 2",
                "UPDATE entries SET amount_chips = amount_chips - 1 WHERE transfer_id = 'refill:ann:k3' AND line = 1",
                "UPDATE entries SET amount_chips = amount_chips - 1 WHERE transfer_id = 'refill:ann:k4' AND line = 2",
                "UPDATE entries SET amount_chips = amount_chips + 1 WHERE transfer_id = 'refill:ann:k4' AND line = 1",
            ),
            {"account/wrong_running_balance"},
        ),
        (
            ("UPDATE entries SET number = 99 WHERE account_id = 'wallet:PLAY:ann' AND number = 5",),
            {"account/wrong_balance", "account/wrong_running_balance"},
        ),
        (
            ("UPDATE entries SET account_id = 'wallet:PLAY:eve' WHERE account_id = 'wallet:PLAY:bob'",),
            {"account/wrong_balance", "entry/crosses_currencies"},
        ),
        (
            ("UPDATE transfers SET reason = 'hand', reference = 't1-1' WHERE id = 'refill:ann:k7'",),
            {"transfer/without_hand"},
        ),
        (
            (
                "UPDATE accounts SET balance_chips = -5 WHERE id = 'wallet:PLAY:bob'",
                "UPDATE accounts SET balance_chips = balance_chips + 75 WHERE id = 'wallet:PLAY:ann'",
            ),
            {"account/wrong_balance", "account/below_floor"},
        ),
    ],
    ids=["balance", "count", "amount", "cancelling", "number", "nobody", "no-hand", "floor"],
)
async def test_a_ledger_that_was_tampered_with(
    store: Store, place: Place, statements: tuple[str, ...], what: set[str]
) -> None:
    await busy(store)
    place.tamper(*statements)
    for page_rows in (3, 1_000):
        assert {one.what for one in await found_by(store, page_rows)} == what


async def test_an_account_of_many_entries_is_told_with_its_figures(store: Store, place: Place) -> None:
    await busy(store)
    place.tamper("UPDATE accounts SET balance_chips = 1 WHERE id = 'wallet:PLAY:ann'")
    figures = {"id": "wallet:PLAY:ann", "balance_chips": 1, "entries_chips": 105, "entries": 12, "counted": 12}
    for page_rows in (5, 1_000):
        wrong = [one for one in await found_by(store, page_rows) if one.what == "account/wrong_balance"]
        assert [(one.where, one.figures) for one in wrong] == [("wallet:PLAY:ann", figures)]
