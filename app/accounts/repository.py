"""What accounts read and write in SQL, besides registering, which moves chips and is the bank's."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import delete, func, insert, select, tuple_

from app.store.tables import players, sessions
from engine.rules.events import PlayerId

if TYPE_CHECKING:
    from collections.abc import Collection

    from app.store.database import Database


class Player(NamedTuple):
    """Who somebody is. `kind` is a word of SQL's `player_kinds`."""

    id: PlayerId
    name: str
    kind: str


class Login(NamedTuple):
    """What a login is held against. No hash: nobody can log in by a password."""

    player: Player
    password_hash: str | None

    def __repr__(self) -> str:
        return f"<Login {self.player.id}>"


class _Session(NamedTuple):
    player: Player
    expires_ms: int


class AccountRepository:
    def __init__(self, database: Database) -> None:
        self._database = database
        # Each token's answer, shared by all who ask for it before the next read begins.
        self._asked: dict[bytes, asyncio.Future[_Session | None]] = {}
        self._reading: asyncio.Task[None] | None = None

    async def login(self, name_key: str) -> Login | None:
        query = select(players.c.id, players.c.name, players.c.kind, players.c.password_hash)
        async with self._database.read() as connection:
            row = (await connection.execute(query.where(players.c.name_key == name_key))).one_or_none()
        return None if row is None else Login(Player(PlayerId(row.id), row.name, row.kind), row.password_hash)

    async def player_of_session(self, token_sha256: bytes, *, now_ms: int) -> Player | None:
        """Whose session it is, None for one that has run out or never was.

        Whoever asks while a read runs shares the next one with all others who do: when a server comes back, all that
        were connected before ask at once.
        """
        answer = self._asked.get(token_sha256)
        if answer is None:
            answer = self._asked[token_sha256] = asyncio.get_running_loop().create_future()
        if self._reading is None:
            self._reading = asyncio.get_running_loop().create_task(self._read_sessions())
        found = await asyncio.shield(answer)
        return None if found is None or found.expires_ms <= now_ms else found.player

    async def _read_sessions(self) -> None:
        """Answer whoever has asked, and whoever asks meanwhile, until nobody is left."""
        try:
            while self._asked:
                asked, self._asked = self._asked, {}
                try:
                    found = await self._sessions(asked)
                except Exception as error:  # noqa: BLE001 - handed on to everyone who asked
                    for answer in asked.values():
                        answer.set_exception(error)
                        # Whoever asked may be gone; asking here keeps the loop from complaining that nobody did.
                        answer.exception()
                else:
                    for token, answer in asked.items():
                        answer.set_result(found.get(token))
        finally:
            self._reading = None

    async def _sessions(self, tokens: Collection[bytes]) -> dict[bytes, _Session]:
        query = (
            select(sessions.c.token_sha256, sessions.c.expires_ms, players.c.id, players.c.name, players.c.kind)
            .join(players, sessions.c.player_id == players.c.id)
            .where(sessions.c.token_sha256.in_(list(tokens)))
        )
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        return {
            bytes(row.token_sha256): _Session(Player(PlayerId(row.id), row.name, row.kind), row.expires_ms)
            for row in rows
        }

    async def add_session(
        self, player: PlayerId, token_sha256: bytes, *, created_ms: int, expires_ms: int, keep: int
    ) -> None:
        """Keep a new session and the latest of the player's others, at most `keep`; what has run out is dropped."""
        later = sessions.alias("later")
        later_ones = (
            select(func.count())
            .select_from(later)
            .where(
                later.c.player_id == player,
                tuple_(later.c.created_ms, later.c.token_sha256)
                > tuple_(sessions.c.created_ms, sessions.c.token_sha256),
            )
            .scalar_subquery()
        )
        async with self._database.write() as write:
            await write.execute(delete(sessions).where(sessions.c.expires_ms <= created_ms))
            await write.execute(delete(sessions).where(sessions.c.player_id == player, later_ones >= keep))
            await write.execute(
                insert(sessions).values(
                    token_sha256=token_sha256, player_id=player, created_ms=created_ms, expires_ms=expires_ms
                )
            )

    async def end_session(self, token_sha256: bytes) -> None:
        async with self._database.write() as write:
            await write.execute(delete(sessions).where(sessions.c.token_sha256 == token_sha256))
