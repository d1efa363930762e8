"""How fast a table's actor plays: decided, committed to memory, published to nobody, answered. One core, one table.

python -m tests.bench.table_speed [HANDS]
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Callable

from engine.deal.shuffle import SystemDecks
from engine.rules.cards import DECK
from engine.rules.events import PlayerId
from engine.table.actor import TableActor, open_table
from engine.table.commands import Act, Sit
from engine.table.ports import Published, TableCommit
from engine.table.standstill import PauseReason
from tests.engine.table.desk import STUD7, TABLE, config
from tests.fakes import RecordingFaults

PLAYERS = 6


class CountingJournal:
    """Keeps nothing, so that the table alone is measured."""

    def __init__(self) -> None:
        self.events = self.commits = 0

    async def commit(self, commit: TableCommit) -> None:
        self.events += len(commit.events)
        self.commits += 1


class NoReaders:
    def publish(self, published: Published) -> None:
        pass

    def paused(self, reason: PauseReason | None) -> None:
        raise AssertionError("nothing is slow here")


class LeapingClock:
    """Goes at once to the moment of its next timer when it is told to."""

    def __init__(self) -> None:
        self._now_ms = 0
        self._timers: dict[LeapingTimer, None] = {}

    def now_ms(self) -> int:
        return self._now_ms

    def call_at(self, at_ms: int, callback: Callable[[], None]) -> LeapingTimer:
        timer = LeapingTimer(self._timers, at_ms, callback)
        self._timers[timer] = None
        return timer

    def leap(self) -> None:
        if self._timers:
            timer = min(self._timers, key=lambda one: one.at_ms)
            timer.cancel()
            self._now_ms = max(self._now_ms, timer.at_ms)
            timer.callback()


class LeapingTimer:
    def __init__(self, timers: dict[LeapingTimer, None], at_ms: int, callback: Callable[[], None]) -> None:
        self._timers = timers
        self.at_ms = at_ms
        self.callback = callback

    def cancel(self) -> None:
        self._timers.pop(self, None)


async def play(hands: int) -> str:
    """Let random legal players play so many hands of seven-card stud; gives what was measured."""
    clock, journal, faults, source = LeapingClock(), CountingJournal(), RecordingFaults(), random.Random(7)
    table = config(STUD7, min_buy_in_chips=1)
    state = await open_table(table=TABLE, config=table, epoch=1, journal=journal, clock=clock)
    actor = TableActor(
        state, epoch=1, journal=journal, outbox=NoReaders(), clock=clock, decks=SystemDecks(DECK), faults=faults
    )
    running = asyncio.create_task(actor.run())
    for number in range(PLAYERS):
        name = f"p{number}"
        await actor.submit(
            Sit(player=PlayerId(name), command_id="sit", name=name, seat=None, buy_in_chips=1_000_000_000)
        )
    begun_events, begun_s, acts = journal.events, time.perf_counter(), 0
    while actor.state.hands < hands or actor.state.hand is not None:
        if actor.state.hand is None:
            clock.leap()
            await asyncio.sleep(0)
            continue
        (turn,) = actor.state.turns.values()
        acts += 1
        wish = Act(
            player=actor.state.seats[turn.seat].player,
            command_id=f"act{acts}",
            hand=actor.state.hand.hand,
            turn=turn.turn,
            action=source.choice(turn.options).action,
        )
        await actor.submit(wish)
    took_s = time.perf_counter() - begun_s
    await actor.stop()
    await running
    assert not faults.reports
    return (
        f"{hands} hands, {PLAYERS} players, {acts} actions, {journal.events - begun_events} events in {took_s:.2f} s: "
        f"{hands / took_s:,.0f} hands/s, {(journal.events - begun_events) / took_s:,.0f} events/s, "
        f"{took_s / acts * 1e6:.0f} µs an action from asking to the answer"
    )


def main() -> None:
    hands = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    print(asyncio.run(play(hands)))


if __name__ == "__main__":
    main()
