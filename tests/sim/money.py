"""Money that everybody wants at once, over a real database: `python -m tests.sim.money --rounds 1000 --calls 100000`.

A URL puts any database under it (`--url`, of an empty one); without it a SQLite file is made. This one is about the
real writer and its database, so it runs in real time and with the writer's thread.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import func, select

from app.rooms.clock import SystemClock
from app.store import migrate
from app.store.audit import audit
from app.store.bank import NewPlayer, Receipt
from app.store.keys import new_key
from app.store.ledger import Account, LedgerTransfer, Line
from app.store.opening import Store, open_store
from app.store.tables import PLAY, accounts, transfers
from engine.rules.events import PlayerId
from engine.rules.variants import five_card_stud
from engine.table.actor import TableActor, open_table
from engine.table.commands import Sit, SitOut, StandUp, TopUp
from engine.table.errors import CommitRefused, TableBusy
from engine.table.events import TableConfig, TableId
from tests.fakes import RecordingFaults, RecordingOutbox, SeededDecks

CONFIG: Final = TableConfig(
    name="Avenue",
    variant=five_card_stud(small_bet_chips=1, big_bet_chips=2),
    currency=PLAY,
    min_buy_in_chips=1,
    absent_ms=86_400_000,
)
WHOLE_CHIPS: Final = 1_000
AT_ONCE: Final = 64


class Bench:
    """A store with tables and players, in real time."""

    def __init__(self, store: Store, clock: SystemClock) -> None:
        self.store = store
        self.clock = clock
        self.actors: list[TableActor] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def register(self, *names: str, chips: int) -> None:
        for name in names:
            await self.store.bank.register(
                NewPlayer(PlayerId(name), "person", name, name, None, 0, 0), grant_chips=chips
            )

    async def open_tables(self, number: int, *, prefix: str) -> None:
        for count in range(number):
            state = await open_table(
                table=TableId(f"{prefix}{count:03d}"),
                config=CONFIG,
                epoch=self.store.writer.epoch,
                journal=self.store.journal,
                clock=self.clock,
            )
            actor = TableActor(
                state,
                epoch=self.store.writer.epoch,
                journal=self.store.journal,
                outbox=RecordingOutbox(),
                clock=self.clock,
                decks=SeededDecks(count),
                faults=RecordingFaults(),
            )
            self.actors.append(actor)
            self._tasks.append(asyncio.get_running_loop().create_task(actor.run()))

    async def stop(self) -> None:
        await asyncio.gather(*(actor.stop() for actor in self.actors))
        await asyncio.gather(*self._tasks)

    async def wallet(self, player: str) -> int:
        return await self._number(
            select(accounts.c.balance_chips).where(accounts.c.id == Account("wallet", PLAY, PlayerId(player)).id)
        )

    async def at_tables(self, player: str) -> int:
        of_player = (accounts.c.player_id == player) & (accounts.c.kind == "seat")
        return await self._number(select(func.coalesce(func.sum(accounts.c.balance_chips), 0)).where(of_player))

    async def transfers(self, prefix: str) -> int:
        begins = transfers.c.id.like(f"{prefix}%")
        return await self._number(select(func.count()).select_from(transfers).where(begins))

    async def must_add_up(self) -> None:
        report = await audit(self.store.database)
        assert not report.differences, [f"{one.what} {one.where}" for one in report.differences[:5]]

    async def _number(self, query: Any) -> int:
        async with self.store.database.read() as connection:
            return int((await connection.execute(query)).scalar_one())


@asynccontextmanager
async def bench(url: str) -> AsyncIterator[Bench]:
    """Open an empty database of this version's schema by its URL."""
    clock = SystemClock()
    store = await open_store(url, now_ms=clock.now_ms, sealing_keys=new_key())
    opened = Bench(store, clock)
    try:
        yield opened
    finally:
        await opened.stop()
        await store.close()


async def buy_in_everywhere(url: str, *, rounds: int, tables: int = 100) -> int:
    """Let one player buy in at all tables at once with all that he has, again and again; gives the refusals.

    Each time exactly one table takes him, and he has what he had when he stands up.
    """
    refused = 0
    async with bench(url) as place:
        await place.register("ann", chips=WHOLE_CHIPS)
        await place.open_tables(tables, prefix="m")
        for number in range(rounds):
            sits = [
                actor.submit(
                    Sit(PlayerId("ann"), f"sit-{number}-{at}", name="ann", seat=None, buy_in_chips=WHOLE_CHIPS)
                )
                for at, actor in enumerate(place.actors)
            ]
            answers = await asyncio.gather(*sits, return_exceptions=True)
            taken = [actor for actor, answer in zip(place.actors, answers, strict=True) if isinstance(answer, int)]
            codes = Counter(answer.code for answer in answers if isinstance(answer, CommitRefused))
            assert len(taken) == 1, f"round {number}: {len(taken)} tables took the whole balance"
            assert codes == {"wallet/insufficient": tables - 1}, f"round {number}: {codes}, {answers}"
            if number % 50 == 0 or number == rounds - 1:
                held = (await place.wallet("ann"), await place.at_tables("ann"))
                assert held == (0, WHOLE_CHIPS), f"round {number}: {held}"
            refused += codes["wallet/insufficient"]
            await taken[0].submit(StandUp(PlayerId("ann"), f"up-{number}"))
        assert await place.wallet("ann") == WHOLE_CHIPS
        assert await place.transfers("m") == 2 * rounds
        await place.must_add_up()
    return refused


class Calls:
    """Money calls of callers who lose answers, call again, all at once and out of order."""

    def __init__(self, place: Bench, *, seed: int) -> None:
        self.place = place
        self.made = self.dropped = 0
        self.answers: dict[str, set[Any]] = {}
        self.firsts: Counter[str] = Counter()
        self._dice = random.Random(seed)
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def all(self, *, calls: int, players: Sequence[str]) -> None:
        """Plan calls for distinct ids, several for each, shuffle them, and let them happen."""
        dice = self._dice
        plan: list[Any] = []
        while len(plan) < calls:
            number = len(plan)
            one = dice.choices((self._transfer, self._too_much, self._top_up), (6, 1, 2))[0](number, players)
            plan += [one] * dice.choice((1, 1, 2, 3, 5))
        dice.shuffle(plan)
        await asyncio.gather(*(self._call(one, drops=dice.random() < 0.3) for one in plan))

    async def _call(self, ask: Any, *, drops: bool) -> None:
        """Call, and perhaps lose interest in the answer before it is there; then call again until it is."""
        async with self._slots:
            while True:
                self.made += 1
                asking = asyncio.ensure_future(ask())
                if drops:
                    drops = False
                    for _ in range(self._dice.randrange(6)):
                        await asyncio.sleep(0)
                    if not asking.done():
                        self.dropped += 1
                        asking.cancel()
                        await asyncio.gather(asking, return_exceptions=True)
                        continue
                await asking
                return

    def _transfer(self, number: int, players: Sequence[str]) -> Any:
        giver, taker = self._dice.sample(list(players), 2)
        transfer = moved(f"call:{number}", giver, taker, self._dice.randrange(1, 5))

        async def ask() -> None:
            receipt = await self.place.store.bank.book(transfer)
            self._answered(transfer.id, (receipt.at_ms, receipt.lines), receipt)

        self.answers.setdefault(transfer.id, set())
        return ask

    def _too_much(self, number: int, players: Sequence[str]) -> Any:
        giver, taker = self._dice.sample(list(players), 2)
        transfer = moved(f"refused:{number}", giver, taker, 10**12)

        async def ask() -> None:
            with pytest.raises(CommitRefused, match="wallet/insufficient"):
                await self.place.store.bank.book(transfer)

        return ask

    def _top_up(self, number: int, players: Sequence[str]) -> Any:
        actor, player = self.place.actors[0], self._dice.choice(players)
        command = TopUp(PlayerId(player), f"top:{number}", added_chips=1)
        self.answers.setdefault(command.command_id, set())

        async def ask() -> None:
            answer = actor.submit(command)
            try:
                seq = await asyncio.shield(answer)
            except TableBusy:
                await asyncio.sleep(0.001)
                return await ask()
            self.answers[command.command_id].add(seq)

        return ask

    def _answered(self, call: str, said: Any, receipt: Receipt) -> None:
        self.answers[call].add(said)
        self.firsts[call] += not receipt.repeated


def moved(call: str, giver: str, taker: str, chips: int) -> LedgerTransfer:
    return LedgerTransfer(
        id=call,
        reason="refill",
        currency=PLAY,
        lines=(
            Line(Account("wallet", PLAY, PlayerId(giver)), -chips),
            Line(Account("wallet", PLAY, PlayerId(taker)), chips),
        ),
    )


async def call_again_and_again(url: str, *, calls: int, seed: int = 1) -> Calls:
    """Money calls with dropped answers, duplicates and reordering: each distinct id has one effect and one answer."""
    players = [f"p{number}" for number in range(6)]
    async with bench(url) as place:
        await place.register(*players, chips=10_000_000)
        await place.open_tables(1, prefix="t")
        for player in players:
            await place.actors[0].submit(Sit(PlayerId(player), "in", name=player, seat=None, buy_in_chips=100))
            # Nobody plays: all that is looked at is the money.
            await place.actors[0].submit(SitOut(PlayerId(player), "out"))
        made = Calls(place, seed=seed)
        await made.all(calls=calls, players=players)
        assert all(len(said) == 1 for said in made.answers.values()), "an id got two answers"
        booked = [call for call in made.answers if call.startswith("call:")]
        topped = [call for call in made.answers if call.startswith("top:")]
        assert max(made.firsts.values()) == 1
        assert await place.transfers("call:") == len(booked)
        assert await place.transfers("refused:") == 0
        held = [await place.at_tables(player) for player in players]
        assert sum(held) == 100 * len(players) + len(topped)
        wallets = [await place.wallet(player) for player in players]
        assert sum(wallets) + sum(held) == 10_000_000 * len(players)
        await place.must_add_up()
        return made


def sqlite_url(folder: Path) -> str:
    url = f"sqlite:///{folder / 'money.db'}"
    migrate.upgrade(url)
    return url


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim.money", description=__doc__)
    parser.add_argument("--url", help="an empty database; it gets this version's schema")
    parser.add_argument("--rounds", type=int, default=1_000)
    parser.add_argument("--calls", type=int, default=100_000)
    wanted = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        if wanted.url is not None:
            migrate.upgrade(wanted.url)
        if wanted.rounds:
            refused = asyncio.run(buy_in_everywhere(wanted.url or sqlite_url(Path(folder)), rounds=wanted.rounds))
            print(f"{wanted.rounds} times 100 buy-ins at once: one taken each time, {refused} refused; "
                  f"{time.monotonic() - begun:.0f} s", flush=True)  # fmt: skip
        begun = time.monotonic()
        if wanted.calls:
            other = Path(folder) / "calls"
            other.mkdir()
            made = asyncio.run(call_again_and_again(wanted.url or sqlite_url(other), calls=wanted.calls))
            print(f"{made.made} money calls for {len(made.answers)} ids, {made.dropped} answers dropped: "
                  f"as many effects as ids; {time.monotonic() - begun:.0f} s")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
