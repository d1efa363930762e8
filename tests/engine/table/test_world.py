"""A small world around one actor: players of no patience, a journal that fails, a process that dies; all from a seed.

Whatever happens, no chip is made or lost, nothing is published that is not in the journal, nobody is acknowledged what
is not kept, and no command is done twice.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import NamedTuple

import msgspec
import pytest

from engine.rules.actions import Fold, SeatNo
from engine.rules.errors import Refusal
from engine.rules.events import HandEnded, HandId, PlayerId
from engine.table.commands import Act, PlayerCommand, Sit, SitIn, SitOut, StandUp, TopUp
from engine.table.errors import CommitFailed
from engine.table.recovery import recover
from tests.engine.table.desk import STUD5, STUD7, config, fingerprint, names
from tests.engine.table.rooms import Room
from tests.fakes import GRANT_CHIPS, SeededDecks, settle

PLAYERS = ("ann", "bob", "cid", "dan", "eve")
STEPS = 400


class Asked(NamedTuple):
    """A command as it was sent in the process's so-many-th life."""

    life: int
    command: PlayerCommand
    future: asyncio.Future[int]


class World:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        variant = self.random.choice([STUD5, STUD7])
        self.room = Room(
            config(variant, min_buy_in_chips=20, time_bank_ms=2_000, turn_ms=5_000, absent_ms=20_000),
            decks=SeededDecks(seed),
        )
        self.asked: list[Asked] = []
        self.crashes = self.faults = 0

    async def live(self) -> None:
        async with self.room:
            await self.room.sit(*PLAYERS[:4], chips=250)
            for _ in range(STEPS):
                await self.step()
                self.check()
            self.room.journal.release()
            await settle()
            self.check_answers()

    async def step(self) -> None:  # noqa: C901 - one branch a kind of step
        journal = self.room.journal
        match self.random.choices(
            ["ask", "again", "play", "wait", "hold", "release", "fail", "lose", "crash"],
            [20, 6, 80, 10, 2, 30, 2, 1, 1],
        )[0]:
            case "ask":
                self.ask(self.some_wish())
            case "again" if self.asked:
                self.ask(self.random.choice(self.asked[-40:]).command)
            case "play" if self.room.state.hand is not None:
                self.ask(self.some_act())
            case "play":
                await self.room.clock.advance(1_000)
            case "wait":
                await self.room.clock.advance(self.random.choice([100, 1_000, 3_000, 8_000]))
            case "hold":
                journal.hold()
            case "release":
                journal.release()
            case "fail":
                journal.fail_next(CommitFailed())
                self.faults += 1
            case "lose":
                journal.lose_next_answer(ConnectionResetError())
                self.faults += 1
            case "crash":
                journal.release()
                await self.room.crash()
            case _:
                pass
        if self.random.random() < 0.8:
            await settle()
        if self.room.task.done():
            self.crashes += 1
            stopped_ms = self.random.choice([None, self.room.clock.now_ms()])
            self.room.clock.pass_over(self.random.choice([10, 30_000]))
            self.room.come_back(stopped_ms=stopped_ms)
            await settle()

    def ask(self, command: PlayerCommand) -> None:
        self.asked.append(Asked(self.crashes, command, self.room.actor.submit(command)))

    def some_wish(self) -> PlayerCommand:
        player, command_id = PlayerId(self.random.choice(PLAYERS)), self.room.id()
        match self.random.randrange(12):
            case 0:
                return StandUp(player=player, command_id=command_id)
            case 1:
                return SitOut(player=player, command_id=command_id)
            case 2 | 3 | 4 | 5 | 6:
                return SitIn(player=player, command_id=command_id)
            case 7:
                return TopUp(player=player, command_id=command_id, added_chips=self.random.choice([0, 5, 60]))
            case _:
                seat = self.random.choice([None, SeatNo(self.random.randrange(1, 9))])
                chips = self.random.choice([10, 25, 100, 250])
                return Sit(player=player, command_id=command_id, name=player, seat=seat, buy_in_chips=chips)

    def some_act(self) -> PlayerCommand:
        state = self.room.state
        if state.hand is None or not state.turns:
            return Act(player=PlayerId("ann"), command_id=self.room.id(), hand=HandId("t1-1"), turn=1, action=Fold())
        turn = next(iter(state.turns.values()))
        action = self.random.choice(turn.options).action
        return Act(
            player=state.seats[turn.seat].player,
            command_id=self.room.id(),
            hand=state.hand.hand,
            turn=turn.turn,
            action=action,
        )

    def check(self) -> None:
        journal, ledger = self.room.journal, self.room.journal.ledger
        held = sum(ledger.wallet(player) + ledger.seat(player) for player in PLAYERS)
        assert held + ledger.rake() == GRANT_CHIPS * len(PLAYERS)
        recovered = recover(journal.checkpoint, journal.tail)
        for seat in recovered.seats.values():
            assert ledger.seat(seat.player) == seat.account_chips
        assert self.room.state.seq <= recovered.seq, "nobody is ahead of the journal"
        if self.room.journal.in_flight == 0 and not self.room.task.done():
            assert fingerprint(self.room.state) == fingerprint(recovered)

    def check_answers(self) -> None:
        journal = self.room.journal
        for published in self.room.outbox.published:
            kept = journal.events[published.first_seq - 1 : published.first_seq - 1 + len(published.events)]
            assert list(published.events) == kept, "what is shown is in the journal"
        kept_answers = {(answer.player, answer.command_id): answer.seq for answer in journal.answers}
        assert len(kept_answers) == len(journal.answers), "no command is done twice"
        for commands in self.by_id().values():
            self.check_one(commands, kept_answers)

    def check_one(self, asked: list[Asked], kept: dict[tuple[PlayerId, str], int]) -> None:
        """All answers to one command, in order. Refusals are forgotten when the process dies, acceptance never is."""
        seq: int | None = None
        refused: tuple[int, str] | None = None
        for one in asked:
            assert one.future.done()
            error = one.future.exception()
            if error is None:
                seq = one.future.result()
                assert kept[one.command.player, one.command.command_id] == seq, "what is acknowledged is kept"
                assert refused is None or refused[0] < one.life, "what was refused stays so"
            elif isinstance(error, Refusal) and error.code not in {"table/closed", "table/busy", "table/paused"}:
                assert seq is None, "what was acknowledged is acknowledged again"
                assert refused is None or refused[0] < one.life or refused[1] == error.code
                refused = (one.life, error.code)

    def by_id(self) -> dict[str, list[Asked]]:
        found: dict[str, list[Asked]] = {}
        for one in self.asked:
            found.setdefault(one.command.command_id, []).append(one)
        return found


@pytest.mark.parametrize("seed", range(12))
async def test_a_world_from_a_seed_keeps_its_laws(seed: int) -> None:
    world = World(seed)
    await world.live()
    assert not [report for report in world.room.faults.reports if report.error not in EXPECTED]


async def test_these_worlds_see_what_they_are_there_for() -> None:
    seen: Counter[str] = Counter()
    for seed in range(12):
        world = World(seed)
        await world.live()
        seen.update(names(world.room.events))
        seen["crash"] += world.crashes
        seen["fault"] += world.faults
        seen["acknowledged"] += sum(1 for one in world.asked if one.future.exception() is None)
    assert seen["HandEnded"] > 100
    assert min(seen[name] for name in ("crash", "fault", "ClockResumed", "TurnTimedOut", "PlayerLeft", "SatOut")) > 5
    assert seen["HandCancelled"] == 0, "a failing disk cancels no hand"
    assert seen["acknowledged"] > 1_000


async def test_the_same_seed_gives_the_same_world_byte_for_byte() -> None:
    first, second = World(3), World(3)
    await first.live()
    await second.live()
    assert msgspec.json.encode(first.room.journal.rows) == msgspec.json.encode(second.room.journal.rows)
    assert any(isinstance(event, HandEnded) for event in first.room.events)


EXPECTED = {"CommitFailed", "ConnectionResetError"}
"""The faults that these worlds plant."""
