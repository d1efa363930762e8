"""A token bucket: so many frames a second, and a burst."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class TokenBucket:
    """Full at first. Each frame takes a token, and `per_second` of them come back, up to `burst`."""

    def __init__(self, *, per_second: int, burst: int, now: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._now = now
        self._tokens = float(burst)
        self._seen_at = now()

    def take(self) -> int:
        """Take a token; gives 0, or the milliseconds until there is one again, and then none is taken."""
        now = self._now()
        self._tokens = min(float(self._burst), self._tokens + (now - self._seen_at) * self._per_second)
        self._seen_at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0
        return max(1, round((1 - self._tokens) * 1000 / self._per_second))
