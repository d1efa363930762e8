"""The wallet's reads: an account that nothing was ever put in is an empty wallet."""

from pathlib import Path

from app.store import migrate
from app.store.bank import NewPlayer
from app.store.opening import open_store
from app.wallet.repository import WalletRepository
from engine.rules.events import PlayerId

ADA = PlayerId("p_ada")


async def test_an_empty_wallet(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/avenue.db"
    migrate.upgrade(url)
    store = await open_store(url, now_ms=lambda: 0)
    new = NewPlayer(
        id=ADA, kind="person", name="Ada", name_key="ada", password_hash="h", created_ms=0, of_age_word_ms=0
    )
    await store.bank.register(new, grant_chips=0)
    repository = WalletRepository(store.database)
    assert await repository.wallet(ADA, "PLAY") == ("PLAY", 0, 0, None)
    assert await repository.entries(ADA, "PLAY", before=None, limit=10) == []
    await store.close()
