"""Accounts against a real database: who may register, what a login gives, and what never leaves."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from app.accounts.passwords import Passwords
from app.accounts.repository import AccountRepository
from app.accounts.service import HOUSE_BOT, Accounts, AccountTerms
from app.refusals import BadName, BadPassword, NotLoggedIn, NotOfAge, WrongLogin
from app.store import migrate
from app.store.opening import Store, open_store
from app.store.tables import accounts
from engine.limits import MAX_SESSIONS_PER_PLAYER
from engine.rules.events import PlayerId
from engine.table.errors import CommitRefused
from tests.app.served import CHEAP, PASSWORD
from tests.fakes import VirtualClock

HOUR_MS = 3_600_000


@dataclasses.dataclass
class Bench:
    store: Store
    clock: VirtualClock
    accounts: Accounts


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    url = f"sqlite:///{tmp_path}/avenue.db"
    migrate.upgrade(url)
    clock = VirtualClock()
    store = await open_store(url, now_ms=clock.now_ms)
    terms = AccountTerms(min_age=21, grant_chips=500, session_hours=2)
    accounts = Accounts(AccountRepository(store.database), store.bank, Passwords(CHEAP), clock=clock, terms=terms)
    await accounts.prepare()
    yield Bench(store, clock, accounts)
    await store.close()


async def test_who_registers_is_a_person_and_logged_in(bench: Bench) -> None:
    told = await bench.accounts.register("Ada", PASSWORD, of_age=True)
    assert (told.player.name, told.player.kind) == ("Ada", "person")
    assert told.expires_at_ms == bench.clock.now_ms() + 2 * HOUR_MS
    assert await bench.accounts.player(told.token) == (told.player.id, "Ada", "person")


async def test_without_the_word_nobody_registers(bench: Bench) -> None:
    with pytest.raises(NotOfAge) as caught:
        await bench.accounts.register("ada", PASSWORD, of_age=False)
    assert caught.value.fields == {"min_age": 21}
    await bench.accounts.register("ada", PASSWORD, of_age=True)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "length"),
        ("ab", "length"),
        ("a" * 21, "length"),
        ("a b c", "letters"),
        ("adaé", "letters"),
        ("ada\n", "letters"),
        ("<script>", "letters"),
        ("house-ada", "reserved"),
        ("HOUSE-ada", "reserved"),
    ],
)
async def test_names(bench: Bench, name: str, reason: str) -> None:
    with pytest.raises(BadName) as caught:
        await bench.accounts.register(name, PASSWORD, of_age=True)
    assert caught.value.fields["reason"] == reason


@pytest.mark.parametrize("password", ["", "seven 7", "x" * 201])
async def test_passwords(bench: Bench, password: str) -> None:
    with pytest.raises(BadPassword) as caught:
        await bench.accounts.register("ada", password, of_age=True)
    assert caught.value.fields == {"min_chars": 8, "max_chars": 200}


async def test_a_name_is_given_once_whatever_its_letters_case(bench: Bench) -> None:
    await bench.accounts.register("Ada", PASSWORD, of_age=True)
    with pytest.raises(CommitRefused) as caught:
        await bench.accounts.register("aDA", PASSWORD, of_age=True)
    assert caught.value.code == "account/name_taken"


async def test_of_many_at_once_one_gets_the_name(bench: Bench) -> None:
    tries = [bench.accounts.register("ada", PASSWORD, of_age=True) for _ in range(8)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(not isinstance(one, Exception) for one in results) == 1


async def test_every_login_gives_a_new_token(bench: Bench) -> None:
    first = await bench.accounts.register("ada", PASSWORD, of_age=True)
    second = await bench.accounts.log_in("ADA", PASSWORD)
    assert first.token != second.token
    assert len(second.token) >= 43
    assert (await bench.accounts.player(first.token)).id == (await bench.accounts.player(second.token)).id


@pytest.mark.parametrize(
    ("name", "password"), [("ada", "wrong horse"), ("nobody", PASSWORD), ("", ""), ("x" * 9999, "y" * 9999)]
)
async def test_a_wrong_name_and_a_wrong_password_are_answered_alike(bench: Bench, name: str, password: str) -> None:
    await bench.accounts.register("ada", PASSWORD, of_age=True)
    with pytest.raises(WrongLogin) as caught:
        await bench.accounts.log_in(name, password)
    assert caught.value.fields == {}


async def test_a_password_beyond_the_bound_is_not_its_own_beginning(bench: Bench) -> None:
    await bench.accounts.register("ada", "x" * 200, of_age=True)
    with pytest.raises(WrongLogin):
        await bench.accounts.log_in("ada", "x" * 201)


async def test_a_token_ends_with_its_session(bench: Bench) -> None:
    told = await bench.accounts.register("ada", PASSWORD, of_age=True)
    other = await bench.accounts.log_in("ada", PASSWORD)
    await bench.accounts.log_out(told.token)
    with pytest.raises(NotLoggedIn):
        await bench.accounts.player(told.token)
    with pytest.raises(NotLoggedIn):
        await bench.accounts.log_out(told.token)
    await bench.accounts.player(other.token)


async def test_a_token_runs_out(bench: Bench) -> None:
    told = await bench.accounts.register("ada", PASSWORD, of_age=True)
    await bench.clock.advance(2 * HOUR_MS - 1)
    await bench.accounts.player(told.token)
    await bench.clock.advance(1)
    with pytest.raises(NotLoggedIn):
        await bench.accounts.player(told.token)


@pytest.mark.parametrize("token", ["", "x", "é", "\ud800", "x" * 10_000])
async def test_what_is_no_token(bench: Bench, token: str) -> None:
    with pytest.raises(NotLoggedIn):
        await bench.accounts.player(token)


async def test_of_too_many_sessions_the_oldest_ends(bench: Bench) -> None:
    tokens = [(await bench.accounts.register("ada", PASSWORD, of_age=True)).token]
    for _ in range(MAX_SESSIONS_PER_PLAYER):
        await bench.clock.advance(1)
        tokens.append((await bench.accounts.log_in("ada", PASSWORD)).token)
    with pytest.raises(NotLoggedIn):
        await bench.accounts.player(tokens[0])
    for token in tokens[1:]:
        await bench.accounts.player(token)


async def test_house_bots_are_the_servers_own(bench: Bench) -> None:
    first = await bench.accounts.admit_house_bot("house-ada")
    assert first.player.kind == HOUSE_BOT
    second = await bench.accounts.admit_house_bot("house-ada")
    assert second.player == first.player
    with pytest.raises(NotLoggedIn):
        await bench.accounts.player(first.token)
    assert (await bench.accounts.player(second.token)).kind == HOUSE_BOT
    for password in ("", PASSWORD, "nobody's own"):
        with pytest.raises(WrongLogin):
            await bench.accounts.log_in("house-ada", password)


async def test_the_grant_comes_from_the_issuer(bench: Bench) -> None:
    told = await bench.accounts.register("ada", PASSWORD, of_age=True)
    assert await balances(bench.store) == {f"wallet:PLAY:{told.player.id}": 500, "issuer:PLAY": -500}


async def balances(store: Store) -> dict[str, Any]:
    async with store.database.read() as connection:
        rows = (await connection.execute(select(accounts.c.id, accounts.c.balance_chips))).all()
    return {row.id: row.balance_chips for row in rows}


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def test_no_token_and_no_password_stands_in_the_database(bench: Bench, tmp_path: Path) -> None:
    told = await bench.accounts.register("ada", PASSWORD, of_age=True)
    assert PlayerId(told.player.id)
    kept = everything_in(tmp_path)
    assert told.player.id.encode() in kept
    assert told.token.encode() not in kept
    assert PASSWORD.encode() not in kept


async def test_nothing_that_holds_a_secret_shows_it(bench: Bench) -> None:
    told = await bench.accounts.register("ada", PASSWORD, of_age=True)
    login = await AccountRepository(bench.store.database).login("ada")
    assert told.token not in repr(told)
    assert "argon2" not in repr(login)
