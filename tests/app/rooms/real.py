"""Rooms over a real store: the tables' clock stands still until a test moves it, the writer's thread goes by itself."""

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, Self

from app.rooms.room import Room
from app.rooms.service import Rooms, TablePorts
from app.store.audit import Difference, audit
from app.store.bank import Bank
from app.store.database import Database
from app.store.journal import SqlJournal
from app.store.opening import Store
from app.store.reading import Kept
from app.store.writer import BatchWriter, SqliteWriter
from engine.rules.actions import Option, SeatNo
from engine.rules.events import PlayerId
from engine.table.commands import Act, PlayerCommand, Sit
from engine.table.events import AnyEvent, TableConfig, TableId, Turn
from engine.table.state import TableState
from tests.app.rooms.shelf import follower
from tests.app.store.house import CONFIG, add_player, seals
from tests.fakes import RecordingFaults, SeededDecks, VirtualClock

Trouble = Literal["full", "full_at_commit", "broken"]

PATIENCE_S = 10
"""How long a test waits for what must come."""


class Disk:
    """A disk that is in trouble while a test says so. Reads go on unless it is broken."""

    def __init__(self) -> None:
        self._trouble: Trouble | None = None
        self._lock = threading.Lock()
        self.refused = 0

    def fails(self, trouble: Trouble | None) -> None:
        with self._lock:
            self._trouble = trouble

    def connection_class(self) -> type[sqlite3.Connection]:
        disk = self

        class TroubledCursor(sqlite3.Cursor):
            def execute(self, sql: str, parameters: Any = (), /) -> Self:
                disk.meet(sql)
                sqlite3.Cursor.execute(self, sql, parameters)
                return self

            def executemany(self, sql: str, rows: Iterable[Any], /) -> Self:
                disk.meet(sql)
                sqlite3.Cursor.executemany(self, sql, rows)
                return self

        class TroubledConnection(sqlite3.Connection):
            def cursor(self, factory: Any = None, /) -> Any:
                return super().cursor(TroubledCursor)

        return TroubledConnection

    def meet(self, sql: str) -> None:
        """Raise what SQLite raises there."""
        with self._lock:
            trouble = self._trouble
        writes = sql.startswith(("INSERT", "UPDATE", "DELETE"))
        if trouble == "broken":
            self._raise("disk I/O error", sqlite3.SQLITE_IOERR_WRITE, "SQLITE_IOERR_WRITE")
        if (trouble == "full" and writes) or (trouble == "full_at_commit" and sql == "COMMIT"):
            self._raise("database or disk is full", sqlite3.SQLITE_FULL, "SQLITE_FULL")

    def _raise(self, text: str, code: int, name: str) -> None:
        self.refused += 1
        error = sqlite3.OperationalError(text)
        error.sqlite_errorcode, error.sqlite_errorname = code, name
        raise error


class RealHouse:
    """What runs in one life of a server."""

    def __init__(self, store: Store, clock: VirtualClock, disk: Disk) -> None:
        self.store = store
        self.clock = clock
        self.disk = disk
        self.faults = RecordingFaults()
        ports = TablePorts(
            shelf=store.journal,
            clock=clock,
            decks=SeededDecks(5),
            faults=self.faults,
            epoch=store.writer.epoch,
            ids=_Counted(store.writer.epoch),
        )
        self.rooms = Rooms(ports)
        self._dice = random.Random(3)
        self._ids = 0

    async def table(self, *players: str, **fields: Any) -> Table:
        """A table at which these sit, and a hand runs."""
        config = {"pause_ms": 1_000, "quiet_pause_ms": 1_000, "time_bank_ms": 0, **fields}
        room = await self.rooms.open(replaced(CONFIG, **config))
        table = self.at(room)
        for player in players:
            await table.ask(
                Sit(player=PlayerId(player), command_id=self.id(), name=player, seat=None, buy_in_chips=500)
            )
        await self.clock.advance(1_000)
        await until(lambda: table.state.hand is not None)
        return table

    def at(self, room: Room) -> Table:
        return Table(self, room)

    async def alive(self) -> None:
        """Let a sign of life be written at this moment."""
        await add_player(self.store, f"someone{self.id()}", chips=1)

    async def audit(self) -> tuple[Difference, ...]:
        return (await audit(self.store.database)).differences

    def id(self) -> str:
        self._ids += 1
        return f"e{self.store.writer.epoch}-{self._ids}"


class Table:
    """One table of the house, with somebody who follows it."""

    def __init__(self, house: RealHouse, room: Room) -> None:
        self._house = house
        self.room = room
        self.listener, subscription = follower("ann")
        room.join(subscription)

    @property
    def id(self) -> TableId:
        return self.room.table

    @property
    def state(self) -> TableState:
        return self._house.rooms.room(self.id)._actor.state  # noqa: SLF001 - a test may look at what others may not

    @property
    def notices(self) -> list[str]:
        """What the follower was told of pauses, in order."""
        return [
            text.split('"')[7 if '"paused"' in text else 3]
            for text in self.listener.texts
            if text.startswith(('{"type":"paused"', '{"type":"going_on"'))
        ]

    @property
    def paused(self) -> str | None:
        return self._house.rooms.room(self.id)._actor.paused  # noqa: SLF001 - as above

    def seat(self, player: str) -> SeatNo:
        return next(number for number, seat in self.state.seats.items() if seat.player == player)

    def turn(self) -> Turn:
        (turn,) = self.state.turns.values()
        return turn

    async def ask(self, command: PlayerCommand) -> int:
        return await asyncio.wait_for(self._house.rooms.submit(self._house.rooms.room(self.id), command), PATIENCE_S)

    def wish(self, choose: Callable[[tuple[Option, ...]], Option] = lambda options: options[-1]) -> Act:
        turn, hand = self.turn(), self.state.hand
        assert hand is not None
        return Act(
            player=self.state.cast[turn.seat],
            command_id=self._house.id(),
            hand=hand.hand,
            turn=turn.turn,
            action=choose(turn.options).action,
        )

    async def act(self) -> int:
        return await self.ask(self.wish())

    async def rows(self) -> list[Kept]:
        """All that stands in SQL."""
        return list(await self._house.store.journal.events_after(self.id, 0, limit=100_000))

    async def events(self) -> list[AnyEvent]:
        return [row.event for row in await self.rows()]

    async def play_out(self) -> None:
        """Play the running hand to its end, each as cheaply as he can stay in."""
        running = self.state.hands
        while self.state.hand is not None and self.state.hands == running:
            await self.ask(self.wish(_cheapest))


@asynccontextmanager
async def real_house(
    path: Path, clock: VirtualClock, disk: Disk | None = None, *, busy_timeout_ms: int = 50
) -> AsyncIterator[RealHouse]:
    """A life of the server over a SQLite file, from its start to an orderly stop."""
    disk = disk or Disk()
    writer = SqliteWriter(
        path, now_ms=clock.now_ms, busy_timeout_ms=busy_timeout_ms, connection_class=disk.connection_class()
    )
    await writer.start()
    async with living(path, writer, clock, disk) as house:
        yield house


@asynccontextmanager
async def living(place: Any, writer: BatchWriter, clock: VirtualClock, disk: Disk) -> AsyncIterator[RealHouse]:
    database = Database(place, writer)
    store = Store(
        database=database,
        writer=writer,
        journal=SqlJournal(writer, database, seals(int(writer.epoch))),
        bank=Bank(writer, database, now_ms=clock.now_ms),
    )
    house = RealHouse(store, clock, disk)
    try:
        await house.rooms.start()
        yield house
    finally:
        disk.fails(None)
        await house.rooms.stop()
        await store.close()


def killed(path: Path) -> Path:
    """The files as a process leaves them that is killed at this moment; it knows nothing of it, and must be closed."""
    left = path.with_name(f"{path.stem}-left{path.suffix}")
    for suffix in ("", "-wal"):
        if (source := path.with_name(path.name + suffix)).exists():
            shutil.copyfile(source, left.with_name(left.name + suffix))
    return left


async def until(holds: Callable[[], bool]) -> None:
    """Wait in real time, for what the writer's thread has to do first."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110 - another thread sets no event of ours
            await asyncio.sleep(0.002)


async def moving(clock: VirtualClock, holds: Callable[[], bool], *, step_ms: int = 50) -> None:
    """Wait while the tables' clock goes on too."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await clock.advance(step_ms)
            await asyncio.sleep(0.002)


def replaced(config: TableConfig, **fields: Any) -> TableConfig:
    return TableConfig(**{name: fields.get(name, getattr(config, name)) for name in config.__struct_fields__})


class _Counted:
    def __init__(self, epoch: int) -> None:
        self._epoch = epoch
        self._count = 0

    def new(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._epoch}x{self._count}"


def _cheapest(options: tuple[Option, ...]) -> Option:
    """Stay in for as little as it takes."""
    paying = [option for option in options if type(option.action).__name__ != "Fold"]
    return min(paying, key=lambda option: option.added_chips)
