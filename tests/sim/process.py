"""One life of the server's process: its own loop, its own connections, and everything that it knows in memory.

It runs the real rooms with the real actors, the real conversation on every line, the real journal, ledger and bank.
What is not real is beneath: the loop's time, the disk that fails, the network, the deck and the ids.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import SQLAlchemyError

from app.gateway.outgoing import Outgoing
from app.gateway.service import Conversation, Pace
from app.refusals import ServerStops
from app.rooms.clock import SystemClock
from app.rooms.service import KeptTable, Rooms, SalvagedTable, TablePorts
from app.store.bank import Bank
from app.store.journal import SqlJournal
from app.store.unlocking import unlock
from engine.rules.errors import AvenueError
from engine.table.ports import FaultReport, TableCommit
from tests.sim.disk import Attempt, broken
from tests.sim.loop import ProcessDied, VirtualLoop
from tests.sim.store import InlineDatabase, InlineWriter
from tests.sim.wire import Line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.table.actor import TableActor
    from engine.table.events import TableId
    from tests.sim.world import World

UNPACED = Pace(per_second=1_000, burst=1_000)
"""Players may send as fast as they like: how they are slowed down is another test's."""


class Process:
    """The server, from its start until it has stopped or died. Its callbacks run only when the world lets them."""

    def __init__(self, world: World, *, number: int) -> None:
        self.number = number
        # What it leaves out of a loop (sockets, signals, threads) does not exist in this world.
        self.loop = VirtualLoop(world.time, tie=world.dice("ties").random)  # type: ignore[abstract]
        self.clock = SystemClock(wall=world.time.wall_ns, monotonic=world.time.monotonic_ns)
        self.dead = False
        self.open = False
        self.stopping = False
        self.frozen_until_us = 0
        self.rooms: JudgedRooms
        self.bank: Bank
        self.writer: InlineWriter
        self.path = world.disk.path
        self._ahead_us = (world.time.wall_ns() - world.time.monotonic_ns()) // 1_000
        self._world = world
        self._attempt = Attempt(world.disk, dies=self._dies)
        self._database: InlineDatabase | None = None
        self._lines: dict[Line, Outgoing] = {}
        self._dying = False
        self._exits = False
        self.loop.spawn(self._run(), name="start")

    def moment_us(self, server_ms: int) -> int:
        """The moment of virtual time at which this process's clock comes to show so many milliseconds."""
        return server_ms * 1_000 - self._ahead_us

    def run_one(self) -> None:
        """Run one callback; gives way to death where that falls into it."""
        try:
            self.loop.run_one()
        except ProcessDied:
            self._dying = True
        if self._dying:
            self._world.kill(self)
        elif self._exits:
            self._world.exited(self)

    def connect(self, line: Line) -> None:
        """Take a player's socket and hold the conversation on it."""
        outgoing = Outgoing(line.send, cut=line.cut)
        self._lines[line] = outgoing
        self.loop.spawn(self._converse(line, outgoing), name=f"line {line.number}")

    def hung_up(self, line: Line) -> None:
        self._lines.pop(line, None)

    def cut_off(self) -> None:
        """Nobody talks to this process any more, which it does not know."""
        for line in tuple(self._lines):
            line.process_died(self._world.network_us())

    def call(self, asked: Callable[[Process], Awaitable[Any]], answer: Callable[[object], None]) -> None:
        """Carry out a request over REST; its result or its error is answered, unless the process dies before."""
        self.loop.spawn(self._called(asked, answer), name="call")

    def stop(self) -> None:
        """End in order: what is being committed is, every line is told, then the process exits."""
        if not self.stopping:
            self.stopping = True
            self.loop.spawn(self._stop(), name="stop")

    def bury(self) -> None:
        """Forget everything in memory, with nothing connected any more."""
        self.dead = self._attempt.dead = True
        self.cut_off()
        self.loop.bury()
        for one in (getattr(self, "writer", None), self._database):
            if one is not None:
                one.drop()

    async def _run(self) -> None:
        """Open the house as `app/bootstrap.py` does. One that cannot be opened ends, and is started again."""
        world = self._world
        try:
            self.writer = InlineWriter(
                self.path,
                now_ms=self.clock.now_ms,
                pace=world.pace,
                connection_class=world.disk.connection_class(self._attempt),
                broke=self.stop,
            )
            self._database = InlineDatabase(self.path, self.writer, read_us=world.pace.read_us, works=self._readable)
            self.bank = Bank(self.writer, self._database, now_ms=self.clock.now_ms)
            async with self._database.read() as connection:
                seals = await unlock(connection, keys=world.sealing_keys, beside=None, entropy=world.entropy)
            shelf = FlawedShelf(SqlJournal(self.writer, self._database, seals), world, self)
            self.rooms = JudgedRooms(
                TablePorts(
                    shelf=shelf,
                    clock=self.clock,
                    decks=world.decks,
                    faults=self,
                    epoch=self.writer.epoch,
                    ids=world,
                ),
                world,
                self,
            )
            await self.rooms.start()
            await world.furnish(self)
        except (sqlite3.Error, SQLAlchemyError, AvenueError, ConnectionResetError):
            self._exits = True
            return
        self.open = True
        world.opened(self)

    def report(self, fault: FaultReport) -> None:
        """The `FaultLog` of every table."""
        if not self.dead:
            self._world.judge.fault(self, fault)

    async def _converse(self, line: Line, outgoing: Outgoing) -> None:
        conversation = Conversation(line, outgoing, self.rooms, UNPACED, now=self.loop.time)  # type: ignore[arg-type]
        try:
            await conversation.hold(line.viewer, line.table)
        finally:
            outgoing.lost()
            if not self.dead:
                line.cut()

    async def _called(self, asked: Callable[[Process], Awaitable[Any]], answer: Callable[[object], None]) -> None:
        try:
            result: object = await asked(self)
        except (AvenueError, SQLAlchemyError) as error:
            result = error
        if not self.dead:
            answer(result)

    async def _stop(self) -> None:
        if self.open:
            await self.rooms.stop()
            for outgoing in tuple(self._lines.values()):
                outgoing.close(ServerStops())
        await self.writer.close()
        self._exits = True

    def _dies(self) -> None:
        self._dying = True
        self._attempt.dead = True

    def _readable(self) -> None:
        if self._world.disk.out_of_order:
            raise broken("io_error")


class FlawedShelf:
    """The journal as the rooms see it; now and then a commit stands and its answer is lost on the way back."""

    def __init__(self, journal: SqlJournal, world: World, process: Process) -> None:
        self._journal = journal
        self._world = world
        self._process = process

    async def commit(self, commit: TableCommit) -> None:
        await self._journal.commit(commit)
        if not self._process.dead:
            self._world.judge.committed(self._process, commit.table)
        if not self._process.dead and self._world.loses_answer():
            raise ConnectionResetError("the answer of a commit that stands is lost")

    async def tables(self) -> Sequence[TableId]:
        return await self._journal.tables()

    async def load(self, table: TableId) -> KeptTable:
        return await self._journal.load(table)

    async def salvage(self, table: TableId) -> SalvagedTable:
        return await self._journal.salvage(table)

    async def load_many(self, wanted: Sequence[TableId]) -> Mapping[TableId, KeptTable | AvenueError]:
        return await self._journal.load_many(wanted)


class JudgedRooms(Rooms):
    """The rooms, with a judge who looks at each table that is brought back before it plays on."""

    def __init__(self, ports: TablePorts, world: World, process: Process) -> None:
        super().__init__(ports)
        self._world = world
        self._process = process

    async def _run(self, actor: TableActor) -> Exception | None:
        if not self._process.dead:
            self._world.judge.recovered(self._process, actor)
        return await super()._run(actor)

    def actor_of(self, table: TableId) -> TableActor | None:
        """The actor that serves a table; None where none does any more."""
        hosted = self._hosted.get(table)
        return None if hosted is None or hosted.task is None or hosted.task.done() else hosted.actor
