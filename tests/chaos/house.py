"""The house that is killed: its database with many tables and players, made by the house's own door."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from dataclasses import dataclass, field
from random import Random

from argon2 import PasswordHasher
from pydantic import SecretStr

from app.accounts.passwords import Passwords
from app.bootstrap import open_house
from app.settings import Settings
from app.store import migrate
from engine.rules.variants import Rake, Variant, five_card_stud, seven_card_stud
from engine.table.events import TableConfig, TableId

SEATS_PER_PLAYER = 8
"""Tables at which one player sits: half of what is allowed."""

GRANT_CHIPS = 10_000_000
"""So much that no player ever runs out of chips."""

VARIANTS: tuple[Variant, ...] = (
    five_card_stud(small_bet_chips=2, big_bet_chips=4),
    seven_card_stud(small_bet_chips=5, big_bet_chips=10, rake=Rake(basis_points=500, cap_chips=3)),
    five_card_stud(small_bet_chips=5, big_bet_chips=10, bring_in_chips=2, heads_up_uncapped=True),
    seven_card_stud(small_bet_chips=2, big_bet_chips=4),
)


@dataclass(frozen=True, slots=True)
class Place:
    """One player at one table, who speaks over a socket of his own there."""

    table: TableId
    player: str
    token: str = field(repr=False)
    buy_in_chips: int


@dataclass(frozen=True, slots=True)
class Furnished:
    """What was made: the tables in their order, and who plays where. `tokens` are the players' logins."""

    url: str
    tables: tuple[TableId, ...]
    places: tuple[Place, ...]
    tokens: dict[str, str] = field(repr=False)

    @property
    def issued_chips(self) -> int:
        return GRANT_CHIPS * len(self.tokens)


SEALING_KEYS = "chaos:" + b64encode(b"k" * 32).decode()
"""What wraps the keys of hands; beside a database that is no file there is no other place for it."""


def settings_of(url: str) -> Settings:
    """How the house stands on that database."""
    return Settings(
        database_url=url, demo=False, log_level="warning", grant_chips=GRANT_CHIPS, sealing_keys=SecretStr(SEALING_KEYS)
    )


async def furnish(url: str, *, tables: int, seed: int) -> Furnished:
    """Make the database, open the tables, and give every table two or three players."""
    await asyncio.to_thread(migrate.upgrade, url)
    dice = Random(f"{seed}:house")
    cheap = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    seats = [dice.choice((2, 2, 3)) for _ in range(tables)]
    async with open_house(settings_of(url), passwords=cheap) as house:
        opened = [await house.rooms.open(_config(number)) for number in range(tables)]
        count = max(3, -(-sum(seats) // SEATS_PER_PLAYER))
        logins = [await house.accounts.register(f"chaos{number}", "chaos" * 3, of_age=True) for number in range(count)]
    places = []
    for number, (room, wanted) in enumerate(zip(opened, seats, strict=True)):
        for nth in range(wanted):
            # Neighbours in the row of players meet at a table, and each table has others.
            login = logins[(sum(seats[:number]) + nth) % count]
            buy_in_chips = _config(number).min_buy_in_chips * dice.choice((1, 1, 2, 3))
            places.append(Place(room.table, login.player.id, login.token, buy_in_chips))
    return Furnished(
        url=url,
        tables=tuple(room.table for room in opened),
        places=tuple(places),
        tokens={login.player.id: login.token for login in logins},
    )


def _config(number: int) -> TableConfig:
    """A table without pauses, where stacks are short: all-ins, side pots and buying more come often."""
    variant = VARIANTS[number % len(VARIANTS)]
    return TableConfig(
        name=f"Table {number}",
        variant=variant,
        currency="PLAY",
        min_buy_in_chips=6 * variant.big_bet_chips,
        pause_ms=0,
        quiet_pause_ms=0,
    )
