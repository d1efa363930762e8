"""Passwords are hashed off the event loop, a few at a time, and nobody's takes as long as somebody's."""

import asyncio
import threading
import time

import pytest
from argon2 import PasswordHasher

from app.accounts import passwords as passwords_module
from app.accounts.passwords import Passwords
from app.refusals import HashingBusy

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


async def test_a_password_matches_its_own_hash_alone() -> None:
    passwords = Passwords(CHEAP)
    stored = await passwords.hash("correct horse")
    assert stored.startswith("$argon2id$")
    assert await passwords.matches("correct horse", stored)
    assert not await passwords.matches("wrong horse", stored)
    assert not await passwords.matches("correct horse", None)
    assert not await passwords.matches("correct horse", "no hash at all")


async def test_equal_passwords_have_different_hashes() -> None:
    passwords = Passwords(CHEAP)
    assert await passwords.hash("correct horse") != await passwords.hash("correct horse")


async def test_the_password_of_nobodys_hash_opens_nothing() -> None:
    passwords = Passwords(CHEAP)
    await passwords.prepare()
    assert not await passwords.matches("nobody's own", None)


class Slow(PasswordHasher):
    """A hasher that waits to be let go, and counts how many of it work at once."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.go = threading.Event()
        self.two_work = threading.Event()
        self.lock = threading.Lock()
        self.working = self.most = 0

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        with self.lock:
            self.working += 1
            self.most = max(self.most, self.working)
            if self.working == 2:
                self.two_work.set()
        self.go.wait(10)
        with self.lock:
            self.working -= 1
        return "hash"


async def test_no_more_than_so_many_at_once_and_the_loop_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords_module, "MAX_WAITING_HASHES", 5)
    hasher = Slow()
    passwords = Passwords(hasher, at_once=2)
    tasks = [asyncio.create_task(passwords.hash("x")) for _ in range(7)]
    assert await asyncio.to_thread(hasher.two_work.wait, 10)
    with pytest.raises(HashingBusy):
        await passwords.hash("one too many")
    hasher.go.set()
    assert await asyncio.gather(*tasks) == ["hash"] * 7
    assert hasher.most == 2


async def test_an_unknown_name_takes_about_as_long_as_a_known_one() -> None:
    passwords = Passwords()
    await passwords.prepare()
    stored = await passwords.hash("correct horse")

    async def best_of(times: int, one: str | None) -> float:
        took = []
        for _ in range(times):
            begun = time.perf_counter()
            await passwords.matches("wrong horse", one)
            took.append(time.perf_counter() - begun)
        return min(took)

    known, unknown = await best_of(5, stored), await best_of(5, None)
    assert 0.5 < unknown / known < 2
