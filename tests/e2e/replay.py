"""Hands read back from the journal and played again through the rules: the same events, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from engine.rules.events import HandCancelled, HandEnded, HandEvent, HandStarted
from engine.rules.replay import replayed
from tests.e2e.journal import Row


def hands_of(journal: Sequence[Row]) -> Iterator[list[HandEvent]]:
    """The finished hands of a table, each as its own events without what the table did meanwhile."""
    events: list[HandEvent] = []
    for row in journal:
        if isinstance(row.event, HandStarted):
            events = []
        if isinstance(row.event, HandEvent):
            events.append(row.event)
            if isinstance(row.event, HandEnded | HandCancelled):
                yield events


def check_replay(events: Sequence[HandEvent]) -> None:
    """Fail where the hand comes out otherwise. No card is in what it says."""
    again = replayed(events)
    assert len(again) == len(events), "so many events came of it"
    for number, (one, other) in enumerate(zip(events, again, strict=True)):
        assert msgspec.json.encode(one) == msgspec.json.encode(other), f"event {number}, a {type(one).__name__}"
