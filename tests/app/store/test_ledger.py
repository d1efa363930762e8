from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.store.errors import BadTransfer
from app.store.ledger import Account, LedgerTransfer, Line, account_id, issued, of_table, transfer_steps
from app.store.opening import Store
from app.store.tables import PLAY
from app.store.writes import Write
from engine.limits import MAX_CHIPS
from engine.rules.events import PlayerId
from engine.table.errors import CommitFailed, CommitRefused
from engine.table.events import TableId
from engine.table.ports import AccountRef, Entry, Transfer
from tests.app.store.house import add_player
from tests.app.store.places import Place

ANN, BOB = PlayerId("ann"), PlayerId("bob")
ISSUER, RAKE = Account("issuer", PLAY), Account("rake", PLAY)


def wallet(player: PlayerId, currency: str = PLAY) -> Account:
    return Account("wallet", currency, player)


def transfer(*lines: tuple[Account, int], id: str = "x1", currency: str = PLAY, **fields: Any) -> LedgerTransfer:
    return LedgerTransfer(
        id=id, reason="grant", currency=currency, lines=tuple(Line(*line) for line in lines), **fields
    )


async def book(store: Store, *transfers: LedgerTransfer) -> None:
    steps = tuple(step for one in transfers for step in transfer_steps(one, at_ms=7))
    await store.writer.write(Write("test", steps))


async def refusal(store: Store, *transfers: LedgerTransfer) -> CommitRefused:
    with pytest.raises(CommitRefused) as caught:
        await book(store, *transfers)
    return caught.value


def test_an_accounts_id_says_what_it_is_for() -> None:
    assert wallet(ANN).id == "wallet:PLAY:ann"
    assert Account("seat", PLAY, ANN, TableId("t1")).id == "seat:PLAY:t1:ann"
    assert RAKE.id == "rake:PLAY"


@given(st.lists(st.text(max_size=3), min_size=2, max_size=2), st.lists(st.text(max_size=3), min_size=2, max_size=2))
def test_no_two_accounts_share_an_id(one: list[str], other: list[str]) -> None:
    same = account_id("seat", PLAY, *one) == account_id("seat", PLAY, *other)
    assert same == (one == other)


def test_a_tables_transfer_is_booked_in_its_own_currency() -> None:
    seat = AccountRef(kind="seat", player=ANN, table=TableId("t1"))
    entries = (Entry(AccountRef(kind="wallet", player=ANN), -5), Entry(seat, 5))
    booked = of_table(Transfer(id="t1:3:buy_in", reason="buy_in", currency=PLAY, entries=entries, reference="1"))
    assert booked == LedgerTransfer(
        id="t1:3:buy_in",
        reason="buy_in",
        currency=PLAY,
        lines=(Line(wallet(ANN), -5), Line(Account("seat", PLAY, ANN, TableId("t1")), 5)),
        reference="1",
    )


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "does_not_sum_to_zero"),
        ([(ISSUER, -5), (wallet(ANN), 6)], "does_not_sum_to_zero"),
        ([(ISSUER, -5), (wallet(ANN), 5), (wallet(BOB), 0)], "bad_amount"),
        ([(ISSUER, -MAX_CHIPS - 1), (wallet(ANN), MAX_CHIPS + 1)], "bad_amount"),
        ([(ISSUER, -5), (wallet(ANN, "EUR"), 5)], "crosses_currencies"),
        ([(ISSUER, -5), (wallet(ANN), 2), (wallet(ANN), 3)], "names_an_account_twice"),
        ([(ISSUER, -5), (Account("wallet", PLAY), 5)], "bad_owner"),
        ([(ISSUER, -5), (Account("seat", PLAY, ANN), 5)], "bad_owner"),
        ([(Account("issuer", PLAY, ANN), -5), (wallet(ANN), 5)], "bad_owner"),
    ],
)
def test_a_transfer_that_contradicts_itself_is_our_fault(lines: list[tuple[Account, int]], reason: str) -> None:
    with pytest.raises(BadTransfer) as caught:
        transfer_steps(transfer(*lines), at_ms=7)
    assert caught.value.fields == {"reason": reason, "transfer": "x1"}


async def test_a_transfer_is_two_sides_and_every_entry_counts(store: Store, place: Place) -> None:
    await add_player(store, "ann", chips=0)
    await book(store, transfer((ISSUER, -100), (wallet(ANN), 100), id="a", reference="ref"))
    await book(store, transfer((wallet(ANN), -30), (RAKE, 30), id="b"))
    assert place.balances() == {"issuer:PLAY": -100, "wallet:PLAY:ann": 70, "rake:PLAY": 30}
    assert place.sql("SELECT * FROM transfers ORDER BY id") == [
        ("a", "grant", PLAY, "ref", 7),
        ("b", "grant", PLAY, "", 7),
    ]
    columns = "transfer_id, line, account_id, currency, amount_chips, number, balance_after_chips"
    assert place.sql(f"SELECT {columns} FROM entries ORDER BY transfer_id, line") == [  # noqa: S608
        ("a", 1, "issuer:PLAY", PLAY, -100, 1, -100),
        ("a", 2, "wallet:PLAY:ann", PLAY, 100, 1, 100),
        ("b", 1, "wallet:PLAY:ann", PLAY, -30, 2, 70),
        ("b", 2, "rake:PLAY", PLAY, 30, 1, 30),
    ]


async def test_b169_no_wallet_goes_below_zero(store: Store, place: Place) -> None:
    await add_player(store, "ann", chips=50)
    before = place.balances()
    refused = await refusal(store, transfer((wallet(ANN), -51), (RAKE, 51)))
    assert (refused.code, refused.fields) == ("wallet/insufficient", {"currency": PLAY, "needed_chips": 51})
    assert place.balances() == before, "nothing of it stands, not even an account"
    await book(store, transfer((wallet(ANN), -50), (RAKE, 50)))
    assert place.balances()["wallet:PLAY:ann"] == 0


async def test_an_overdrawn_seat_is_our_fault_and_moves_nothing(store: Store, place: Place) -> None:
    with pytest.raises(CommitFailed) as caught:
        await book(store, transfer((RAKE, -1), (ISSUER, 1)))
    assert caught.value.fields == {"reason": "overdrawn", "account_kind": "rake"}
    assert place.balances() == {}


async def test_a_transfer_stands_once(store: Store, place: Place) -> None:
    await add_player(store, "ann", chips=50)
    once = transfer((wallet(ANN), -10), (RAKE, 10))
    await book(store, once)
    refused = await refusal(store, once)
    assert (refused.code, refused.fields) == ("money/duplicate_transfer", {"transfer": "x1"})
    refused = await refusal(store, transfer((wallet(ANN), -10), (RAKE, 10), id="x2"), once)
    assert refused.code == "money/duplicate_transfer"
    assert place.balances()["rake:PLAY"] == 10, "the write that held it is gone as a whole"


async def test_no_account_holds_more_than_can_be_counted(store: Store, place: Place) -> None:
    await add_player(store, "ann", chips=0)
    await add_player(store, "bob", chips=0)
    await book(store, transfer((ISSUER, -MAX_CHIPS), (wallet(ANN), MAX_CHIPS), id="all"))
    assert place.balances() == {"issuer:PLAY": -MAX_CHIPS, "wallet:PLAY:ann": MAX_CHIPS}
    refused = await refusal(store, transfer((ISSUER, -1), (wallet(BOB), 1)))
    assert (refused.code, refused.fields) == ("money/out_of_bounds", {"max_chips": MAX_CHIPS})
    await book(store, transfer((wallet(ANN), -MAX_CHIPS), (wallet(BOB), MAX_CHIPS), id="over"))
    await book(store, transfer((wallet(BOB), -MAX_CHIPS), (ISSUER, MAX_CHIPS), id="back"))
    assert set(place.balances().values()) == {0}


async def test_who_is_unknown_has_no_account(store: Store) -> None:
    assert (await refusal(store, transfer((ISSUER, -5), (wallet(ANN), 5)))).code == "money/unknown_account"


async def test_what_is_no_currency_is_refused(store: Store) -> None:
    await add_player(store, "ann", chips=5)
    lines = ((Account("issuer", "GOLD"), -5), (wallet(ANN, "GOLD"), 5))
    refused = await refusal(store, transfer(*lines, currency="GOLD"))
    assert (refused.code, refused.fields) == ("money/unknown_currency", {"currency": "GOLD"})


async def test_each_currency_has_accounts_of_its_own(store: Store, place: Place) -> None:
    place.sql("INSERT INTO currencies VALUES ('EUR', 2)")
    await add_player(store, "ann", chips=5)
    euros = issued(id="e", reason="grant", currency="EUR", player=ANN, amount_chips=900)
    await book(store, euros)
    assert place.balances()["wallet:EUR:ann"] == 900
    assert place.balances()["wallet:PLAY:ann"] == 5
    refused = await refusal(store, transfer((wallet(ANN), -6), (RAKE, 6)))
    assert refused.code == "wallet/insufficient", "euros buy no play chips"


async def test_b161_debits_and_credits_of_one_account_never_lose_each_other(store: Store, place: Place) -> None:
    await add_player(store, "ann", chips=1_000)
    moves = [
        transfer((wallet(ANN), -3), (RAKE, 3), id=f"d{n}") if n % 2 else
        transfer((ISSUER, -5), (wallet(ANN), 5), id=f"c{n}")
        for n in range(1_000)
    ]  # fmt: skip
    await asyncio.gather(*(book(store, move) for move in moves))
    assert place.balances()["wallet:PLAY:ann"] == 1_000 - 500 * 3 + 500 * 5
    assert place.balances()["rake:PLAY"] == 1_500
    numbers = place.sql("SELECT number FROM entries WHERE account_id = 'wallet:PLAY:ann' ORDER BY number")
    assert [number for (number,) in numbers] == list(range(1, 1_002))


async def test_of_a_hundred_that_want_the_whole_balance_one_gets_it(store: Store, place: Place) -> None:
    await add_player(store, "ann", chips=500)

    async def spend(number: int) -> str | None:
        try:
            await book(store, transfer((wallet(ANN), -500), (RAKE, 500), id=f"s{number}"))
        except CommitRefused as refused:
            return refused.code
        return None

    found = await asyncio.gather(*(spend(number) for number in range(100)))
    assert sorted(found, key=str) == [None] + ["wallet/insufficient"] * 99
    assert place.balances() == {"issuer:PLAY": -500, "wallet:PLAY:ann": 0, "rake:PLAY": 500}
