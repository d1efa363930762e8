"""Accounts: registering, logging in and out, and whose a token is.

A login gives an opaque token, which is told once and kept as its hash alone. Nothing tells a name that nobody has from
one with another password: neither the answer nor the time that it takes.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from app.accounts.schemas import LoggedInBody, PlayerBody
from app.refusals import BadName, BadPassword, NotLoggedIn, NotOfAge, WrongLogin
from app.store.bank import NewPlayer
from engine.limits import (
    MAX_NAME_CHARS,
    MAX_PASSWORD_CHARS,
    MAX_SESSIONS_PER_PLAYER,
    MIN_NAME_CHARS,
    MIN_PASSWORD_CHARS,
)
from engine.rules.events import PlayerId

if TYPE_CHECKING:
    from app.accounts.passwords import Passwords
    from app.accounts.repository import AccountRepository, Player
    from app.store.bank import Bank
    from engine.table.ports import Clock

PERSON: Final = "person"
HOUSE_BOT: Final = "house_bot"
HOUSE_PREFIX: Final = "house-"
"""Names that begin like this are the house's own: no registration can take one."""

HOUR_MS: Final = 3_600_000
HOUSE_SESSION_MS: Final = 10 * 365 * 24 * HOUR_MS
"""House bots get a new token at every start of the server; until then theirs never runs out."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTerms:
    """What the house sets for accounts."""

    min_age: int
    grant_chips: int
    session_hours: int


class Accounts:
    """All accounts of the house."""

    def __init__(
        self, repository: AccountRepository, bank: Bank, passwords: Passwords, *, clock: Clock, terms: AccountTerms
    ) -> None:
        self._repository = repository
        self._bank = bank
        self._passwords = passwords
        self._clock = clock
        self._terms = terms

    async def prepare(self) -> None:
        """Do once, at the start, what the first login would else be slower for."""
        await self._passwords.prepare()

    async def register(self, name: str, password: str, *, of_age: bool) -> LoggedInBody:
        """Make a person's account with its grant, and log it in.

        Raises `NotOfAge`, `BadName`, `BadPassword`, `HashingBusy`, and `CommitRefused` with `account/name_taken`.
        """
        if not of_age:
            raise NotOfAge(min_age=self._terms.min_age)
        _require_good_name(name)
        if not MIN_PASSWORD_CHARS <= len(password) <= MAX_PASSWORD_CHARS:
            raise BadPassword(min_chars=MIN_PASSWORD_CHARS, max_chars=MAX_PASSWORD_CHARS)
        password_hash = await self._passwords.hash(password)
        now_ms = self._clock.now_ms()
        player = await self._keep(name, kind=PERSON, password_hash=password_hash, of_age_word_ms=now_ms)
        return await self._log_in(player)

    async def log_in(self, name: str, password: str) -> LoggedInBody:
        """Give a new token. Raises `WrongLogin`, whatever was wrong, and `HashingBusy`."""
        # What no account can have costs as much as what one could: the password is cut, not refused.
        login = await self._repository.login(_key(name[: MAX_NAME_CHARS + 1]))
        stored = None if login is None else login.password_hash
        matches = await self._passwords.matches(password[: MAX_PASSWORD_CHARS + 1], stored)
        if login is None or not matches:
            raise WrongLogin
        return await self._log_in(PlayerBody.model_validate(login.player))

    async def log_out(self, token: str) -> None:
        """End the session of a token. Raises `NotLoggedIn` for a token without one."""
        await self.player(token)
        await self._repository.end_session(_hash(token))

    async def player(self, token: str) -> Player:
        """Whose token it is. Raises `NotLoggedIn`."""
        player = await self._repository.player_of_session(_hash(token), now_ms=self._clock.now_ms())
        if player is None:
            raise NotLoggedIn
        return player

    async def admit_house_bot(self, name: str) -> LoggedInBody:
        """Log a house bot in, making its account at the first time; whatever token it had before is void.

        Only the server itself may call this, and must hand the token to nobody but its own bots. `name` must begin
        with `HOUSE_PREFIX`.
        """
        login = await self._repository.login(_key(name))
        if login is None:
            player = await self._keep(name, kind=HOUSE_BOT, password_hash=None, of_age_word_ms=None)
        else:
            player = PlayerBody.model_validate(login.player)
        return await self._log_in(player, holds_ms=HOUSE_SESSION_MS, others=0)

    async def _keep(self, name: str, *, kind: str, password_hash: str | None, of_age_word_ms: int | None) -> PlayerBody:
        player = PlayerId(f"p_{secrets.token_hex(8)}")
        new = NewPlayer(
            id=player,
            kind=kind,
            name=name,
            name_key=_key(name),
            password_hash=password_hash,
            created_ms=self._clock.now_ms(),
            of_age_word_ms=of_age_word_ms,
        )
        await self._bank.register(new, grant_chips=self._terms.grant_chips)
        return PlayerBody(id=player, name=name, kind=kind)

    async def _log_in(
        self, player: PlayerBody, *, holds_ms: int | None = None, others: int = MAX_SESSIONS_PER_PLAYER - 1
    ) -> LoggedInBody:
        token = secrets.token_urlsafe(32)
        now_ms = self._clock.now_ms()
        expires_ms = now_ms + (self._terms.session_hours * HOUR_MS if holds_ms is None else holds_ms)
        await self._repository.add_session(
            PlayerId(player.id), _hash(token), created_ms=now_ms, expires_ms=expires_ms, keep=others
        )
        return LoggedInBody(player=player, token=token, expires_at_ms=expires_ms)


def _require_good_name(name: str) -> None:
    if not MIN_NAME_CHARS <= len(name) <= MAX_NAME_CHARS:
        reason = "length"
    elif not _NAME.fullmatch(name):
        reason = "letters"
    elif _key(name).startswith(HOUSE_PREFIX):
        reason = "reserved"
    else:
        return
    raise BadName(min_chars=MIN_NAME_CHARS, max_chars=MAX_NAME_CHARS, reason=reason)


def _key(name: str) -> str:
    """Names that differ in their letters' case alone are the same name."""
    return name.casefold()


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
