"""The clock of a running server: set to UTC once, at the start, and carried on by the monotonic clock."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class SystemClock:
    """The `Clock` of real tables. A later jump of the wall clock moves nothing."""

    def __init__(self) -> None:
        self._ahead_ns = time.time_ns() - time.monotonic_ns()

    def now_ms(self) -> int:
        return (time.monotonic_ns() + self._ahead_ns) // 1_000_000

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
