"""When a table stands still because nothing can be kept: why, since when, and what its clocks are owed for it.

    a commit takes longer than a bound ──► storage_slow ──► it is there: the table goes on
    a commit did not happen ──► storage_failed ──► tries again, further and further apart, until one is kept
    the table is read back from its journal ──► recovering ──► its first commit

Time in which a commit was too slow, or nothing could be kept, is owed to the turns that are open then: they last so
much longer. It is said to the players by `ClockResumed`, with the next commit that can be spared.
"""

from __future__ import annotations

from typing import Final, Literal

from engine.limits import MAX_RETRY_PAUSE_MS, SLOW_COMMIT_MS

PauseReason = Literal["storage_slow", "storage_failed", "recovering"]

RETRY_PAUSES_MS: Final = (100, 200, 500, 1_000, MAX_RETRY_PAUSE_MS)
"""How long to wait before each next try to keep something; the last one again and again."""


class Standstill:
    """What the actor remembers of it, between two commits. All moments are those of the table's clock."""

    def __init__(self, reason: PauseReason | None = None, *, back_ms: int = 0) -> None:
        self.reason = reason
        self.owed_ms = 0
        """By how much the open turns last longer than their deadlines say."""
        self.unsaid = False
        """Whether what is owed is to be told to the players."""
        self.back_ms = back_ms
        """When the table came back the last time."""
        self.retry_ms = 0
        """When something is tried again, while `reason` is `storage_failed`."""
        self._since_ms: int | None = None
        self._tries = 0

    @property
    def failed(self) -> bool:
        return self.reason == "storage_failed"

    @property
    def takes_nothing(self) -> bool:
        """Whether commands are sent back, because what they do could not be kept."""
        return self.reason in ("storage_slow", "storage_failed")

    def stood_ms(self, now_ms: int) -> int:
        """The moment at which the clocks stood still that are to be set anew now."""
        return (now_ms if self._since_ms is None else self._since_ms) - self.owed_ms

    def slow(self) -> bool:
        """The commit in flight takes too long; tells whether that is news."""
        news = not self.takes_nothing
        if news:
            self.reason = "storage_slow"
        return news

    def fails(self, began_ms: int, now_ms: int) -> bool:
        """A commit that began then did not happen; tells whether that is news."""
        news = not self.failed
        self.reason = "storage_failed"
        self.unsaid = False
        self.holds_since(began_ms)
        self.retry_ms = now_ms + RETRY_PAUSES_MS[min(self._tries, len(RETRY_PAUSES_MS) - 1)]
        self._tries += 1
        return news

    def holds_since(self, began_ms: int) -> None:
        """Nothing has been kept since that moment, or nobody knows."""
        if self._since_ms is None:
            self._since_ms = began_ms

    def keeps(self, began_ms: int, now_ms: int, *, clocks_go_on: bool, said: bool) -> bool:
        """A commit that began then was answered, so the store keeps; tells whether the table stood still before.

        `clocks_go_on`: some turn has the same deadline as before it. `said`: it set the clocks anew, so that what it
        took itself need not be told at once: else a slow disk would do nothing but that.
        """
        took_ms = now_ms - began_ms
        if not clocks_go_on:
            self.owed_ms = 0
        if took_ms >= SLOW_COMMIT_MS:
            self.owed_ms += took_ms
        self.unsaid = self.owed_ms > 0 and not said
        self._since_ms = None
        self._tries = 0
        if self.reason is None:
            return False
        self.reason = None
        self.back_ms = now_ms
        return True
