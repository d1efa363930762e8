"""Hands read back from the journal and played again through the rules: the same events, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from engine.rules import stud
from engine.rules.actions import Action, Bet, BringIn, Call, Check, Complete, Fold, Raise, SeatNo
from engine.rules.events import (
    BetMade,
    BringInPosted,
    Called,
    Checked,
    Completed,
    Folded,
    HandCancelled,
    HandEnded,
    HandEvent,
    HandStarted,
    Raised,
)
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


def played_again(events: Sequence[HandEvent]) -> list[HandEvent]:
    """What the rules make of the journalled deck and of what was done, and of nothing else."""
    first = events[0]
    assert isinstance(first, HandStarted)
    hand, again = stud.start(
        hand=first.hand,
        variant=first.variant,
        dealer=first.dealer,
        seats=first.seats,
        deck=first.deck,
        commitment=first.commitment,
    )
    for event in events:
        if isinstance(event, HandCancelled):
            again += stud.cancel(hand, event.reason)
        elif (deed := _deed(event)) is not None:
            again += stud.apply(hand, *deed)
    return again


def check_replay(events: Sequence[HandEvent]) -> None:
    """Fail where the hand comes out otherwise. No card is in what it says."""
    again = played_again(events)
    assert len(again) == len(events), "so many events came of it"
    for number, (one, other) in enumerate(zip(events, again, strict=True)):
        assert msgspec.json.encode(one) == msgspec.json.encode(other), f"event {number}, a {type(one).__name__}"


def _deed(event: HandEvent) -> tuple[SeatNo, Action] | None:
    match event:
        case Folded():
            return event.seat, Fold()
        case Checked():
            return event.seat, Check()
        case Called():
            return event.seat, Call(to_chips=event.to_chips)
        case BringInPosted():
            return event.seat, BringIn(to_chips=event.to_chips)
        case Completed():
            return event.seat, Complete(to_chips=event.to_chips)
        case BetMade():
            return event.seat, Bet(to_chips=event.to_chips)
        case Raised():
            return event.seat, Raise(to_chips=event.to_chips)
        case _:
            return None
