"""A small house to test the store with: players who have money, and tables that decide by the real rules over SQL."""

from __future__ import annotations

import random
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import msgspec

from app.store import migrate
from app.store.bank import Bank, NewPlayer
from app.store.database import Database
from app.store.journal import SqlJournal
from app.store.keys import KEY_BYTES, KeyRing
from app.store.opening import Store
from app.store.sealing import Seals
from app.store.tables import PLAY
from app.store.writer import SqliteWriter
from engine.rules.actions import SeatNo
from engine.rules.events import PlayerId
from engine.rules.variants import Rake, seven_card_stud
from engine.table.commands import Act, Command, Sit, StandUp, StartHand
from engine.table.decide import Decision, decide, opening
from engine.table.events import AnyEvent, TableConfig, TableId
from engine.table.ports import Answer, Journal, TableCommit
from engine.table.recovery import encode_checkpoint
from engine.table.state import TableState
from tests.app.store.flaky import Flaws
from tests.fakes import VirtualClock, shuffled_by

CONFIG = TableConfig(
    name="Avenue 1",
    variant=seven_card_stud(
        small_bet_chips=10,
        big_bet_chips=20,
        ante_chips=2,
        bring_in_chips=4,
        rake=Rake(basis_points=500, cap_chips=9),
    ),
    currency=PLAY,
    min_buy_in_chips=200,
)


class Template:
    """An empty database of this version, made once and copied for every test."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "template.db"
        migrate.upgrade(url_of(self._file))

    def copy(self, target: Path) -> Path:
        shutil.copyfile(self._file, target)
        return target


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


@asynccontextmanager
async def opened_with(path: Path, clock: VirtualClock, flaws: Flaws) -> AsyncIterator[Store]:
    """A store whose writer goes wrong where the flaws say so."""
    writer = SqliteWriter(path, now_ms=clock.now_ms, connection_class=flaws.connection_class())
    await writer.start()
    database = Database(path, writer)
    store = Store(
        database=database,
        writer=writer,
        journal=SqlJournal(writer, database, seals()),
        bank=Bank(writer, database, now_ms=clock.now_ms),
    )
    yield store
    await store.close()


def newcomer(name: str, kind: str = "person") -> NewPlayer:
    """Somebody whose id is his name."""
    return NewPlayer(
        id=PlayerId(name),
        kind=kind,
        name=name,
        name_key=name.casefold(),
        password_hash=None,
        created_ms=1_700_000_000_000,
        of_age_word_ms=1_700_000_000_000,
    )


async def add_player(store: Store, name: str, *, chips: int) -> PlayerId:
    await store.bank.register(newcomer(name), grant_chips=chips)
    return PlayerId(name)


class SqlTable:
    """One table over a journal, without an actor: each command is decided, committed, and then true."""

    def __init__(self, state: TableState, journal: Journal, *, epoch: int, clock: VirtualClock, seed: int = 7) -> None:
        self.state = state
        self.journal = journal
        self.epoch = epoch
        self.commits: list[TableCommit] = []
        self._clock = clock
        self._random = random.Random(seed)
        self._ids = count(1)

    @classmethod
    async def open(  # noqa: PLR0913 - a table's data, every one named
        cls,
        journal: Journal,
        *,
        epoch: int,
        clock: VirtualClock,
        table: str = "t1",
        config: TableConfig = CONFIG,
        seed: int = 7,
    ) -> SqlTable:
        decision = opening(table=TableId(table), config=config, now_ms=clock.now_ms())
        opened = cls(decision.state, journal, epoch=epoch, clock=clock, seed=seed)
        await opened.keep(decision, first_seq=1)
        return opened

    async def sit(self, player: str, chips: int = 1_000, *, command_id: str | None = None) -> list[AnyEvent]:
        return await self.do(
            Sit(
                player=PlayerId(player),
                command_id=command_id or self.id(),
                name=player,
                seat=None,
                buy_in_chips=chips,
            )
        )

    async def stand_up(self, player: str) -> list[AnyEvent]:
        return await self.do(StandUp(player=PlayerId(player), command_id=self.id()))

    async def deal(self) -> list[AnyEvent]:
        self._clock.pass_over(self.state.config.pause_ms)
        return await self.do(StartHand(deck=shuffled_by(self._random)))

    async def act(self) -> list[AnyEvent]:
        """Let whoever is asked do any one of the things that he may."""
        (turn,) = self.state.turns.values()
        assert self.state.hand is not None
        return await self.do(
            Act(
                player=self.state.cast[turn.seat],
                command_id=self.id(),
                hand=self.state.hand.hand,
                turn=turn.turn,
                action=self._random.choice(turn.options).action,
            )
        )

    async def play_hand(self) -> None:
        """Deal a hand and play it to its end at random."""
        await self.deal()
        while self.state.hand is not None:
            await self.act()

    async def do(self, command: Command) -> list[AnyEvent]:
        decision = decide(self.state, command, self._clock.now_ms())
        await self.keep(decision, first_seq=self.state.seq + 1, command=command)
        self.state = decision.state
        return list(decision.events)

    async def keep(self, decision: Decision, *, first_seq: int, command: Command | None = None) -> None:
        commit = self.commit_of(decision, first_seq=first_seq, command=command)
        await self.journal.commit(commit)
        self.commits.append(commit)

    def commit_of(self, decision: Decision, *, first_seq: int, command: Command | None = None) -> TableCommit:
        state = decision.state
        answer = None
        if isinstance(command, Act | Sit | StandUp):
            digest = msgspec.json.encode(command).hex()[:32]
            answer = Answer(player=command.player, command_id=command.command_id, digest=digest, seq=state.seq)
        return TableCommit(
            table=state.table,
            epoch=self.epoch,
            first_seq=first_seq,
            at_ms=self._clock.now_ms(),
            events=decision.events,
            transfers=decision.transfers,
            answer=answer,
            checkpoint=encode_checkpoint(state) if state.hand is None else None,
        )

    def stack(self, player: str) -> int:
        return next(seat.account_chips for seat in self.state.seats.values() if seat.player == player)

    def seat(self, player: str) -> SeatNo:
        return next(seat.seat for seat in self.state.seats.values() if seat.player == player)

    def id(self) -> str:
        return f"c{next(self._ids)}"


def seals(seed: int = 7) -> Seals:
    """Seals with a key that everybody knows, and keys and nonces by a seeded dice."""
    return Seals(KeyRing({"test": b"k" * KEY_BYTES}), entropy=random.Random(seed).randbytes)


class NoJournal:
    """Keeps nothing, for whoever wants the commits alone."""

    async def commit(self, commit: TableCommit) -> None: ...
