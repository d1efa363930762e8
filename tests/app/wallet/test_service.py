"""The wallet against a real ledger on a clock of its own: refills below the floor, not too often, each id once."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.store import migrate
from app.store.bank import NewPlayer
from app.store.ledger import Account, LedgerTransfer, Line
from app.store.opening import Store, open_store
from app.wallet.repository import WalletRepository
from app.wallet.service import Wallets, WalletTerms
from engine.rules.events import PlayerId
from engine.table.errors import CommitRefused
from tests.fakes import VirtualClock

ADA = PlayerId("p_ada")


@dataclasses.dataclass
class Bench:
    store: Store
    clock: VirtualClock
    wallets: Wallets

    async def spend(self, chips: int) -> None:
        """Let chips go back to the issuer."""
        lines = (Line(Account("wallet", "PLAY", ADA), -chips), Line(Account("issuer", "PLAY"), chips))
        number = self.clock.now_ms()
        await self.store.bank.book(
            LedgerTransfer(id=f"spent:{number}:{chips}", reason="refill", currency="PLAY", lines=lines)
        )


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    url = f"sqlite:///{tmp_path}/avenue.db"
    migrate.upgrade(url)
    clock = VirtualClock()
    store = await open_store(url, now_ms=clock.now_ms)
    new = NewPlayer(
        id=ADA, kind="person", name="Ada", name_key="ada", password_hash="h", created_ms=0, of_age_word_ms=0
    )
    await store.bank.register(new, grant_chips=500)
    terms = WalletTerms(floor_chips=100, amount_chips=300, pause_ms=60_000)
    yield Bench(store, clock, Wallets(WalletRepository(store.database), store.bank, clock=clock, terms=terms))
    await store.close()


async def test_a_wallet_says_what_is_in_it_and_how_it_is_refilled(bench: Bench) -> None:
    told = await bench.wallets.wallet(ADA)
    assert told.model_dump() == {
        "currency": {"code": "PLAY", "decimals": 0},
        "balance_chips": 500,
        "refill": {"floor_chips": 100, "amount_chips": 300, "next_at_ms": None},
    }


@pytest.mark.parametrize(("left", "refilled"), [(101, False), (100, False), (99, True), (0, True)])
async def test_a_refill_is_for_who_has_less_than_the_floor(bench: Bench, left: int, *, refilled: bool) -> None:
    await bench.spend(500 - left)
    if refilled:
        told = await bench.wallets.refill(ADA, "one")
        assert (told.added_chips, told.balance_chips) == (300, left + 300)
        return
    with pytest.raises(CommitRefused) as caught:
        await bench.wallets.refill(ADA, "one")
    assert caught.value.code == "wallet/refill_not_needed"
    assert caught.value.fields == {"floor_chips": 100, "balance_chips": left}


async def test_a_refill_has_a_pause(bench: Bench) -> None:
    await bench.spend(450)
    await bench.wallets.refill(ADA, "one")
    refilled_ms = bench.clock.now_ms()
    await bench.spend(300)
    assert (await bench.wallets.wallet(ADA)).refill.next_at_ms == refilled_ms + 60_000
    await bench.clock.advance(59_999)
    with pytest.raises(CommitRefused) as caught:
        await bench.wallets.refill(ADA, "two")
    assert caught.value.code == "wallet/refill_too_soon"
    assert caught.value.fields == {"next_at_ms": refilled_ms + 60_000}
    await bench.clock.advance(1)
    assert (await bench.wallets.wallet(ADA)).refill.next_at_ms is None
    assert (await bench.wallets.refill(ADA, "two")).balance_chips == 350


async def test_b160_the_same_id_fills_up_once_and_tells_the_same(bench: Bench) -> None:
    await bench.spend(450)
    first = await bench.wallets.refill(ADA, "one")
    await bench.spend(340)
    await bench.clock.advance(100_000)
    assert await bench.wallets.refill(ADA, "one") == first
    assert (await bench.wallets.wallet(ADA)).balance_chips == 10


async def test_of_many_refills_at_once_one_is_given(bench: Bench) -> None:
    await bench.spend(450)
    results = await asyncio.gather(
        *(bench.wallets.refill(ADA, f"key{number}") for number in range(20)), return_exceptions=True
    )
    assert sum(not isinstance(one, Exception) for one in results) == 1
    assert (await bench.wallets.wallet(ADA)).balance_chips == 350


async def test_pages_of_the_ledger_skip_and_double_nothing(bench: Bench) -> None:
    for number in range(7):
        await bench.clock.advance(1)
        await bench.spend(number + 1)
    numbers: list[int] = []
    before = None
    while True:
        page = await bench.wallets.entries(ADA, before=before, limit=3)
        assert len(page.entries) <= 3
        numbers += [entry.number for entry in page.entries]
        if (before := page.next) is None:
            break
        # What comes in meanwhile does not move the pages.
        await bench.clock.advance(1)
        await bench.spend(1)
    assert numbers == list(range(8, 0, -1))
    first = (await bench.wallets.entries(ADA, before=2, limit=3)).entries[0]
    assert (first.reason, first.amount_chips, first.balance_after_chips) == ("grant", 500, 500)


async def test_a_last_page_that_is_just_full_has_no_next(bench: Bench) -> None:
    await bench.spend(1)
    page = await bench.wallets.entries(ADA, before=None, limit=2)
    assert (len(page.entries), page.next) == (2, None)
