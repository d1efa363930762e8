"""The clock of a running server: set to UTC once, at the start, and carried on by the monotonic clock."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def wall_ns() -> int:
    return time.time_ns()


def monotonic_ns() -> int:
    return time.monotonic_ns()


class SystemClock:
    """The `Clock` of real tables. A later jump of the wall clock moves nothing.

    It takes the two clocks that it is made of, so that a simulated world may hold them; the loop's own time must run
    with `monotonic`.
    """

    def __init__(self, *, wall: Callable[[], int] = wall_ns, monotonic: Callable[[], int] = monotonic_ns) -> None:
        self._monotonic_ns = monotonic
        self._ahead_ns = wall() - monotonic()

    def now_ms(self) -> int:
        return (self._monotonic_ns() + self._ahead_ns) // 1_000_000

    def call_at(self, at_ms: int, callback: Callable[[], None]) -> Alarm:
        """Call back from the running event loop once `now_ms()` has reached `at_ms`, never before this returns."""
        return Alarm(self, at_ms, callback)


class Alarm:
    """One wait. An event loop may wake up a little early: then it waits again."""

    def __init__(self, clock: SystemClock, at_ms: int, callback: Callable[[], None]) -> None:
        self._clock = clock
        self._at_ms = at_ms
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._handle = self._wait()

    def cancel(self) -> None:
        self._handle.cancel()

    def _wait(self) -> asyncio.TimerHandle:
        return self._loop.call_later(max(0, self._at_ms - self._clock.now_ms()) / 1000, self._ring)

    def _ring(self) -> None:
        if self._clock.now_ms() < self._at_ms:
            self._handle = self._wait()
        else:
            self._callback()
