"""What accounts keep in SQL besides the player's own row."""

from pathlib import Path

import pytest

from app.accounts.repository import AccountRepository
from app.store import migrate
from app.store.bank import NewPlayer
from app.store.opening import open_store
from engine.rules.events import PlayerId

ADA = PlayerId("p_ada")


@pytest.mark.parametrize("keep", [0, 2])
async def test_sessions_are_kept_up_to_a_bound_and_dropped_when_they_run_out(tmp_path: Path, keep: int) -> None:
    url = f"sqlite:///{tmp_path}/avenue.db"
    migrate.upgrade(url)
    store = await open_store(url, now_ms=lambda: 0)
    repository = AccountRepository(store.database)
    new = NewPlayer(
        id=ADA, kind="person", name="Ada", name_key="ada", password_hash="h", created_ms=0, of_age_word_ms=0
    )
    await store.bank.register(new, grant_chips=5)
    tokens = [bytes([number]) * 32 for number in range(5)]
    for number, token in enumerate(tokens):
        await repository.add_session(ADA, token, created_ms=number, expires_ms=100 + number, keep=keep)
    alive = [await repository.player_of_session(token, now_ms=50) is not None for token in tokens]
    assert alive == [number >= 4 - keep for number in range(5)]
    assert await repository.player_of_session(tokens[4], now_ms=103) == (ADA, "Ada", "person")
    assert await repository.player_of_session(tokens[4], now_ms=104) is None
    await repository.end_session(tokens[4])
    assert await repository.player_of_session(tokens[4], now_ms=50) is None
    await store.close()


async def test_nobody_has_no_login(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/avenue.db"
    migrate.upgrade(url)
    store = await open_store(url, now_ms=lambda: 0)
    assert await AccountRepository(store.database).login("nobody") is None
    await store.close()
