"""The ledger added up again with plain SQL, from the database file that the server has left."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path


def check_books(database: Path, wallets: Mapping[str, int]) -> int:
    """Fail where the books are wrong; gives how many transfers there are.

    `wallets` is what the server told each player of his balance, at a moment when nobody sat at a table any more.
    """
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:

        def rows(query: str) -> list[tuple[object, ...]]:
            return connection.execute(query).fetchall()

        assert rows("SELECT sum(amount_chips) FROM entries") == [(0,)], "the ledger sums to zero"
        uneven = rows("SELECT transfer_id FROM entries GROUP BY transfer_id HAVING sum(amount_chips) <> 0")
        assert not uneven, "each transfer sums to zero"
        wrong = rows(
            "SELECT a.id FROM accounts a LEFT JOIN entries e ON e.account_id = a.id"
            " GROUP BY a.id HAVING a.balance_chips <> coalesce(sum(e.amount_chips), 0)"
        )
        assert not wrong, "each balance is the sum of its entries"
        assert not rows("SELECT id FROM accounts WHERE kind = 'seat' AND balance_chips <> 0"), "all chips went home"
        assert not rows("SELECT id FROM accounts WHERE kind IN ('seat', 'wallet') AND balance_chips < 0")
        told = rows("SELECT player_id, balance_chips FROM accounts WHERE kind = 'wallet'")
        assert {player: chips for player, chips in told if player in wallets} == wallets, "balances are as told"
        assert not rows("SELECT id FROM hands WHERE outcome IS NULL"), "no hand was left open"
        count = rows("SELECT count(*) FROM transfers")[0][0]
        assert isinstance(count, int)
        return count
