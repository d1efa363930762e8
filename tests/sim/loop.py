"""An asyncio loop that stands in virtual time: no thread, no socket, no sleep, one callback at a time.

Whoever drives it decides when each callback runs, and may stop between any two: so a process can be paused, or die,
anywhere. Two timers of one moment ring in an order that the world's own dice decide.
"""

from __future__ import annotations

import asyncio
import heapq
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from contextvars import Context, copy_context
from itertools import count
from typing import Any, Never, TypeVar

T = TypeVar("T")


class Time:
    """Monotonic microseconds, and the wall clock that somebody may set."""

    def __init__(self, *, wall_ms: int) -> None:
        self.now_us = 1_000_000_000
        self._ahead_us = wall_ms * 1_000 - self.now_us

    def monotonic_ns(self) -> int:
        return self.now_us * 1_000

    def wall_ns(self) -> int:
        return (self.now_us + self._ahead_us) * 1_000

    def jump(self, ms: int) -> None:
        """Set the wall clock; no monotonic clock notices."""
        self._ahead_us += ms * 1_000


class ProcessDied(BaseException):
    """The process is gone, in the middle of whatever it did. Nothing catches it but who runs the world."""


class ThreadInWorld(AssertionError):
    """Something wanted to leave the event loop."""


class Call(asyncio.TimerHandle):
    """A callback that waits for its turn."""

    def __init__(
        self,
        when: float,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: VirtualLoop,
        context: Context | None,
    ) -> None:
        held = copy_context() if context is None else context
        super().__init__(when, callback, args, loop, held)
        self._do = (held, callback, args)

    def run(self) -> None:
        """Call back; what it raises goes to whoever drives the loop."""
        held, callback, args = self._do
        held.run(callback, *args)


class VirtualLoop(asyncio.AbstractEventLoop):
    """One process's loop. Drive it by `run_one` while `next_us` says that something is to be done."""

    def __init__(self, time: Time, *, tie: Callable[[], float]) -> None:
        self._time = time
        self._tie = tie
        self._ready: deque[Call] = deque()
        self._timers: list[tuple[int, float, int, Call]] = []
        self._numbers = count()
        self._tasks: dict[asyncio.Task[Any], None] = {}
        self._closed = False
        self.complaints: list[str] = []
        """What asyncio itself has to say: exceptions that nobody has looked at."""

    def next_us(self) -> int | None:
        """The moment at which the next callback is due, which may be past; None when nothing will ever be."""
        if self._ready:
            return self._time.now_us
        while self._timers and self._timers[0][3].cancelled():
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None

    def run_one(self) -> None:
        """Run the next callback that is due by now, if there is one."""
        while self._timers and self._timers[0][0] <= self._time.now_us:
            self._ready.append(heapq.heappop(self._timers)[3])
        while self._ready:
            call = self._ready.popleft()
            if not call.cancelled():
                with self._entered():
                    call.run()
                return

    def bury(self) -> None:
        """Unwind what still runs, for a process that is dead: nothing of it may be connected to anything any more."""
        self._timers.clear()
        for task in tuple(self._tasks):
            task.cancel()
        for _ in range(100_000):
            if not self._ready:
                break
            with suppress(ProcessDied):
                self.run_one()
            self._timers.clear()
        self._closed = True
        self._tasks.clear()

    @contextmanager
    def _entered(self) -> Generator[None]:
        before = events._get_running_loop()  # noqa: SLF001 - a loop must say that it runs
        events._set_running_loop(self)  # noqa: SLF001 - as above
        try:
            yield
        finally:
            events._set_running_loop(before)  # noqa: SLF001 - as above

    def time(self) -> float:
        return self._time.now_us / 1_000_000

    # The world runs plain callables and its own handles: that is narrower than what asyncio promises to others.
    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Call:
        call = Call(self.time(), callback, args, self, context)
        self._ready.append(call)
        return call

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Call:
        return self._call_at_us(self._time.now_us + max(0, round(delay * 1_000_000)), callback, args, context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Call:
        return self._call_at_us(round(when * 1_000_000), callback, args, context)

    def call_soon_threadsafe(self, *args: Any, **kwargs: Any) -> Never:  # type: ignore[override]
        raise ThreadInWorld("a thread calls into the loop")

    def run_in_executor(self, *args: Any, **kwargs: Any) -> Never:  # type: ignore[override]
        raise ThreadInWorld("something wants to run in a thread")

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Generator[Any, None, T] | Coroutine[Any, Any, T],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> asyncio.Task[T]:
        task: asyncio.Task[T] = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks[task] = None
        task.add_done_callback(self._forget)
        return task

    def spawn(self, coro: Coroutine[Any, Any, object], *, name: str) -> None:
        """Start a task that nobody waits for; the loop keeps it until it is done."""
        self._tasks[self.create_task(coro, name=name)] = None

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.pop(task, None)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.complaints.append(f"{context.get('message')}: {type(error).__qualname__}")

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return events._get_running_loop() is self  # noqa: SLF001 - as above

    def is_closed(self) -> bool:
        return self._closed

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Nothing to do: a cancelled timer is passed over when its moment comes."""

    def _call_at_us(
        self, at_us: int, callback: Callable[..., object], args: tuple[Any, ...], context: Context | None
    ) -> Call:
        call = Call(at_us / 1_000_000, callback, args, self, context)
        heapq.heappush(self._timers, (at_us, self._tie(), next(self._numbers), call))
        return call
