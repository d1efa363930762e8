"""Passwords as Argon2id hashes. Each takes a tenth of a second of one core: they are made in threads, a few at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.refusals import HashingBusy
from engine.limits import MAX_HASHES_AT_ONCE, MAX_WAITING_HASHES

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    _Result = TypeVar("_Result")


class Passwords:
    """Hashes and checks. One for the whole process, so that its bound holds for all."""

    def __init__(self, hasher: PasswordHasher | None = None, *, at_once: int = MAX_HASHES_AT_ONCE) -> None:
        self._hasher = hasher or PasswordHasher()
        self._limiter = anyio.CapacityLimiter(at_once)
        self._nobodys_hash: str | None = None

    async def prepare(self) -> None:
        """Do once at start what would make the first check slower than all others."""
        await self._hash_of_nobody()

    async def hash(self, password: str) -> str:
        """Make the hash that is stored. Raises `HashingBusy`."""
        return await self._in_thread(self._hasher.hash, password)

    async def matches(self, password: str, stored: str | None) -> bool:
        """Tell whether the password is the one of the stored hash; for nobody, None, that takes as long.

        Raises `HashingBusy`.
        """
        if stored is None:
            await self._in_thread(self._check, password, await self._hash_of_nobody())
            return False
        return await self._in_thread(self._check, password, stored)

    async def _hash_of_nobody(self) -> str:
        """A hash of the same cost that belongs to no account."""
        if self._nobodys_hash is None:
            self._nobodys_hash = await self.hash("nobody's own")
        return self._nobodys_hash

    def _check(self, password: str, stored: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _in_thread(self, work: Callable[..., _Result], *arguments: str) -> _Result:
        if self._limiter.statistics().tasks_waiting >= MAX_WAITING_HASHES:
            raise HashingBusy
        return await anyio.to_thread.run_sync(work, *arguments, limiter=self._limiter)
