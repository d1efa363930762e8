"""A shelf of tables in memory, and followers who only listen."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.rooms.feed import Subscription
from app.rooms.viewer import Viewer
from app.wire.server import ServerFrame
from engine.rules.errors import AvenueError
from engine.rules.events import PlayerId
from engine.rules.views import view_event
from engine.table.errors import StaleOwner
from engine.table.events import AnyEvent, TableId
from engine.table.ports import Answer, TableCommit
from engine.table.recovery import DISPENSABLE
from tests.fakes import MemoryJournal


@dataclass(frozen=True)
class Kept:
    table: TableId
    epoch: int
    checkpoint: bytes | None
    events: Sequence[tuple[int, int, AnyEvent]]
    answers: Sequence[Answer]
    stopped_ms: int | None = None


@dataclass(frozen=True)
class Salvaged:
    epoch: int
    checkpoint: bytes | None
    events: Sequence[tuple[int, int, AnyEvent | None]]
    answers: Sequence[Answer]
    seat_chips: Mapping[PlayerId, int]


@dataclass
class MemoryShelf:
    """A journal for each table. `load_fails` are raised by the next loads, in turn."""

    journals: dict[TableId, MemoryJournal] = field(default_factory=dict)
    load_fails: list[Exception] = field(default_factory=list)
    salvage_fails: list[Exception] = field(default_factory=list)
    loads: int = 0
    alive_ms: int | None = None
    """The last sign of life of the process that had the tables."""

    async def commit(self, commit: TableCommit) -> None:
        journal = self.journals.setdefault(commit.table, MemoryJournal())
        await journal.commit(commit)

    async def tables(self) -> list[TableId]:
        return list(self.journals)

    async def load(self, table: TableId) -> Kept:
        self.loads += 1
        await asyncio.sleep(0)
        if self.load_fails:
            raise self.load_fails.pop(0)
        if table not in self.journals:
            raise StaleOwner
        journal = self.journals[table]
        return Kept(table, journal.epoch, journal.checkpoint, journal.tail, tuple(journal.answers), self.alive_ms)

    async def salvage(self, table: TableId) -> Salvaged:
        """Give what the public sees of a table, as if nothing else of its running hand could be read."""
        if self.salvage_fails:
            raise self.salvage_fails.pop(0)
        journal = self.journals[table]
        tail = [
            (seq, at_ms, None if event.__struct_config__.tag in DISPENSABLE else view_event(event, None))
            for seq, at_ms, event in journal.tail
        ]
        chips = {
            account.player: balance
            for account, balance in journal.ledger.balances.items()
            if account.kind == "seat" and account.table == table and account.player is not None
        }
        return Salvaged(journal.epoch, journal.checkpoint, tail, tuple(journal.answers), chips)

    async def load_many(self, wanted: Sequence[TableId]) -> dict[TableId, Kept | AvenueError]:
        found: dict[TableId, Kept | AvenueError] = {}
        for table in wanted:
            try:
                found[table] = await self.load(table)
            except AvenueError as error:
                found[table] = error
        return found


class Listener:
    """Somebody who follows a table and writes down what he gets."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.frames: list[ServerFrame] = []
        self.closed_with: AvenueError | None = None

    def text(self, text: str) -> None:
        self.texts.append(text)

    def frame(self, frame: ServerFrame) -> None:
        self.frames.append(frame)

    def close(self, error: AvenueError) -> None:
        self.closed_with = error


def follower(name: str | None = None, *, house_bot: bool = False) -> tuple[Listener, Subscription]:
    """Somebody at a table: a player by that name, or with None a stranger."""
    listener = Listener()
    viewer = None if name is None else Viewer(player=PlayerId(name), name=name, house_bot=house_bot)
    return listener, Subscription(listener, viewer)
