"""Hosts the tables: opens them, brings them back at the start and after a breakdown, and ends them.

Each table's actor runs in a task of its own. One that ends by itself does not know whether its last commit stands, or
was broken by a mistake of ours: the table is then brought back from its journal. That concerns this table alone, the
others do not notice. A table whose journal cannot be read stays closed, and the log says so.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import TYPE_CHECKING, Protocol

import structlog

from app.ids import RandomIds
from app.refusals import NoSuchTable, TooManySeats
from app.rooms.room import Room
from app.store.errors import StoreBusy
from engine.limits import MAX_TABLE_RESTARTS, MAX_TABLES_PER_PLAYER
from engine.rules.errors import AvenueError
from engine.table.actor import TableActor, open_table
from engine.table.commands import Sit
from engine.table.errors import CommitFailed, TableClosed
from engine.table.events import TableId
from engine.table.ports import IdSource, Journal
from engine.table.recovery import recover

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from engine.rules.events import PlayerId
    from engine.table.commands import PlayerCommand
    from engine.table.events import AnyEvent, TableConfig
    from engine.table.ports import Answer, Clock, DeckSource, FaultLog, Published

log = structlog.get_logger(__name__)

RESTART_PAUSES_S = (0.2, 1, 2, 5)
"""How long a table that broke down stands before each try to bring it back; the last one again and again."""


class KeptTable(Protocol):
    """A table as it was kept: what it is recovered from, and the epoch that its commits must carry from now on."""

    @property
    def epoch(self) -> int: ...
    @property
    def checkpoint(self) -> bytes | None: ...
    @property
    def events(self) -> Sequence[tuple[int, int, AnyEvent]]: ...
    @property
    def answers(self) -> Sequence[Answer]: ...
    @property
    def stopped_ms(self) -> int | None: ...


class TableShelf(Journal, Protocol):
    """Where tables are kept between two runs of the server, and while they play."""

    async def tables(self) -> Sequence[TableId]:
        """The tables that are open."""
        ...

    async def load(self, table: TableId) -> KeptTable:
        """Take a table over. Raises a `Fault` for one that cannot be read or that somebody else has."""
        ...

    async def load_many(self, wanted: Sequence[TableId]) -> Mapping[TableId, KeptTable | AvenueError]:
        """Take tables over together; what `load` would raise for one stands in its place."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePorts:
    """What every table's actor needs of the world outside."""

    shelf: TableShelf
    clock: Clock
    decks: DeckSource
    faults: FaultLog
    epoch: int
    """Of this process: what the first commit of a new table carries."""
    ids: IdSource = field(default_factory=RandomIds)


@dataclass(slots=True)
class _Hosted:
    room: Room
    actor: TableActor
    task: asyncio.Task[None] | None = None


@dataclass(slots=True)
class _Outlet:
    """The outbox that an actor is given before its room is there."""

    room: Room | None = field(default=None, repr=False)

    def publish(self, published: Published) -> None:
        if self.room is not None:
            self.room.publish(published)


class Rooms:
    """All tables of this process. `start` it once, `stop` it once."""

    def __init__(self, ports: TablePorts) -> None:
        self._ports = ports
        self._shelf = ports.shelf
        self._hosted: dict[TableId, _Hosted] = {}
        self._sitting: set[tuple[PlayerId, TableId]] = set()
        self._stopping = False

    def __len__(self) -> int:
        return len(self._hosted)

    def __iter__(self) -> Iterator[Room]:
        return iter([hosted.room for hosted in self._hosted.values()])

    def get(self, table: TableId) -> Room | None:
        hosted = self._hosted.get(table)
        return None if hosted is None else hosted.room

    def room(self, table: TableId) -> Room:
        """The room of a table. Raises `NoSuchTable`."""
        room = self.get(table)
        if room is None:
            raise NoSuchTable
        return room

    async def start(self) -> None:
        """Bring back every table that is open. One that cannot be read is told to the log and left out."""
        for table, kept in (await self._shelf.load_many(await self._shelf.tables())).items():
            try:
                actor, outlet = self._taken_up(kept)
            except AvenueError as error:
                log.error("table stays closed", table=table, code=error.code, fields=error.fields)
                continue
            self._host(table, actor, outlet)

    async def open(self, config: TableConfig) -> Room:
        """Open a new table. Raises `BadVariant`, and what the journal raises; then there is no table."""
        table = TableId(self._ports.ids.new("t"))
        await open_table(
            table=table, config=config, epoch=self._ports.epoch, journal=self._shelf, clock=self._ports.clock
        )
        room = self._host(table, *await self._recovered(table))
        log.info("table opened", table=table, name=config.name, game=config.variant.game)
        return room

    def submit(self, room: Room, command: PlayerCommand) -> asyncio.Future[int]:
        """Ask a table for something. Raises `TooManySeats` for who sits at as many other tables as one may."""
        if not isinstance(command, Sit):
            return room.submit(command)
        if self._seats_besides(room, command.player) >= MAX_TABLES_PER_PLAYER:
            raise TooManySeats(max_tables=MAX_TABLES_PER_PLAYER)
        answer = room.submit(command)
        wish = (command.player, room.table)
        self._sitting.add(wish)
        answer.add_done_callback(lambda _: self._sitting.discard(wish))
        return answer

    async def stop(self) -> None:
        """Let every commit in flight end and take no more commands."""
        self._stopping = True
        tasks = [hosted.task for hosted in self._hosted.values() if hosted.task is not None]
        await asyncio.gather(*(hosted.actor.stop() for hosted in self._hosted.values()))
        for task in tasks:
            # One that is waiting to bring its table back has no actor to stop.
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def close_all(self, error: AvenueError) -> None:
        """End every connection to every table with the same code."""
        for hosted in self._hosted.values():
            hosted.room.close(error)

    def _seats_besides(self, room: Room, player: PlayerId) -> int:
        """How many other tables the player sits at, or is about to."""
        return sum(
            one is not room and (one.seat_of(player) is not None or (player, one.table) in self._sitting)
            for one in self
        )

    def _host(self, table: TableId, actor: TableActor, outlet: _Outlet) -> Room:
        room = outlet.room = Room(table, actor=actor, clock=self._ports.clock)
        hosted = self._hosted[table] = _Hosted(room, actor)
        hosted.task = asyncio.get_running_loop().create_task(self._keep(hosted), name=f"table {table}")
        return room

    async def _keep(self, hosted: _Hosted) -> None:
        """Run a table's actors, one after the other, until the house stops or the table cannot be brought back."""
        room = hosted.room
        in_a_row = 0
        while True:
            began_at_seq = hosted.actor.state.seq
            room.served_by(hosted.actor)
            await self._run(hosted.actor)
            if self._stopping:
                return
            room.interrupted()
            in_a_row = 1 if hosted.actor.state.seq > began_at_seq else in_a_row + 1
            log.error("table broke down", table=room.table, in_a_row=in_a_row)
            if in_a_row > MAX_TABLE_RESTARTS or not await self._bring_back(hosted):
                log.critical("table stays closed", table=room.table)
                room.close(TableClosed())
                return

    async def _run(self, actor: TableActor) -> None:
        """Run an actor to its end, however that comes: whatever ends a table must end that table alone."""
        try:
            await actor.run()
        except Exception as error:
            log.error("table's task broke", table=actor.state.table, exc_info=error)

    async def _bring_back(self, hosted: _Hosted) -> bool:
        """Put a fresh actor in place of one that ended, from the journal; tell whether the journal can be read.

        A store that does not answer is asked again, for as long as it takes.
        """
        for pause_s in chain(RESTART_PAUSES_S, repeat(RESTART_PAUSES_S[-1])):
            await asyncio.sleep(pause_s)
            try:
                actor, outlet = await self._recovered(hosted.room.table)
            except (CommitFailed, StoreBusy) as error:
                log.error("table waits for the store", table=hosted.room.table, code=error.code)
            except AvenueError as error:
                log.error("table cannot be read", table=hosted.room.table, code=error.code, fields=error.fields)
                return False
            except Exception as error:
                log.error("table waits for the store", table=hosted.room.table, exc_info=error)
            else:
                outlet.room = hosted.room
                hosted.actor = actor
                return True
        raise AssertionError("the pauses never end")

    async def _recovered(self, table: TableId) -> tuple[TableActor, _Outlet]:
        return self._taken_up(await self._shelf.load(table))

    def _taken_up(self, kept: KeptTable | AvenueError) -> tuple[TableActor, _Outlet]:
        """An actor for a table as it was kept. Raises what stands in the table's place, and `JournalBroken`."""
        if isinstance(kept, AvenueError):
            raise kept
        outlet = _Outlet()
        actor = TableActor(
            recover(kept.checkpoint, kept.events),
            epoch=kept.epoch,
            journal=self._shelf,
            outbox=outlet,
            clock=self._ports.clock,
            decks=self._ports.decks,
            faults=self._ports.faults,
            answers=kept.answers,
            stopped_ms=kept.stopped_ms,
        )
        return actor, outlet
