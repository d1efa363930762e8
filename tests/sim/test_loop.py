"""The loop of a simulated process: virtual time, no thread, and an end at any moment."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from typing import Any

import pytest

from tests.sim.loop import ProcessDied, ThreadInWorld, Time, VirtualLoop


class Desk:
    """A loop that is driven to the end of what it has to do."""

    def __init__(self) -> None:
        self.time = Time(wall_ms=1_700_000_000_000)
        self.loop = VirtualLoop(self.time, tie=random.Random(1).random)  # type: ignore[abstract]  # no more is asked of it
        self.tasks: list[asyncio.Task[None]] = []

    def start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(self.loop.create_task(coroutine))

    def run(self) -> None:
        while (due_us := self.loop.next_us()) is not None:
            self.time.now_us = max(self.time.now_us, due_us)
            self.loop.run_one()


def test_sleeping_takes_no_time_but_the_worlds() -> None:
    desk, woke = Desk(), list[int]()

    async def sleeper(seconds: float) -> None:
        await asyncio.sleep(seconds)
        woke.append(desk.time.now_us)

    begun_us = desk.time.now_us
    for seconds in (3_600.0, 0.5, 20.0):
        desk.start(sleeper(seconds))
    desk.run()
    assert woke == [begun_us + us for us in (500_000, 20_000_000, 3_600_000_000)]


def test_a_timeout_and_an_event_of_asyncio_work_in_it() -> None:
    desk, told = Desk(), list[str]()

    async def waiter(event: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(5):
                await event.wait()
        except TimeoutError:
            told.append("too late")
        else:
            told.append("in time")

    early, never = asyncio.Event(), asyncio.Event()
    desk.start(waiter(early))
    desk.start(waiter(never))
    desk.loop.call_later(1, early.set)
    desk.run()
    assert told == ["in time", "too late"]


def test_a_cancelled_timer_does_not_ring() -> None:
    desk, rang = Desk(), list[int]()
    desk.loop.call_later(1, rang.append, 1).cancel()
    desk.loop.call_later(2, rang.append, 2)
    desk.run()
    assert rang == [2]


def test_no_thread_has_anything_to_do_with_it() -> None:
    desk = Desk()
    with pytest.raises(ThreadInWorld):
        desk.loop.run_in_executor(None, print)
    with pytest.raises(ThreadInWorld):
        desk.loop.call_soon_threadsafe(print)


def test_a_jump_of_the_wall_clock_moves_no_monotonic_one() -> None:
    time = Time(wall_ms=1_000)
    before_ns = time.monotonic_ns()
    time.jump(-500)
    assert time.wall_ns() == 500_000_000
    assert time.monotonic_ns() == before_ns


def test_a_dead_process_is_unwound_and_says_nothing_more() -> None:
    desk, told = Desk(), list[str]()

    async def server() -> None:
        try:
            await asyncio.sleep(1_000)
        finally:
            told.append("unwound")

    def dies() -> None:
        raise ProcessDied

    desk.start(server())
    desk.loop.call_later(1, dies)
    with pytest.raises(ProcessDied):
        desk.run()
    desk.loop.bury()
    assert told == ["unwound"]
    assert desk.loop.next_us() is None
    assert desk.loop.is_closed()


def test_an_exception_that_nobody_looks_at_is_a_complaint() -> None:
    desk = Desk()

    async def breaks() -> None:
        raise ValueError("unseen")

    desk.start(breaks())
    desk.run()
    desk.tasks.clear()
    assert desk.loop.complaints == ["Task exception was never retrieved: ValueError"]
