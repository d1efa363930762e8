"""Adding the books up again finds what was changed in them."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from avenue_sdk import Client, Option, Options, TableState, play
from tests.app.served import PASSWORD, serving
from tests.e2e.books import check_books

NAMES = ("books-ada", "books-bo")


@pytest.fixture(scope="module")
async def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """The database of a server that has ended, after some hands, and what it told of the wallets."""
    folder = tmp_path_factory.mktemp("books")

    def stay(state: TableState, options: Options) -> Option:
        return options.stay

    async with serving(folder) as served:
        room = await served.table()
        login = {"password": PASSWORD, "of_age": True, "table": room.table, "decide": stay, "hands": 3}
        await asyncio.gather(*(play(served.url, name=name, **login) for name in NAMES))  # type: ignore[arg-type]
        wallets = {}
        for name in NAMES:
            async with Client(served.url) as client:
                player = await client.login(name, PASSWORD)
                wallets[player.id] = (await client.balance()).balance_chips
    return folder / "avenue.db", wallets


def test_books_that_are_in_order(kept: tuple[Path, dict[str, int]]) -> None:
    assert check_books(*kept) >= 4


def test_a_balance_that_was_told_otherwise(kept: tuple[Path, dict[str, int]]) -> None:
    database, wallets = kept
    with pytest.raises(AssertionError):
        check_books(database, {player: chips + 1 for player, chips in wallets.items()})


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE accounts SET balance_chips = balance_chips + 1 WHERE kind = 'wallet'",
        "UPDATE entries SET amount_chips = 3 * amount_chips WHERE line = 1",
        "DELETE FROM entries WHERE transfer_id = (SELECT max(transfer_id) FROM entries) AND line = 1",
        "UPDATE hands SET outcome = NULL, ended_ms = NULL WHERE number = 1",
    ],
)
def test_whatever_is_changed_is_found(kept: tuple[Path, dict[str, int]], change: str, tmp_path: Path) -> None:
    database, wallets = kept
    copy = tmp_path / "copy.db"
    shutil.copy(database, copy)
    with closing(sqlite3.connect(copy)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(change).rowcount > 0
        connection.commit()
    with pytest.raises(AssertionError):
        check_books(copy, wallets)
