from __future__ import annotations

import pytest
from sqlalchemy import insert, select

from app.store.errors import StoreClosed, WrongSchema
from app.store.looking import look
from app.store.opening import Store
from app.store.tables import players, sessions
from tests.app.store.house import add_player
from tests.app.store.places import Place


async def test_one_may_look_beside_a_server_and_write_nothing(store: Store, place: Place) -> None:
    await add_player(store, "ann", chips=1)
    async with look(place.url) as database:
        async with database.read() as connection:
            assert (await connection.execute(select(players.c.id))).scalars().all() == ["ann"]
            with pytest.raises(Exception, match=r"readonly|read-only"):
                await connection.exec_driver_sql("DELETE FROM sessions")
        row = {"token_sha256": b"x", "player_id": "ann", "created_ms": 1, "expires_ms": 2}
        with pytest.raises(StoreClosed):
            async with database.write() as write:
                await write.execute(insert(sessions).values(row))
    await add_player(store, "bob", chips=1)


async def test_a_database_of_another_version_is_told(tmp_path: object) -> None:
    with pytest.raises(WrongSchema):
        async with look(f"sqlite:///{tmp_path}/none.db"):
            pass
