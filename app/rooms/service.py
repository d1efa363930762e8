"""Hosts the tables: opens them, brings them back at the start and after a breakdown, and ends them.

Each table's actor runs in a task of its own. One that ends by itself does not know whether its last commit stands, or
was broken by a mistake of ours: the table is then brought back from its journal. That concerns this table alone, the
others do not notice. A hand that cannot be gone on with is cancelled as its table is brought back.

A table whose journal cannot be read, or that breaks down again and again, stops: everyone there is told, and so is the
operator. Its chips lie in the accounts of its seats until `reopen` makes its hand void and opens it again.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import TYPE_CHECKING, Protocol

import structlog
from msgspec.structs import replace

from app.ids import RandomIds
from app.refusals import NoSuchTable, TooManySeats
from app.rooms.room import Room
from engine.limits import MAX_STOP_WAIT_MS, MAX_TABLE_RESTARTS, MAX_TABLES_PER_PLAYER
from engine.rules.errors import AvenueError, Fault
from engine.table.actor import TableActor, open_table
from engine.table.commands import Sit
from engine.table.errors import CommitFailed, TableStopped
from engine.table.events import TableId
from engine.table.faults import report_of
from engine.table.ports import IdSource, Journal
from engine.table.recovery import bring_back, bring_back_seats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from engine.rules.events import PlayerId
    from engine.table.commands import PlayerCommand
    from engine.table.events import AnyEvent, TableConfig
    from engine.table.ports import Answer, Clock, DeckSource, FaultLog, Published
    from engine.table.recovery import BroughtBack, VoidReason
    from engine.table.standstill import PauseReason

log = structlog.get_logger(__name__)

RESTART_PAUSES_S = (0.2, 1, 2, 5)
"""How long a table that broke down stands before each try to bring it back; the last one again and again."""


class KeptTable(Protocol):
    """A table as it was kept: what it is recovered from, and the epoch that its commits must carry from now on."""

    @property
    def table(self) -> TableId: ...
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


class SalvagedTable(Protocol):
    """What is still sure of a table that cannot be read; `seat_chips` is what the ledger holds for each player."""

    @property
    def epoch(self) -> int: ...
    @property
    def checkpoint(self) -> bytes | None: ...
    @property
    def events(self) -> Sequence[tuple[int, int, AnyEvent | None]]: ...
    @property
    def answers(self) -> Sequence[Answer]: ...
    @property
    def seat_chips(self) -> Mapping[PlayerId, int]: ...


class TableShelf(Journal, Protocol):
    """Where tables are kept between two runs of the server, and while they play."""

    async def tables(self) -> Sequence[TableId]:
        """The tables that are open."""
        ...

    async def load(self, table: TableId) -> KeptTable:
        """Take a table over. Raises a `Fault` for one that cannot be read or that somebody else has."""
        ...

    async def salvage(self, table: TableId) -> SalvagedTable:
        """Take a table over with what is sure of its seats. Raises a `Fault` where not even that is sure."""
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
    void: VoidReason | None = None
    """Why the hand must be cancelled when the table is brought back."""


@dataclass(slots=True)
class _Outlet:
    """The outbox that an actor is given before its room is there."""

    room: Room | None = field(default=None, repr=False)

    def publish(self, published: Published) -> None:
        if self.room is not None:
            self.room.publish(published)

    def paused(self, reason: PauseReason | None) -> None:
        if self.room is not None:
            self.room.paused(reason)


class Rooms:
    """All tables of this process. `start` it once, `stop` it once."""

    def __init__(self, ports: TablePorts) -> None:
        self._ports = ports
        self._shelf = ports.shelf
        self._hosted: dict[TableId, _Hosted] = {}
        self._stopped: set[TableId] = set()
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
        """The room of a table. Raises `NoSuchTable`, and `TableStopped` for one that waits for the operator."""
        room = self.get(table)
        if room is None:
            raise TableStopped if table in self._stopped else NoSuchTable
        return room

    @property
    def stopped(self) -> frozenset[TableId]:
        """The tables that cannot go on and wait for the operator."""
        return frozenset(self._stopped)

    async def start(self) -> None:
        """Bring back every table that is open. One that cannot be read stops, and the operator is told.

        A store that does not answer is asked a few times more; raises what it says then.
        """
        wanted = await self._shelf.tables()
        missing: Sequence[TableId] = wanted
        found: dict[TableId, KeptTable | AvenueError] = {}
        for pause_s in (*RESTART_PAUSES_S, None):
            found |= await self._shelf.load_many(missing)
            missing = [table for table in wanted if isinstance(found[table], CommitFailed)]
            if not missing or pause_s is None:
                break
            await asyncio.sleep(pause_s)
        for table in wanted:
            self._begin(table, found[table])

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

    async def reopen(self, table: TableId) -> Room:
        """Open a stopped table again: its running hand is made void, and what lies at its seats stays there.

        It is for the operator. Raises `NoSuchTable` for a table that has not stopped, `JournalBroken` where the journal
        does not tell who sits there or tells of other chips than the ledger, and what the shelf raises: then it stays
        stopped.
        """
        if table not in self._stopped:
            raise NoSuchTable
        self._stopped.discard(table)
        try:
            salvaged = await self._shelf.salvage(table)
            actor, outlet = self._actor(
                bring_back_seats(salvaged.checkpoint, salvaged.events, salvaged.seat_chips),
                epoch=salvaged.epoch,
                answers=salvaged.answers,
                stopped_ms=None,
            )
        except BaseException:
            self._stopped.add(table)
            raise
        log.warning("table reopened", table=table)
        return self._host(table, actor, outlet)

    async def stop(self) -> None:
        """Take no more commands and let every commit in flight end, within a bound."""
        self._stopping = True
        hosted = list(self._hosted.values())
        tasks = [one.task for one in hosted if one.task is not None]
        try:
            async with asyncio.timeout(MAX_STOP_WAIT_MS / 1_000):
                await asyncio.gather(*(one.actor.stop() for one in hosted))
        except TimeoutError:
            log.error("commits in flight are left", tables=sum(not task.done() for task in tasks))
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

    def _begin(self, table: TableId, kept: KeptTable | AvenueError) -> None:
        """Host a table as it was kept, or let it be stopped."""
        try:
            actor, outlet = self._taken_up(kept)
        except CommitFailed:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not keep the other tables from opening
            self._stop_table(table, error, last=None)
        else:
            self._host(table, actor, outlet)

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
            began_at_seq, was_void = hosted.actor.state.seq, hosted.void is not None
            room.served_by(hosted.actor)
            error = await self._run(hosted.actor)
            if self._stopping:
                return
            room.interrupted()
            in_a_row = 1 if hosted.actor.state.seq > began_at_seq else in_a_row + 1
            log.error("table broke down", table=room.table, in_a_row=in_a_row)
            # What cannot be cancelled is cancelled once more, by the journal alone.
            hosted.void = "fault" if hosted.actor.gave_up else None
            if in_a_row <= MAX_TABLE_RESTARTS and not (was_void and hosted.actor.gave_up):
                error = await self._bring_back(hosted)
                if error is None:
                    continue
            del self._hosted[room.table]
            self._stop_table(room.table, error or Fault(reason="broke_down"), last=hosted.actor)
            room.close(TableStopped())
            return

    async def _run(self, actor: TableActor) -> Exception | None:
        """Run an actor to its end, however that comes: whatever ends a table must end that table alone."""
        try:
            await actor.run()
        except Exception as error:
            log.error("table's task broke", table=actor.state.table, exc_info=error)
            return error
        return None

    async def _bring_back(self, hosted: _Hosted) -> Exception | None:
        """Put a fresh actor in place of one that ended, from the journal; gives why the journal is of no use."""
        kept = await self._loaded_in_the_end(hosted.room.table)
        try:
            hosted.actor, outlet = self._taken_up(kept)
        except Exception as error:  # noqa: BLE001 - whatever it is, it stops this table, and the operator is told
            return error
        outlet.room = hosted.room
        return None

    async def _loaded_in_the_end(self, table: TableId) -> KeptTable | AvenueError:
        """Take a table over again. A store that does not answer is asked again, for as long as it takes."""
        for pause_s in chain(RESTART_PAUSES_S, repeat(RESTART_PAUSES_S[-1])):
            await asyncio.sleep(pause_s)
            try:
                return await self._shelf.load(table)
            except CommitFailed as error:
                log.error("table waits for the store", table=table, code=error.code)
            except AvenueError as error:
                return error
            except Exception as error:
                log.error("table waits for the store", table=table, exc_info=error)
        raise AssertionError("the pauses never end")

    async def _recovered(self, table: TableId) -> tuple[TableActor, _Outlet]:
        return self._taken_up(await self._shelf.load(table))

    def _taken_up(self, kept: KeptTable | AvenueError) -> tuple[TableActor, _Outlet]:
        """An actor for a table as it was kept. Raises what stands in the table's place, and `JournalBroken`."""
        if isinstance(kept, AvenueError):
            raise kept
        hosted = self._hosted.get(kept.table)
        back = bring_back(kept.checkpoint, kept.events, void=None if hosted is None else hosted.void)
        stopped_ms = kept.stopped_ms
        if hosted is not None:
            # This process has lived on, but nothing of the table was kept since then.
            stopped_ms = hosted.actor.stopped_ms if stopped_ms is None else min(stopped_ms, hosted.actor.stopped_ms)
        return self._actor(back, epoch=kept.epoch, answers=kept.answers, stopped_ms=stopped_ms)

    def _actor(
        self, back: BroughtBack, *, epoch: int, answers: Sequence[Answer], stopped_ms: int | None
    ) -> tuple[TableActor, _Outlet]:
        outlet = _Outlet()
        actor = TableActor(
            back.state,
            epoch=epoch,
            journal=self._shelf,
            outbox=outlet,
            clock=self._ports.clock,
            decks=self._ports.decks,
            faults=self._ports.faults,
            answers=answers,
            stopped_ms=stopped_ms,
            void=back.void,
        )
        return actor, outlet

    def _stop_table(self, table: TableId, error: Exception, *, last: TableActor | None) -> None:
        """Tell the operator that a table cannot go on."""
        self._stopped.add(table)
        hand = None if last is None or last.state.hand is None else last.state.hand.hand
        command = None if last is None else last.last_command
        report = report_of(table, "", error)
        self._ports.faults.report(replace(report, kind="table_stopped", hand=hand, last=command))
