"""A table's one timer, set to the next moment at which something is due."""

from __future__ import annotations

from collections.abc import Callable

from engine.table.ports import Clock, Timer


class OneTimer:
    """Calls `ring` at the moment that it was set to last, and then waits to be set again."""

    def __init__(self, clock: Clock, ring: Callable[[], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._timer: Timer | None = None
        self._due_ms: int | None = None

    def set(self, due_ms: int | None) -> None:
        """Ring at this moment and at no other; None is never. Set to what it is set to already, it stays as it is."""
        if due_ms == self._due_ms:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._due_ms = due_ms
        self._timer = None if due_ms is None else self._clock.call_at(due_ms, self._rings)

    def _rings(self) -> None:
        self._timer = self._due_ms = None
        self._ring()
