"""A table's actor at work on a virtual clock, with its ports made by hand."""

from __future__ import annotations

import asyncio
from itertools import count
from types import TracebackType
from typing import Any

from msgspec.structs import replace

from engine.rules.actions import SeatNo
from engine.rules.events import PlayerId
from engine.table.actor import TableActor, open_table
from engine.table.commands import Act, PlayerCommand, Sit
from engine.table.events import AnyEvent, TableConfig, TableId, Turn
from engine.table.ports import DeckSource
from engine.table.recovery import recover
from engine.table.state import TableState
from tests.engine.table.desk import CONFIG, TABLE, offered
from tests.fakes import MemoryJournal, RecordingFaults, RecordingOutbox, SeededDecks, VirtualClock


class Room:
    """Use it as `async with Room() as room`: the actor runs inside and is stopped at the end."""

    def __init__(  # noqa: PLR0913 - the ports of a table, every one named
        self,
        config: TableConfig = CONFIG,
        *,
        table: TableId = TABLE,
        clock: VirtualClock | None = None,
        wallets: dict[str, int] | None = None,
        decks: DeckSource | None = None,
        outbox: RecordingOutbox | None = None,
    ) -> None:
        self.clock = clock or VirtualClock()
        self.journal = MemoryJournal(wallets)
        self.outbox = outbox or RecordingOutbox()
        self.faults = RecordingFaults()
        self.decks = decks or SeededDecks(7)
        self.actor: TableActor
        self.task: asyncio.Task[None]
        self._config = config
        self._table = table
        self._ids = count(1)

    async def __aenter__(self) -> Room:
        state = await open_table(
            table=self._table, config=self._config, epoch=self.journal.epoch, journal=self.journal, clock=self.clock
        )
        self.start(state)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.journal.release()
        await self.actor.stop()
        await asyncio.gather(self.task, return_exceptions=True)

    def start(self, state: TableState, *, stopped_ms: int | None = None) -> None:
        self.actor = TableActor(
            state,
            epoch=self.journal.epoch,
            journal=self.journal,
            outbox=self.outbox,
            clock=self.clock,
            decks=self.decks,
            faults=self.faults,
            answers=self.journal.answers,
            stopped_ms=stopped_ms,
        )
        self.task = asyncio.create_task(self.actor.run())

    async def crash(self) -> None:
        """Let the process die here: nothing of the actor is left but what the journal holds."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    def come_back(self, *, stopped_ms: int | None = None) -> None:
        self.journal.epoch += 1
        self.start(recover(self.journal.checkpoint, self.journal.tail), stopped_ms=stopped_ms)

    async def ask(self, command: PlayerCommand) -> int:
        return await self.actor.submit(command)

    async def sit(self, *players: str, chips: int = 1_000, **fields: Any) -> None:
        for player in players:
            await self.ask(
                Sit(player=PlayerId(player), command_id=self.id(), name=player, seat=None, buy_in_chips=chips, **fields)
            )

    async def deal(self) -> None:
        """Let the pause pass, so that the next hand begins."""
        await self.clock.advance(self._config.pause_ms)
        assert self.state.hand is not None

    async def act(self, *words: str) -> int:
        """Let whoever is asked do the first of these words that he is offered."""
        return await self.ask(self.wish(*words))

    def wish(self, *words: str) -> Act:
        turn = self.turn()
        verbs = [type(option.action).__struct_config__.tag for option in turn.options]
        word = next(word for word in words if word in verbs)
        hand = self.state.hand
        assert hand is not None
        return Act(
            player=self.on_turn(),
            command_id=self.id(),
            hand=hand.hand,
            turn=turn.turn,
            action=offered(turn, word),
        )

    async def play_out(self, *words: str) -> None:
        while self.state.hand is not None:
            await self.act(*words)

    @property
    def state(self) -> TableState:
        return self.actor.state

    @property
    def events(self) -> list[AnyEvent]:
        return self.journal.events

    def turn(self) -> Turn:
        (turn,) = self.state.turns.values()
        return turn

    def on_turn(self) -> PlayerId:
        return self.state.seats[self.turn().seat].player

    def seat(self, player: str) -> SeatNo:
        return next(seat.seat for seat in self.state.seats.values() if seat.player == player)

    def id(self) -> str:
        return f"c{next(self._ids)}"


def with_id(command: Act, command_id: str) -> Act:
    return replace(command, command_id=command_id)
