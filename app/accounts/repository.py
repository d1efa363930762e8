"""What accounts read and write in SQL, besides registering, which moves chips and is the bank's."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import delete, func, insert, select, tuple_

from app.store.tables import players, sessions
from engine.rules.events import PlayerId

if TYPE_CHECKING:
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


class AccountRepository:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def login(self, name_key: str) -> Login | None:
        query = select(players.c.id, players.c.name, players.c.kind, players.c.password_hash)
        async with self._database.read() as connection:
            row = (await connection.execute(query.where(players.c.name_key == name_key))).one_or_none()
        return None if row is None else Login(Player(PlayerId(row.id), row.name, row.kind), row.password_hash)

    async def player_of_session(self, token_sha256: bytes, *, now_ms: int) -> Player | None:
        query = (
            select(players.c.id, players.c.name, players.c.kind)
            .join(sessions, sessions.c.player_id == players.c.id)
            .where(sessions.c.token_sha256 == token_sha256, sessions.c.expires_ms > now_ms)
        )
        async with self._database.read() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else Player(PlayerId(row.id), row.name, row.kind)

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
