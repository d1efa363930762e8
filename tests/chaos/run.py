"""One run of chaos: bots play, the server is killed and started again, and every life is judged."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Final

import httpx2
import msgspec
from argon2 import PasswordHasher

from app.accounts.passwords import Passwords
from app.bootstrap import open_house
from app.store.audit import audit
from app.store.database import Database
from tests.chaos.books import opened
from tests.chaos.bots import Acked, Bot, Life, Shown, live_on
from tests.chaos.figures import Run
from tests.chaos.house import Furnished, furnish, settings_of
from tests.chaos.inflight import Watch, watch
from tests.chaos.judge import Row, judge_chips, judge_journal, judge_life, judge_moves, shown_at
from tests.chaos.process import SERVE, ServerProcess, start

MAX_LIFE_S: Final = 1.2
"""A kill falls somewhere between ready and then."""

MAX_FIRST_ACT_S: Final = 30
PLAYED_TABLES: Final = 60
"""So many tables have their players there in one life; the others stand as they were left, most in the middle of a
hand."""

EVERY_TABLE_EACH: Final = 10
"""In every so many-th life all tables are played, and the kill waits until each one took an action."""

HUNTED_SHARE: Final = 0.5
"""Of the kills, those that look for a commit in flight."""

MAX_HISTORIES: Final = 200
MAX_FAULTS: Final = 50
PAGE_ROWS: Final = 5_000


class Chaos:
    """One seed's run over one database."""

    def __init__(self, made: Furnished, run: Run, say: Callable[[str], None], program: str) -> None:
        self._made = made
        self._run = run
        self._say = say
        self._program = program
        self._dice = Random(f"{run.seed}:kills")
        self._bots = [
            Bot(place, number, Random(f"{run.seed}:{number}")) for number, place in enumerate(made.places, start=1)
        ]
        self._shown: defaultdict[tuple[str, str], list[Shown]] = defaultdict(list)
        self._acked: defaultdict[str, list[Acked]] = defaultdict(list)
        self._at_a_kill: dict[str, Bot] = {}
        self._server: ServerProcess | None = None

    async def go(self, *, kills: int) -> None:
        """Kill so often, then let everybody go home, and look at everything."""
        begun = time.monotonic()
        seen_by = watch(self._made.url)
        try:
            await self._kill_again_and_again(seen_by, kills)
        finally:
            seen_by.close()
            if self._server is not None:
                await self._server.end()
        self._run.seconds = time.monotonic() - begun

    async def _kill_again_and_again(self, seen_by: Watch, kills: int) -> None:
        before: list[Life] = []
        for number in range(kills):
            server = await self._start(before)
            if self._run.faults:
                return
            before = await self._live(server, seen_by, number)
            if (number + 1) % EVERY_TABLE_EACH == 0:
                self._say(
                    f"{number + 1} kills, {self._run.in_flight} with a commit in flight,"
                    f" {len(self._run.faults)} faults, last start {self._run.ready_s[-1]:.2f} s"
                )
        server = await self._start(before)
        if not self._run.faults:
            await self._go_home(server)
            await self._judge_everything()

    async def _start(self, before: Sequence[Life]) -> ServerProcess:
        """Start the server and judge the life before."""
        server = self._server = await start(self._made.url, program=self._program)
        self._run.ready_s.append(server.ready_s)
        self._run.ready_cpu_s.append(server.ready_cpu_s)
        async with httpx2.AsyncClient(base_url=server.url, timeout=30) as http:
            tables = (await http.get("/api/tables")).json()["tables"]
        if len(tables) != len(self._made.tables):
            self._find([f"{len(tables)} of {len(self._made.tables)} tables came back"])
        await asyncio.to_thread(self._judge_life, before)
        return server

    async def _live(self, server: ServerProcess, seen_by: Watch, number: int) -> list[Life]:
        """One life and its end."""
        everybody = number % EVERY_TABLE_EACH == 0
        tables = set(self._made.tables)
        if not everybody:
            tables = set(self._dice.sample(self._made.tables, min(PLAYED_TABLES, len(tables))))
        bots = [bot for bot in self._bots if bot.place.table in tables]
        playing = asyncio.create_task(live_on(bots, server.url))
        if everybody:
            await self._every_table_played(bots)
        after_s = time.monotonic() - server.ready_at if everybody else 0.0
        after_s += self._dice.uniform(0, MAX_LIFE_S)
        killed = await server.kill(seen_by, after_s=after_s, hunt=self._dice.random() < HUNTED_SHARE, dice=self._dice)
        lives = await playing
        self._count(killed.in_flight, killed.sought)
        self._find(server.complaints())
        if everybody:
            self._time_first_acts(bots, lives, server.ready_at)
        self._keep(bots, lives)
        for bot in bots:
            if bot.hand is not None:
                self._at_a_kill[bot.hand] = bot
        return lives

    async def _every_table_played(self, bots: Iterable[Bot]) -> None:
        """Wait until each table has acknowledged an action, but not for ever: somebody may be away or broke."""
        waits = {bot.place.table for bot in bots}
        ends_at = time.monotonic() + MAX_FIRST_ACT_S
        while waits and time.monotonic() < ends_at:
            await asyncio.sleep(0.02)
            waits -= {bot.place.table for bot in self._bots if bot.life.first_act_at is not None}
        if waits:
            self._find([f"no action was acknowledged at {sorted(waits)} in {MAX_FIRST_ACT_S} s"])

    def _time_first_acts(self, bots: Sequence[Bot], lives: Sequence[Life], ready_at: float) -> None:
        first: dict[str, float] = {}
        for bot, life in zip(bots, lives, strict=True):
            if life.first_act_at is not None:
                after_s = life.first_act_at - ready_at
                first[bot.place.table] = min(after_s, first.get(bot.place.table, after_s))
        self._run.first_act_s += first.values()

    def _count(self, in_flight: bool, sought: bool) -> None:  # noqa: FBT001 - two findings of one kill
        self._run.kills += 1
        self._run.in_flight += in_flight
        self._run.sought += sought
        self._run.sought_in_flight += in_flight and sought

    def _keep(self, bots: Sequence[Bot], lives: Sequence[Life]) -> None:
        for bot, life in zip(bots, lives, strict=True):
            self._shown[bot.place.table, bot.place.player] += life.shown
            self._acked[bot.place.table] += life.acked
            self._run.shown += len(life.shown)
            self._run.acked += len(life.acked)
            self._run.resent += life.resent
            self._run.kept += sum(acked.kept for acked in life.acked)
            self._run.refused = dict(Counter(self._run.refused) + life.refused)
            self._run.sent_away = dict(Counter(self._run.sent_away) + life.sent_away)

    def _judge_life(self, before: Sequence[Life]) -> None:
        with opened(self._made.url) as books:
            self._find(judge_life(books, before))
            self._find(judge_chips(books, self._made.issued_chips))

    async def _go_home(self, server: ServerProcess) -> None:
        """Let everyone finish his hand and stand up, ask for the hands that ran at kills, and end the server."""
        async with asyncio.timeout(120):
            lives = await live_on(self._bots, server.url, homebound=True)
        self._keep(self._bots, lives)
        self._find(life.error for life in lives if life.error is not None)
        wallets = 0
        async with httpx2.AsyncClient(base_url=server.url, timeout=30) as http:
            for token in self._made.tokens.values():
                answer = await http.get("/api/wallet", headers={"Authorization": f"Bearer {token}"})
                wallets += answer.json()["balance_chips"]
            await self._read_histories(http)
        await server.stop()
        self._find(server.complaints())
        with opened(self._made.url) as books:
            self._find(judge_life(books, lives))
            self._find(judge_chips(books, self._made.issued_chips))
            self._find(judge_moves(books, [acked for table in self._acked.values() for acked in table]))
            rake = books.rows("SELECT CAST(sum(balance_chips) AS bigint) FROM accounts WHERE kind = 'rake'")[0][0] or 0
        if wallets + rake != self._made.issued_chips:
            self._find([f"players say that they have {wallets}, the rake is {rake}"])

    async def _read_histories(self, http: httpx2.AsyncClient) -> None:
        """Hands that ran at a kill, as their players read them afterwards, against what they were shown meanwhile."""
        self._run.hands_over_a_kill = len(self._at_a_kill)
        hands = self._dice.sample(sorted(self._at_a_kill), min(MAX_HISTORIES, len(self._at_a_kill)))
        for hand in hands:
            place = self._at_a_kill[hand].place
            answer = await http.get(f"/api/hands/{hand}", headers={"Authorization": f"Bearer {place.token}"})
            told = msgspec.json.decode(answer.content, type=_History)
            kept = {one.seq: (one.at_ms, bytes(one.event)) for one in told.events}
            last = max(kept)
            for one in self._shown[place.table, place.player]:
                if min(kept) <= one.seq <= last and one.seq in kept and kept[one.seq] != (one.at_ms, one.event):
                    self._find([f"{hand}: its history is not what {place.player} was shown at {one.seq}"])
            self._run.histories += 1

    async def _judge_everything(self) -> None:
        """Read every table whole, and add the books up."""
        async with open_house(settings_of(self._made.url), passwords=Passwords(PasswordHasher())) as house:
            for table in self._made.tables:
                rows: list[Row] = []
                while page := await house.store.journal.events_after(table, len(rows), limit=PAGE_ROWS):
                    rows += [Row(kept.seq, kept.at_ms, kept.event) for kept in page]
                shown = shown_at(self._made, table, self._shown)
                verdict = judge_journal(table, rows, shown=shown, acked=self._acked[table])
                self._run.hands += verdict.hands
                self._run.timed_out += verdict.timed_out
                self._find(verdict.faults)
            await self._audit(house.store.database)

    async def _audit(self, database: Database) -> None:
        report = await audit(database)
        self._find(f"the audit says {one}" for one in report.differences)
        self._run.audits += 1

    def _find(self, faults: Iterable[str]) -> None:
        self._run.faults += list(faults)[: max(0, MAX_FAULTS - len(self._run.faults))]


class _Past(msgspec.Struct):
    seq: int
    at_ms: int
    event: msgspec.Raw


class _History(msgspec.Struct):
    events: list[_Past]


async def chaos(  # noqa: PLR0913 - what a run is made of, every one named
    url: str, *, kills: int, seed: int, tables: int, say: Callable[[str], None], program: str = SERVE
) -> Run:
    """Make a house in an empty database and kill its server so often. What was found stands in `faults`.

    `program` is the Python that serves.
    """
    kind = url.partition(":")[0].partition("+")[0]
    made = await furnish(url, tables=tables, seed=seed)
    run = Run(seed=seed, database=kind, tables=tables)
    await Chaos(made, run, say, program).go(kills=kills)
    return run
