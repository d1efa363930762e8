"""Many bots on throwaway accounts, for a while: load for a server, or company for an evening."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from avenue_bots.seated import NoSeat, Seated
from avenue_bots.strategies import STRATEGIES
from avenue_bots.thinking import thinking
from avenue_sdk import Client, Played, Refused, SdkError, TableState

if TYPE_CHECKING:
    from collections.abc import Sequence

REGISTERING_AT_ONCE = 4
BUSY_PAUSE_S = 0.5


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is wanted: where, how many bots of which strategy, and for how long.

    `table` is an id or a name; without it the bots spread over the lobby. They end after `seconds`, or when so many
    `hands` were dealt at their table, whichever is first; None is no end. Hands are counted by table and not by bot,
    so that all who play together leave together and nobody waits alone for his last one. The same `seed` rolls the same
    dice.
    """

    url: str
    count: int = 4
    strategy: str = "cautious"
    seconds: float | None = None
    hands: int | None = None
    table: str | None = None
    buy_in_chips: int | None = None
    think_s: float = 0.0
    seed: int = 0


@dataclass
class Summary:
    """How the bots fared. `errors` counts what ended a bot early, by what it was; `tables` where they sat."""

    bots: int = 0
    bot_hands: int = 0
    net_chips: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    tables: Counter[str] = field(default_factory=Counter)

    def add(self, played: Played) -> None:
        self.bots += 1
        self.bot_hands += played.hands
        self.net_chips += played.net_chips
        self.refused.update(played.refused)


async def run_bots(order: Order, *, stop: asyncio.Event | None = None) -> Summary:
    """Register the bots, let them play, and let them leave with their chips; `stop` ends it early.

    Whatever ends one bot is counted in the summary and ends no other. Raises `Refused` for a table that is not there,
    and `ConnectionLost` when the server cannot be reached at all.
    """
    run = _Run(order)
    bots = [asyncio.create_task(run.one_bot(number, table)) for number, table in enumerate(await _tables_for(order))]
    watch = asyncio.create_task(run.hurry_at(stop or asyncio.Event()))
    try:
        await asyncio.gather(*bots)
    finally:
        for task in (*bots, watch):
            task.cancel()
    return run.summary


class _Run:
    """What the bots of one run share."""

    def __init__(self, order: Order) -> None:
        self.summary = Summary()
        self._order = order
        self._registering = asyncio.Semaphore(REGISTERING_AT_ONCE)
        self._seated: list[Seated] = []
        self._hands_before: dict[str, int] = {}
        self._over = False
        self._until_s = None if order.seconds is None else asyncio.get_running_loop().time() + order.seconds

    async def one_bot(self, number: int, table: str) -> None:
        """One bot from its account to its leaving, and its line in the summary."""
        order, summary, played = self._order, self.summary, Played()
        random = Random(f"{order.seed}:{number}")  # noqa: S311 - a bot's dice keep no secret
        decide = thinking(STRATEGIES[order.strategy], random, mean_s=order.think_s)
        summary.tables[table] += 1
        try:
            async with Client(order.url) as client:
                async with self._registering:
                    await _register(client)
                bot = Seated(client, table, decide, buy_in_chips=order.buy_in_chips, played=played)
                bot.until_s = self._until_s
                self._seated.append(bot)
                await bot.stay(done=self._done)
        except NoSeat:
            summary.errors["no seat, or no chips left"] += 1
        except Refused as refusal:
            summary.errors[refusal.code] += 1
        except SdkError as error:
            summary.errors[type(error).__name__] += 1
        finally:
            summary.add(played)

    def _done(self, state: TableState) -> bool:
        """Whether a bot is to leave; the first of the run to see a table counts for all who play there."""
        before = self._hands_before.setdefault(state.table.table, state.table.hands)
        if self._over or self._order.hands is None:
            return self._over
        return state.hand is None and state.table.hands - before >= self._order.hands

    async def hurry_at(self, stop: asyncio.Event) -> None:
        """Let every bot leave as soon as `stop` is set."""
        await stop.wait()
        self._over = True
        for bot in self._seated:
            bot.hurry()


async def _register(client: Client) -> None:
    """Make a throwaway account; a server that hashes too many passwords already is asked again."""
    name, password = f"bot-{secrets.token_hex(6)}", secrets.token_urlsafe(24)
    while True:
        try:
            await client.register(name, password, of_age=True)
        except Refused as refusal:
            if refusal.code != "account/busy":
                raise
            await asyncio.sleep(BUSY_PAUSE_S)
        else:
            return


async def _tables_for(order: Order) -> Sequence[str]:
    """A table for each bot: the named one, or all with free seats in turn, as long as they have some."""
    async with Client(order.url) as client:
        if order.table is not None:
            return [await client.find_table(order.table)] * order.count
        free = {table.id: table.free for table in await client.lobby(min_free_seats=1)}
    chosen: list[str] = []
    while len(chosen) < order.count and any(free.values()):
        for table in [table for table, seats in free.items() if seats]:
            if len(chosen) < order.count:
                chosen.append(table)
                free[table] -= 1
    return chosen
