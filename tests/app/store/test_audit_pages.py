from __future__ import annotations

import pytest
from sqlalchemy import select

from app.store.audit_pages import Difference, Looker, difference, pages, within
from app.store.opening import Store
from app.store.tables import players
from tests.app.store.house import add_player


async def names_in_pages(store: Store, page_rows: int) -> tuple[list[str], int]:
    """Every name as if it were a difference, and how many were counted."""
    looker = Looker(store.database, None, page_rows=page_rows)
    everyone = {"player/there": (players.c.id, lambda page: select(players.c.id).where(page).order_by(players.c.id))}
    found = [one.where async for one in pages(looker, "players", players.c.id, everyone)]
    return found, looker.counted["players"]


@pytest.mark.parametrize("page_rows", [1, 2, 3, 4, 5, 6, 100])
async def test_every_row_is_looked_at_once_whatever_the_page(store: Store, page_rows: int) -> None:
    names = ["ann", "bob", "cid", "dan", "eve"]
    for name in names:
        await add_player(store, name, chips=1)
    assert await names_in_pages(store, page_rows) == (names, 5)


async def test_nothing_is_no_page(store: Store) -> None:
    assert await names_in_pages(store, 3) == ([], 0)


async def test_a_walk_holds_no_snapshot_between_its_pages(store: Store) -> None:
    """What is added ahead of the walk while it is on its way is looked at too."""
    for name in ("ann", "bob"):
        await add_player(store, name, chips=1)
    looker = Looker(store.database, None, page_rows=1)
    everyone = {"player/there": (players.c.id, lambda page: select(players.c.id).where(page))}
    found: list[str] = []
    async for one in pages(looker, "players", players.c.id, everyone):
        if not found:
            await add_player(store, "zoe", chips=1)
        found.append(one.where)
    assert found == ["ann", "bob", "zoe"]


def test_a_page_has_an_end_unless_it_is_the_last() -> None:
    assert str(within(players.c.id, "a", "b")) == "players.id > :id_1 AND players.id <= :id_2"
    assert str(within(players.c.id, "a", None)) == "players.id > :id_1"


def test_the_first_column_says_where() -> None:
    assert difference("x/y", {"id": 7, "chips": 3}) == Difference("x/y", "7", {"id": 7, "chips": 3})
