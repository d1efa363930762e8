"""A simulated world: time, dice, a disk, a network, one server and its players, all from one number.

The world runs one callback at a time: one of its own (a frame arrives, a player makes up his mind, something breaks) or
one of the server's loop. Between any two of them the process may die. Its dice are thrown in streams of their own, so
that what one part does with chance leaves the others alone.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable, Iterator, MutableMapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from app.store.bank import NewPlayer, RefillTerms
from app.store.keys import new_key
from avenue_sdk.codec import read_frame
from engine.deal.shuffle import Deck
from engine.rules.cards import Card
from engine.table.errors import CommitRefused
from engine.table.events import TableId
from tests.fakes import shuffled_by
from tests.sim.chaos import SECOND_US, Chaos, FlawDice, PlannedFlaw, Span
from tests.sim.disk import Disk, FlawKind
from tests.sim.judge import Judge
from tests.sim.loop import Time
from tests.sim.player import Player, Session
from tests.sim.process import Process
from tests.sim.setting import some_tables
from tests.sim.store import Pace
from tests.sim.tempers import TEMPERS
from tests.sim.wire import Line

if TYPE_CHECKING:
    from app.rooms.viewer import Viewer

GRANT_CHIPS: Final = 800
LOOK_EVERY_US: Final = 20 * SECOND_US
LONGEST_WITHOUT_A_HAND_US: Final = 6 * 3_600 * SECOND_US


class Stuck(AssertionError):
    """Nothing will ever happen any more."""


class World:
    """One world. `run` it for so many hands, or step by step; then `close` it.

    `flaws` is what is wrong with transactions; by default that, too, is drawn from the seed. `care` is the share of
    moments at which what is costly to look at is looked at.
    """

    def __init__(  # noqa: PLR0913 - what a world is made of, every field named
        self,
        seed: int,
        folder: Path,
        *,
        chaos: Chaos | None = None,
        flaws: PlannedFlaw | None = None,
        logs: list[MutableMapping[str, Any]] | None = None,
        care: float = 0.05,
        audits: float = 0.001,
    ) -> None:
        self.seed = seed
        self.steps = 0
        self.time = Time(wall_ms=1_700_000_000_000 + seed)
        self.care, self.audits = care, audits
        self.closing = False
        self.happened: Counter[str] = Counter()
        self.chaos = Chaos.of(self.dice("chaos")) if chaos is None else chaos
        self.refills = RefillTerms(amount_chips=900, floor_chips=800, pause_ms=5_000)
        self.process: Process | None = None
        self.tables: list[TableId] = []
        self._flaws = flaws or FlawDice(self.dice("flaws"), self.chaos.flawed)
        self.disk = Disk(folder, next_flaw=self._next_flaw)
        self.disk.happened = self._flaw_happened
        self.judge = Judge(self)
        self.pace = Pace(gather_us=self._gather_us, sync_us=self._sync_us, read_us=self._read_us)
        self.entropy = self.dice("entropy").randbytes
        self.sealing_keys = new_key(entropy=self.entropy)
        self.decks = _Decks(self.dice("decks"), self._ready_players)
        self.players: list[Player] = []
        self._configs = some_tables(self.dice("tables"))
        self._logs = logs
        self._agenda: list[tuple[int, float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._numbers, self._lines, self._lives, self._ids = count(), count(1), count(1), count(1)
        self._ties, self._network, self._fate = self.dice("order"), self.dice("network"), self.dice("fate")
        self._zombies: list[Process] = []
        self._trouble_until_us = 0
        self._kill_waits = False
        self._slow_until_us = 0
        self._frames_read: dict[str, Any] = {}
        self._kill_at = 0
        self._turbulent = False
        self._start()

    def dice(self, name: str) -> random.Random:
        """A stream of chance of its own."""
        return random.Random(f"{self.seed}:{name}")

    # Running.

    def run(self, *, hands: int = 0, until_write: int = 0) -> None:
        """Let the world go on until so many hands have ended and so many transactions were begun."""
        reached, since_us = 0, self.time.now_us
        while self.judge.hands < hands or self.disk.transactions < until_write:
            self.step()
            if reached != self.judge.hands:
                reached, since_us = self.judge.hands, self.time.now_us
            elif self.time.now_us - since_us > LONGEST_WITHOUT_A_HAND_US:
                raise Stuck("no hand has ended for hours")

    def step(self) -> None:
        """Run the next callback, and let the process die now and then before it."""
        self.steps += 1
        process = self.process
        if process is not None and self.steps >= self._kill_at > 0 and self._turbulent and self._is_hour_of(process):
            self._plan_kill()
            self._note("kill between steps")
            self.kill(process)
            return
        mine_us = self._agenda[0][0] if self._agenda else None
        theirs: tuple[int, Process] | None = None
        for one in self._running():
            due_us = one.loop.next_us()
            if due_us is not None:
                due_us = max(due_us, one.frozen_until_us)
                if theirs is None or due_us < theirs[0]:
                    theirs = due_us, one
        if mine_us is None and theirs is None:
            raise Stuck("nothing will ever happen any more")
        if theirs is None or (mine_us is not None and self._goes_first(mine_us, theirs[0])):
            self._run_mine()
        else:
            self.time.now_us = max(self.time.now_us, theirs[0])
            theirs[1].run_one()
        if self._logs is not None:
            self.judge.logged(self._logs)
        self.judge.laws.raise_broken()

    def at(self, us: int, callback: Callable[..., None], *args: Any) -> None:
        """Call back at a moment of virtual time; several of one moment come in any order."""
        heapq.heappush(self._agenda, (us, self._ties.random(), next(self._numbers), callback, args))

    def after(self, us: int, callback: Callable[..., None], *args: Any) -> None:
        self.at(self.time.now_us + us, callback, *args)

    def finish(self) -> None:
        """Let the trouble end, the server stop in order, and look at everything once more."""
        self.calm()
        self.closing = True
        while self.process is None or not self.process.open:
            self.step()
        self._for_a_while(30 * SECOND_US)
        self.judge.lives_on(self.process)
        process = self.process
        process.stop()
        while self.process is process:
            self.step()
        self.judge.closing()

    def calm(self) -> None:
        """Nothing goes wrong from now on."""
        self._turbulent = False
        self.chaos = Chaos()
        self._flaws = FlawDice(self.dice("calm"), 0.0)
        self.disk.out_of_order = False
        self._slow_until_us = 0
        for zombie in tuple(self._zombies):
            self._bury(zombie)
        if self.process is not None:
            self.process.frozen_until_us = 0

    def close(self) -> None:
        """Let go of everything."""
        for process in self._running():
            process.bury()
        self.process = None
        self._zombies.clear()
        self.judge.close()

    # What the process asks of its world.

    def new(self, kind: str) -> str:
        """The `IdSource` of this world."""
        return f"{kind}_{next(self._ids):04d}"

    def loses_answer(self) -> bool:
        lost = self._turbulent and self._fate.random() < self.chaos.lost_answers
        if lost:
            self._note("an answer lost on the way to its table")
            self.trouble(10 * SECOND_US)
        return lost

    async def furnish(self, process: Process) -> None:
        """Open the tables and register the players, as far as it has not been done."""
        while (opened := self.judge.count_of_tables()) < len(self._configs):
            await process.rooms.open(self._configs[opened])
        if not self.tables:
            for player in self._cast([room.table for room in process.rooms]):
                newcomer = NewPlayer(player.id, "person", player.id, player.id, None, 0, 0)
                try:
                    await process.bank.register(newcomer, grant_chips=GRANT_CHIPS)
                except CommitRefused as refusal:
                    if refusal.code != "account/name_taken":
                        raise

    def opened(self, process: Process) -> None:
        """A process is open for players."""
        self._note("start")
        self.judge.process_opened(process)
        if self.tables:
            return
        self.tables = [room.table for room in process.rooms]
        self.players = self._cast(self.tables)
        for session in self.sessions():
            self.after(self._network.randrange(5 * SECOND_US), session.connect)
        self._turbulent = True
        self._plan_kill()
        for every_s, trouble in self._troubles():
            if every_s:
                self.after(self.chaos.wait_us(self._fate, every_s), self._let_happen, every_s, trouble)
        self.after(LOOK_EVERY_US, self._look)

    def kill(self, process: Process) -> None:
        """The process dies at this instant; another one starts on what it has left on the disk."""
        if process is not self.process:
            self._bury(process)
            return
        self._note("death")
        writer = getattr(process, "writer", None)
        if writer is not None and writer.in_flight:
            self._note("death with a commit in flight")
            if writer.durable:
                self._note("death between a commit and its answer")
        for zombie in tuple(self._zombies):
            self._bury(zombie)
        old = self.disk.left_by_the_dead()
        process.bury()
        self.judge.server_gone()
        self._gone()
        Disk.forget(old)

    def exited(self, process: Process) -> None:
        """The process has ended by itself."""
        if process is not self.process:
            self._bury(process)
            return
        self._note("exit")
        self.judge.complaints(process)
        process.bury()
        self.judge.server_gone()
        self._gone()

    # What players ask of their world.

    def connect(self, table: TableId, viewer: Viewer, listener: Session) -> Line | None:
        """A line to the server, None while it takes nobody."""
        process = self.process
        if process is None or not process.open or process.stopping:
            return None
        line = Line(self, process, number=next(self._lines), table=table, viewer=viewer, listener=listener)
        process.connect(line)
        return line

    def read_frame(self, text: str) -> Any:
        """A server's frame as the SDK reads it; a text that many get is read once for all of them."""
        frame = self._frames_read.get(text)
        if frame is None:
            if len(self._frames_read) > 64:
                self._frames_read.clear()
            frame = self._frames_read[text] = read_frame(text)
        return frame

    def network_us(self) -> int:
        """How long a frame is on its way: mostly some milliseconds, seldom seconds."""
        dice = self._network
        return dice.randrange(500, 30_000) if dice.random() < 0.98 else dice.randrange(30_000, 3 * SECOND_US)

    def disorders(self) -> bool:
        return self._network.random() < self.chaos.disordered

    def moment_of(self, server_ms: int) -> int | None:
        """When the server's clock will show this; None while there is no server."""
        return None if self.process is None else self.process.moment_us(server_ms)

    def sessions(self) -> Iterator[Session]:
        return (session for player in self.players for session in player.sessions)

    def trouble(self, us: int) -> None:
        """Something is out of order for so long; until then nothing is held against the server's speed."""
        self._trouble_until_us = max(self._trouble_until_us, self.time.now_us + us)

    # What goes wrong.

    def _troubles(self) -> tuple[tuple[float, Callable[[], None]], ...]:
        chaos = self.chaos
        return (
            (chaos.stop_every_s, self._stop),
            (chaos.outage_every_s, self._outage),
            (chaos.slow_every_s, self._slow_down),
            (chaos.freeze_every_s, self._freeze),
            (chaos.jump_every_s, self._jump),
        )

    def _let_happen(self, every_s: float, trouble: Callable[[], None]) -> None:
        if self._turbulent:
            trouble()
            self.after(self.chaos.wait_us(self._fate, every_s), self._let_happen, every_s, trouble)

    def _stop(self) -> None:
        if self.process is not None and self.process.open:
            self._note("stop")
            self.process.stop()

    def _outage(self) -> None:
        length_us = Span(SECOND_US // 5, 15 * SECOND_US).draw(self._fate)
        self._note("outage of the disk")
        self.disk.out_of_order = True
        self.trouble(length_us)
        self.after(length_us, self._outage_ends)

    def _outage_ends(self) -> None:
        self.disk.out_of_order = False

    def _slow_down(self) -> None:
        length_us = Span(SECOND_US, 20 * SECOND_US).draw(self._fate)
        self._note("slow disk")
        self._slow_until_us = self.time.now_us + length_us
        self.trouble(length_us)

    def _freeze(self) -> None:
        """The process is not run for a while; perhaps another one takes its place before it wakes up."""
        process = self.process
        if process is None or not process.open:
            return
        length_us = Span(SECOND_US // 10, 30 * SECOND_US).draw(self._fate)
        self._note("freeze")
        process.frozen_until_us = self.time.now_us + length_us
        self.trouble(length_us)
        if self._fate.random() < self.chaos.takeover and not process.writer.settling:
            self._note("takeover")
            self._zombies.append(process)
            process.cut_off()
            self.after(length_us + 60 * SECOND_US, self._bury, process)
            self._gone()

    def _jump(self) -> None:
        self._note("jump of the wall clock")
        self.time.jump(self._fate.choice((-1, 1)) * self._fate.choice((5, 900, 61_000, 3_600_000, 86_400_000)))

    def _next_flaw(self, number: int) -> Any:
        return self._flaws.next(number) if self._turbulent or isinstance(self._flaws, PlannedFlaw) else None

    def _flaw_happened(self, kind: FlawKind) -> None:
        self._note(f"flaw: {kind}")
        self.trouble(10 * SECOND_US)

    # The course of things.

    def _start(self) -> None:
        """Start a process on what the disk holds."""
        self.process = Process(self, number=next(self._lives))
        self.judge.follow(self.process)
        self.trouble(10 * SECOND_US)

    def _gone(self) -> None:
        self.process = None
        self.trouble(10 * SECOND_US)
        self.after(Span(SECOND_US // 10, 20 * SECOND_US).draw(self._fate), self._start)

    def _bury(self, zombie: Process) -> None:
        if zombie in self._zombies:
            self._zombies.remove(zombie)
            zombie.bury()

    def _is_hour_of(self, process: Process) -> bool:
        """Some deaths wait for the moment at which a commit stands and nobody knows it yet."""
        return not self._kill_waits or (process.open and process.writer.durable)

    def _plan_kill(self) -> None:
        every = self.chaos.kill_every_steps
        self._kill_waits = self._fate.random() < 0.3
        self._kill_at = self.steps + 1 + round(self._fate.expovariate(1 / every)) if every else 0

    def _look(self) -> None:
        if self.process is not None and self.process.open and not self.process.stopping:
            self.judge.look_around(self.process, quiet_us=self.time.now_us - self._trouble_until_us)
        self.after(LOOK_EVERY_US, self._look)

    def _running(self) -> list[Process]:
        return self._zombies if self.process is None else [self.process, *self._zombies]

    def _goes_first(self, mine_us: int, theirs_us: int) -> bool:
        return mine_us < theirs_us or (mine_us == theirs_us and self._ties.random() < 0.5)

    def _run_mine(self) -> None:
        us, _, _, callback, args = heapq.heappop(self._agenda)
        self.time.now_us = max(self.time.now_us, us)
        callback(*args)

    def _for_a_while(self, us: int) -> None:
        end_us = self.time.now_us + us
        while self.time.now_us < end_us:
            self.step()

    def _cast(self, tables: list[TableId]) -> list[Player]:
        """The players of this world, each at one table or at several; two at least are at each table."""
        dice = self.dice("cast")
        tempers = list(TEMPERS)
        dice.shuffle(tempers)
        players = []
        for number in range(dice.randrange(2 * len(tables), 5 + 5 * len(tables))):
            temper = tempers[number % len(tempers)]
            at = {tables[number % len(tables)]}
            if number % 4 == 0:
                at.update(dice.sample(tables, dice.randrange(len(tables))))
            players.append(Player(self, name=f"p{number:02d}", temper=temper, tables=sorted(at)))
        return players

    def _ready_players(self) -> int:
        """How many the next hand is probably for."""
        process = self.process
        actors = (
            []
            if process is None or not process.open
            else [process.rooms.actor_of(room.table) for room in process.rooms]
        )
        states = [actor.state for actor in actors if actor is not None and actor.state.hand is None]
        counts = [len(state.ready_seats()) for state in states if state.ready_since_ms is not None]
        return max(2, min(8, self._fate.choice(counts))) if counts else 4

    def _gather_us(self) -> int:
        return self._fate.randrange(50, 2_000)

    def _sync_us(self) -> int:
        if self.time.now_us < self._slow_until_us:
            return self._fate.randrange(200_000, 4 * SECOND_US)
        return self._fate.randrange(300, 12_000)

    def _read_us(self) -> int:
        return self._fate.randrange(100, 2_000)

    def _note(self, what: str) -> None:
        self.happened[what] += 1


class _Decks:
    """The `DeckSource` of a world. Some decks are stacked so that several hold the same hand, and pots are split."""

    def __init__(self, dice: random.Random, players: Callable[[], int]) -> None:
        self._dice = dice
        self._players = players

    def deck(self) -> Deck[Card]:
        cards = shuffled_by(self._dice)
        return Deck(cards=cards if self._dice.random() < 0.7 else self._twins(cards))

    def _twins(self, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Every player gets cards of the same rank in each round, or of one of two ranks where they are many."""
        dice = self._dice
        players, (rounds_before_burn, rounds) = self._players(), dice.choice(((2, 5), (3, 7)))
        by_rank: dict[str, list[Card]] = {}
        for card in cards:
            by_rank.setdefault(card[0], []).append(card)
        ranks, spare, dealt = list(by_rank.values()), list[Card](), list[list[Card]]()
        for _ in range(min(rounds, 12 if players <= 4 else 6)):
            groups = [ranks.pop() for _ in range(1 if players <= 4 else 2)]
            dealt.append([groups[seat % len(groups)].pop() for seat in range(players)])
            spare += [card for group in groups for card in group]
        spare += [card for of_rank in ranks for card in of_rank]
        stacked: list[Card] = []
        for number, of_one_round in enumerate(dealt):
            if number >= rounds_before_burn:
                stacked.append(spare.pop())
            stacked += of_one_round
        return (*stacked, *spare)
