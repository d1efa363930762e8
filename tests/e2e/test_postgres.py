"""The server as a process on PostgreSQL: bots play, it is killed in the middle, comes back, and the books are right."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from random import Random

import pytest
from argon2 import PasswordHasher
from pydantic import SecretStr

from app.accounts.passwords import Passwords
from app.bootstrap import open_house
from app.settings import Settings
from app.store.audit import audit
from app.store.database import Database
from app.store.tables import PLAY
from app.store.urls import place_of
from app.store.writes import Write
from avenue_bots.strategies import STRATEGIES
from avenue_bots.thinking import thinking
from avenue_sdk import play
from engine.rules.variants import seven_card_stud
from engine.table.events import TableConfig
from tests.app.store.places import KEYS, PostgresPlace
from tests.e2e.server import ADDRESS, SERVE, START_S
from tests.postgres import PostgresServer

HANDS = 6
CONFIG = TableConfig(
    name="Rue",
    variant=seven_card_stud(small_bet_chips=2, big_bet_chips=4),
    currency=PLAY,
    min_buy_in_chips=40,
    pause_ms=0,
    quiet_pause_ms=0,
)


@pytest.fixture
def place(postgres: PostgresServer) -> Iterator[PostgresPlace]:
    url = postgres.database()
    yield PostgresPlace(postgres, url)
    postgres.drop(url)


@asynccontextmanager
async def serving(place: PostgresPlace) -> AsyncIterator[tuple[Process, str]]:
    """Run `avenue serve` with everything from the environment, as an operator of PostgreSQL does."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "COLUMNS": "120",
        "AVENUE_DATABASE_URL": place.url,
        "AVENUE_SEALING_KEYS": KEYS,
        "AVENUE_COMMANDS_PER_SECOND": "1000",
        "AVENUE_COMMANDS_BURST": "3000",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVE, "serve", "--port", "0", "--no-demo", "--no-bots", "--log-level", "error"),
        env=environment, stdout=PIPE, stderr=STDOUT,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_S):
            printed = ""
            while (found := ADDRESS.search(printed)) is None:
                line = (await process.stdout.readline()).decode()
                assert line, f"the server ended before it served:\n{printed}"
                printed += line
        yield process, found[0]
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def bots_playing(url: str) -> AsyncIterator[None]:
    """Four guests, the same ones each time, play as long as this lasts; then they leave, if there is still a server."""

    async def one(seed: int) -> None:
        await play(
            url,
            name=f"guest{seed}",
            password="a password for bots",
            decide=thinking(STRATEGIES["random"], Random(seed), mean_s=0),
            of_age=True,
        )

    playing = asyncio.gather(*(one(seed) for seed in range(4)))
    try:
        yield
    finally:
        playing.cancel()
        await asyncio.wait([playing])


async def test_a_house_on_postgresql_plays_dies_and_comes_back(place: PostgresPlace) -> None:
    settings = Settings(database_url=place.url, sealing_keys=SecretStr(KEYS), demo=False)
    async with open_house(settings, passwords=Passwords(PasswordHasher())) as house:
        await house.rooms.open(CONFIG)

    async with serving(place) as (process, url), bots_playing(url):
        await hands_played(place, HANDS)
        process.send_signal(signal.SIGKILL)
        await process.wait()
    played = ended_hands(place)
    assert await differences(place) == ()

    async with serving(place) as (process, url):
        async with bots_playing(url):
            await hands_played(place, played + HANDS)
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
    assert place.sql("SELECT count(*) FROM server_epochs") == [(3,)]
    assert await differences(place) == ()


async def hands_played(place: PostgresPlace, number: int) -> None:
    for _ in range(1_200):
        if ended_hands(place) >= number:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("nobody plays")


def ended_hands(place: PostgresPlace) -> int:
    ((ended,),) = place.sql("SELECT count(*) FROM hands WHERE outcome = 'ended'")
    return int(ended)


async def differences(place: PostgresPlace) -> tuple[object, ...]:
    database = Database(place_of(place.url), NoWriter())
    try:
        return (await audit(database)).differences
    finally:
        await database.close()


class NoWriter:
    """Whoever only reads needs none."""

    epoch = 0

    async def write(self, write: Write) -> None:
        raise AssertionError("an audit writes nothing")
