"""One balance that everybody wants, and calls that are made again and again: short runs of `tests.sim.money`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import PostgresServer
from tests.sim.money import buy_in_everywhere, call_again_and_again, sqlite_url


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database of this version's schema."""
    if request.param == "sqlite":
        yield sqlite_url(tmp_path)
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    found = server.database()
    yield found
    server.drop(found)


async def test_of_a_hundred_buy_ins_of_a_whole_balance_one_succeeds_each_time(url: str) -> None:
    assert await buy_in_everywhere(url, rounds=15) == 15 * 99


async def test_money_calls_have_as_many_effects_as_there_are_ids(url: str) -> None:
    made = await call_again_and_again(url, calls=1_500)
    assert made.made > len(made.answers)
    assert made.dropped > 100
