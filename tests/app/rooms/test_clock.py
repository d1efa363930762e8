"""The clock of a running server: whole milliseconds, never back, and no alarm before its time."""

import asyncio
import time

import pytest

from app.rooms.clock import SystemClock


def test_it_tells_utc() -> None:
    assert abs(SystemClock().now_ms() - time.time_ns() // 1_000_000) <= 2


def test_b151_a_jump_of_the_wall_clock_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SystemClock()
    before = clock.now_ms()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    assert 0 <= clock.now_ms() - before < 1_000


async def test_an_alarm_rings_at_its_time_and_not_before() -> None:
    clock = SystemClock()
    rang: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    at_ms = clock.now_ms() + 5
    clock.call_at(at_ms, lambda: rang.set_result(clock.now_ms()))
    assert await asyncio.wait_for(rang, 5) >= at_ms


async def test_what_is_due_already_rings_soon_but_not_at_once() -> None:
    clock = SystemClock()
    rang = asyncio.Event()
    clock.call_at(0, rang.set)
    assert not rang.is_set()
    await asyncio.wait_for(rang.wait(), 5)


async def test_a_loop_that_wakes_up_early_waits_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SystemClock()
    real, behind = time.monotonic_ns, [0]
    monkeypatch.setattr(time, "monotonic_ns", lambda: real() - behind[0])
    rang = asyncio.Event()
    at_ms = clock.now_ms() + 2
    clock.call_at(at_ms, rang.set)
    # From here on this clock is three milliseconds behind the loop's own.
    behind[0] = 3_000_000
    await asyncio.wait_for(rang.wait(), 5)
    assert clock.now_ms() >= at_ms


async def test_an_alarm_that_was_called_off_does_not_ring() -> None:
    clock = SystemClock()
    rang: list[int] = []
    alarm = clock.call_at(clock.now_ms(), lambda: rang.append(1))
    alarm.cancel()
    alarm.cancel()
    done = asyncio.Event()
    clock.call_at(clock.now_ms() + 3, done.set)
    await asyncio.wait_for(done.wait(), 5)
    assert rang == []
