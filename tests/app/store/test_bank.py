from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from app.store.bank import Booked, Receipt, RefillTerms
from app.store.ledger import issued
from app.store.opening import Store
from app.store.tables import PLAY
from engine.rules.events import PlayerId
from engine.table.errors import CommitFailed, CommitRefused
from tests.app.store.flaky import Flaw, Flaws, disk_full
from tests.app.store.house import add_player, newcomer, opened_with
from tests.app.store.places import Place, SqlitePlace
from tests.fakes import VirtualClock

ANN = PlayerId("ann")
TERMS = RefillTerms(amount_chips=500, floor_chips=100, pause_ms=60_000)


async def test_who_registers_gets_his_grant_in_the_same_commit(store: Store, place: Place) -> None:
    await store.bank.register(newcomer("Ann"), grant_chips=1_000)
    assert place.balances() == {"issuer:PLAY": -1_000, "wallet:PLAY:Ann": 1_000}
    assert place.sql("SELECT id, kind, name, name_key, refilled_ms FROM players") == [
        ("Ann", "person", "Ann", "ann", None)
    ]


async def test_a_house_without_grants_gives_none(store: Store, place: Place) -> None:
    await store.bank.register(newcomer("ann"), grant_chips=0)
    assert place.balances() == {}


async def test_a_name_is_taken_once_whatever_its_case(store: Store, place: Place) -> None:
    await store.bank.register(newcomer("Ann"), grant_chips=1_000)
    with pytest.raises(CommitRefused) as caught:
        await store.bank.register(replace(newcomer("ANN"), id=PlayerId("other")), grant_chips=1_000)
    assert caught.value.code == "account/name_taken"
    assert place.balances() == {"issuer:PLAY": -1_000, "wallet:PLAY:Ann": 1_000}


def test_a_newcomer_shows_nothing_of_the_hash() -> None:
    assert repr(replace(newcomer("ann"), password_hash="secret")) == "<NewPlayer ann>"


async def test_a_low_wallet_is_refilled(store: Store, place: Place, clock: VirtualClock) -> None:
    await add_player(store, "ann", chips=99)
    receipt = await store.bank.refill(ANN, TERMS, key="k1")
    assert receipt == Receipt(
        transfer="refill:ann:k1",
        at_ms=clock.now_ms(),
        lines=(Booked("issuer:PLAY", -500, -599), Booked("wallet:PLAY:ann", 500, 599)),
        repeated=False,
    )
    assert place.balances()["wallet:PLAY:ann"] == 599


async def test_an_empty_wallet_that_was_never_used_is_refilled_too(store: Store, place: Place) -> None:
    await add_player(store, "ann", chips=0)
    await store.bank.refill(ANN, TERMS, key="k1")
    assert place.balances()["wallet:PLAY:ann"] == 500


async def test_b160_the_same_key_gives_the_first_receipt_again(store: Store, place: Place, clock: VirtualClock) -> None:
    await add_player(store, "ann", chips=10)
    first = await store.bank.refill(ANN, TERMS, key="k1")
    clock.pass_over(5)
    again = await store.bank.refill(ANN, TERMS, key="k1")
    assert again == replace(first, repeated=True)
    assert place.balances()["wallet:PLAY:ann"] == 510


async def test_b160_a_credit_whose_answer_was_lost_counts_once(path: Path, clock: VirtualClock) -> None:
    flaws, place = Flaws(), SqlitePlace(path)
    async with opened_with(path, clock, flaws) as store:
        await add_player(store, "ann", chips=10)
        flaws.plan(Flaw("COMMIT", before=disk_full))
        with pytest.raises(CommitFailed):
            await store.bank.refill(ANN, TERMS, key="k1")
        assert place.balances()["wallet:PLAY:ann"] == 10
        for _ in range(3):
            await store.bank.refill(ANN, TERMS, key="k1")
        assert place.balances()["wallet:PLAY:ann"] == 510


async def test_who_has_enough_is_told_what_he_has(store: Store) -> None:
    await add_player(store, "ann", chips=100)
    with pytest.raises(CommitRefused) as caught:
        await store.bank.refill(ANN, TERMS, key="k1")
    assert caught.value.code == "wallet/refill_not_needed"
    assert caught.value.fields == {"floor_chips": 100, "balance_chips": 100}


async def test_the_next_refill_comes_after_the_pause(store: Store, place: Place, clock: VirtualClock) -> None:
    await add_player(store, "ann", chips=10)
    low = replace(TERMS, amount_chips=1)
    await store.bank.refill(ANN, low, key="k1")
    next_at_ms = clock.now_ms() + low.pause_ms
    clock.pass_over(low.pause_ms - 1)
    with pytest.raises(CommitRefused) as caught:
        await store.bank.refill(ANN, low, key="k2")
    assert (caught.value.code, caught.value.fields) == ("wallet/refill_too_soon", {"next_at_ms": next_at_ms})
    clock.pass_over(1)
    await store.bank.refill(ANN, low, key="k2")
    assert place.balances()["wallet:PLAY:ann"] == 12


async def test_of_a_hundred_refills_at_once_one_counts(store: Store, place: Place) -> None:
    await add_player(store, "ann", chips=10)
    asked = [store.bank.refill(ANN, TERMS, key=f"k{n}") for n in range(100)]
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(one, Receipt) for one in found) == 1
    refused = {one.code for one in found if isinstance(one, CommitRefused)}
    assert refused <= {"wallet/refill_not_needed", "wallet/refill_too_soon"}
    assert place.balances()["wallet:PLAY:ann"] == 510


async def test_who_is_unknown_is_refilled_nothing(store: Store, place: Place) -> None:
    with pytest.raises(CommitRefused) as caught:
        await store.bank.refill(PlayerId("nobody"), TERMS, key="k1")
    assert caught.value.code == "money/unknown_account"
    assert place.balances() == {}


async def test_a_transfer_id_with_another_content_is_refused(store: Store, place: Place) -> None:
    await add_player(store, "ann", chips=0)
    gift = issued(id="gift", reason="grant", currency=PLAY, player=ANN, amount_chips=7)
    assert not (await store.bank.book(gift)).repeated
    assert (await store.bank.book(gift)).repeated
    with pytest.raises(CommitRefused) as caught:
        await store.bank.book(issued(id="gift", reason="grant", currency=PLAY, player=ANN, amount_chips=8))
    assert (caught.value.code, caught.value.fields) == ("money/transfer_id_reused", {"transfer": "gift"})
    assert place.balances()["wallet:PLAY:ann"] == 7
