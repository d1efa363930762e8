"""Sixteen bots at four tables over real sockets against a real server process, and a look at what it has left behind.

    python -m tests.e2e.play --hands 2000 [--seed 7]

Afterwards the ledger sums to zero, each balance equals its ledger, each hand plays again from the journal to the same
events byte for byte, and no viewer was sent a card that he may not know. Meanwhile a seventeenth player sends garbage,
others' turns, stale turns, huge frames and negative amounts: each gets its code and moves nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from app import logs
from avenue_bots.seated import Seated
from avenue_bots.strategies import STRATEGIES
from avenue_bots.thinking import thinking
from avenue_sdk import Played, TableState
from engine.rules.variants import Rake, Variant, five_card_stud, seven_card_stud
from engine.table.events import TableConfig, TableId
from tests.e2e.books import check_books
from tests.e2e.census import Census, told_without_a_gap
from tests.e2e.journal import journals
from tests.e2e.nuisance import Nuisance
from tests.e2e.recording import Received, RecordingClient
from tests.e2e.replay import check_replay, hands_of
from tests.e2e.server import open_tables, server_process, settings_in

BOTS_PER_TABLE = 4
PASSWORD = "a password for bots"
MINUTES_PER_THOUSAND_HANDS = 10
"""Far longer than it takes; then something is stuck, and the run fails."""

VARIANTS: tuple[Variant, ...] = (
    seven_card_stud(small_bet_chips=2, big_bet_chips=4),
    five_card_stud(small_bet_chips=2, big_bet_chips=4),
    seven_card_stud(small_bet_chips=5, big_bet_chips=10, rake=Rake(basis_points=500, cap_chips=3)),
    five_card_stud(small_bet_chips=5, big_bet_chips=10, bring_in_chips=2, heads_up_uncapped=True),
)


@dataclass
class Report:
    """What was played and what was looked at; every figure is one that was held against something."""

    hands: int = 0
    bot_hands: int = 0
    seconds: float = 0
    events: int = 0
    told: int = 0
    frames: int = 0
    cards: int = 0
    transfers: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    mischief: Counter[tuple[str, str]] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        pace = f"{self.hands / self.seconds:.1f} hands a second" if self.seconds else "nothing played"
        return [
            f"{self.hands} hands at {len(VARIANTS)} tables in {self.seconds:.1f} s ({pace}); all replay byte for byte",
            f"{self.events} events in the journal; {self.told} told in {self.frames} frames, none left out",
            f"{self.cards} cards in these frames, none that its receiver may not know",
            f"{self.transfers} transfers; the ledger sums to zero, each balance is as its player was told",
            f"{self.mischief.total()} frames of mischief, each with its code: {_listed(self.mischief)}",
            f"refused to the bots: {dict(self.refused) or 'nothing'}",
        ]


def _listed(mischief: Counter[tuple[str, str]]) -> str:
    codes: Counter[str] = Counter()
    for (_, code), times in mischief.items():
        codes[code] += times
    return ", ".join(f"{code} {times}" for code, times in sorted(codes.items()))


async def run(*, hands: int, seed: int, folder: Path, commands_per_second: int = 1_000) -> Report:
    """Play so many hands in all, spread over the tables; raises `AssertionError` for whatever does not hold."""
    report = Report()
    configs = [_config(number, variant) for number, variant in enumerate(VARIANTS, start=1)]
    tables = await open_tables(folder, configs)
    async with asyncio.timeout(60 * (2 + MINUTES_PER_THOUSAND_HANDS * hands / 1_000)):
        received, wallets = await _played(
            report, tables, hands=hands, seed=seed, folder=folder, pace=commands_per_second
        )
    kept = await journals(folder, tables)
    report.transfers = check_books(folder / "avenue.db", wallets)
    for table in tables:
        report.events += len(kept[table])
        for events in hands_of(kept[table]):
            check_replay(events)
            report.hands += 1
        census = Census(kept[table])
        for one in received:
            if one.table == table:
                report.told += told_without_a_gap(one, kept[table])
                report.frames += len(one.frames)
                report.cards += census.check(one)
    return report


async def _played(  # noqa: PLR0913 - one run, with all that it is made of
    report: Report, tables: list[TableId], *, hands: int, seed: int, folder: Path, pace: int
) -> tuple[list[Received], dict[str, int]]:
    """Let the bots play; gives what everybody was sent, and what each player's wallet held at the end."""
    each = -(-hands // len(tables))

    def done(state: TableState) -> bool:
        return state.table.hands >= each

    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(server_process(folder, commands_per_second=pace))
        clients = [await stack.enter_async_context(RecordingClient(url)) for _ in range(len(tables) * BOTS_PER_TABLE)]
        for number, client in enumerate(clients):
            client.player = (await client.register(f"bot-{number}", PASSWORD, of_age=True)).id
        watcher = await stack.enter_async_context(RecordingClient(url))
        for table in tables:
            await stack.enter_async_context(watcher.table(table))
        troublemaker = await stack.enter_async_context(RecordingClient(url))
        troublemaker.player = (await troublemaker.register("nuisance", PASSWORD, of_age=True)).id
        begun = time.monotonic()
        bots = [_bot(client, tables[number % len(tables)], seed, number) for number, client in enumerate(clients)]
        async with asyncio.TaskGroup() as group:
            for bot in bots:
                group.create_task(bot.stay(done=done))
            group.create_task(_trouble(report, troublemaker, tables[0], done, seed))
        report.seconds = time.monotonic() - begun
        report.bot_hands = sum(bot.played.hands for bot in bots)
        for bot in bots:
            report.refused.update(bot.played.refused)
        everybody = [*clients, troublemaker]
        wallets = {client.player: (await client.balance()).balance_chips for client in everybody if client.player}
        received = [one for client in (*everybody, watcher) for one in client.received]
    return received, wallets


def _bot(client: RecordingClient, table: TableId, seed: int, number: int) -> Seated:
    names = list(STRATEGIES)
    strategy = STRATEGIES[names[number // len(VARIANTS) % len(names)]]
    decide = thinking(strategy, Random(f"{seed}:{number}"), mean_s=0)
    return Seated(client, table, decide, played=Played())


async def _trouble(
    report: Report, client: RecordingClient, table: TableId, done: Callable[[TableState], bool], seed: int
) -> None:
    """Sit with the others and play a loose game, with a second socket on which everything is wrong."""
    bot = Seated(client, table, thinking(STRATEGIES["loose"], Random(seed), mean_s=0))
    playing = asyncio.create_task(bot.stay(done=done))
    async with client.table(table) as seen:
        await seen.until(lambda state: state.seat is not None and state.hand is not None)
        nuisance = Nuisance(*client.address(table), lambda: seen.state)
        await nuisance.go_on(lambda: playing.done() or seen.state.seat is None, pause_s=0.01)
        report.mischief = nuisance.answered
    await playing


def _config(number: int, variant: Variant) -> TableConfig:
    """A table without pauses, where stacks are short enough that all-ins and side pots come often."""
    return TableConfig(
        name=f"Table {number}",
        variant=variant,
        currency="PLAY",
        min_buy_in_chips=6 * variant.big_bet_chips,
        pause_ms=0,
        quiet_pause_ms=0,
    )


def main(arguments: list[str] | None = None) -> int:
    """Run it, print the figures, and give 1 when something did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.play", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--hands", type=int, default=2_000, help="how many in all, at least (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the bots' dice; the deck is the server's own")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="avenue-e2e-") as folder:
        logs.configure(settings_in(Path(folder)))
        report = asyncio.run(run(hands=options.hands, seed=options.seed, folder=Path(folder)))
    sys.stdout.write("\n".join(report.lines()) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
