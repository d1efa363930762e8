"""The house bots: they keep people company at the lobby's tables, for as long as the server is there.

Their names and tokens come from whoever started them, as one line of JSON on the standard input. The input stays open
as long as the starter lives; when it ends, the bots do. They keep their seats when they go and find them again.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec

from avenue_bots.seated import NoSeat, Seated
from avenue_bots.strategies import STRATEGIES
from avenue_bots.thinking import thinking
from avenue_sdk import Client, ConnectionLost, Refused, SdkError, Unanswered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from avenue_sdk.play import Decide

KEPT_FREE = 2
"""Seats that stay free for people at each table."""

PAUSE_S = 30.0
"""How long a bot without a seat or without chips waits before it looks again."""

GONE = frozenset({1001, 1012})
"""Close codes that mean: the server will be away in a moment."""

TEMPERS = ("cautious", "loose")


class Admission(msgspec.Struct, frozen=True):
    """A house bot's name and the token of its login. Its `repr` tells the name alone."""

    name: str
    token: str

    def __repr__(self) -> str:
        return f"<Admission {self.name}>"


class BadAdmissions(Exception):
    """The line on the standard input is no list of names and tokens. It is not repeated, since it may hold some."""


def read_admissions(line: bytes) -> list[Admission]:
    """Read `[{"name": …, "token": …}, …]`; raises `BadAdmissions`."""
    try:
        return msgspec.json.decode(line, type=list[Admission])
    except msgspec.DecodeError:
        raise BadAdmissions from None


@dataclass(frozen=True, kw_only=True)
class Table:
    """What seating the bots needs of a table; `present` are the names of those who sit there."""

    id: str
    seats: int
    present: frozenset[str]


def place(name: str, tables: Sequence[Table], going: Mapping[str, str]) -> str | None:
    """Say to which table a bot goes: back to where it sits, else wherever the fewest bots are; None is nowhere.

    `going` says where the other bots sit or are on their way to. No bot is sent to a table where fewer than `KEPT_FREE`
    seats would then be free.
    """
    best: tuple[int, str] | None = None
    for table in tables:
        if name in table.present:
            return table.id
        bots = {bot for bot, there in going.items() if there == table.id and bot != name}
        free = table.seats - len(table.present | bots)
        if free > KEPT_FREE and (best is None or len(bots) < best[0]):
            best = len(bots), table.id
    return None if best is None else best[1]


class Company:
    """All house bots of one process. `keep` runs until the server goes away, or until it is cancelled."""

    def __init__(self, url: str, admissions: Sequence[Admission], *, think_s: float, seed: int = 0) -> None:
        self._url = url
        self._admissions = admissions
        self._think_s = think_s
        self._seed = seed
        self._staying = len(admissions)
        self._over = asyncio.Event()
        self._going: dict[str, str] = {}
        self._placing = asyncio.Lock()

    async def keep(self) -> None:
        """Seat the bots and let them play. Ends quietly when the server goes away; a bot that is ended keeps its seat.

        It ends too when no bot is left that the server lets in.
        """
        async with asyncio.TaskGroup() as group:
            bots = [group.create_task(self._keep_one(one), name=one.name) for one in self._admissions]
            await self._over.wait()
            for bot in bots:
                bot.cancel()

    async def _keep_one(self, admission: Admission) -> None:
        random = Random(f"{self._seed}:{admission.name}")  # noqa: S311 - a bot's dice keep no secret
        strategy = STRATEGIES[TEMPERS[crc32(admission.name.encode()) % len(TEMPERS)]]
        decide = thinking(strategy, random, mean_s=self._think_s)
        async with Client(self._url, token=admission.token) as client:
            while True:
                if not await self._one_stay(client, admission.name, decide):
                    break
                # Everybody looks again at another moment.
                await asyncio.sleep(PAUSE_S * (0.5 + random.random()))
        self._staying -= 1
        if not self._staying:
            self._over.set()

    async def _one_stay(self, client: Client, name: str, decide: Decide) -> bool:
        """Play at a table for as long as it goes well; tells whether it makes sense to come back later."""
        try:
            table = await self._place(client, name)
            if table is not None:
                await Seated(client, table, decide, keep_free=KEPT_FREE).stay(done=lambda _: False)
        except ConnectionLost as lost:
            if lost.close_code in GONE or not await _answers(client):
                self._over.set()
        except Refused as refusal:
            # Without its login a bot cannot do anything any more.
            return not refusal.code.startswith("account/")
        except (NoSeat, SdkError):
            return True
        finally:
            self._going.pop(name, None)
        return True

    async def _place(self, client: Client, name: str) -> str | None:
        """Where this bot is to sit as the lobby stands now. One bot looks at a time, so that none overlooks another."""
        async with self._placing:
            lines = await client.lobby()
            details = await asyncio.gather(*(client.table_detail(line.id) for line in lines))
            tables = [
                Table(id=table.id, seats=table.seats, present=frozenset(seat.name for seat in table.players))
                for table in details
            ]
            chosen = place(name, tables, self._going)
            if chosen is not None:
                self._going[name] = chosen
            return chosen


async def _answers(client: Client) -> bool:
    """Whether the server is there, after it has dropped one connection without a word."""
    try:
        await client.lobby()
    except (ConnectionLost, Unanswered):
        return False
    return True
