"""A hand played again from its own events: the same deck and the same deeds give the same events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.rules import stud
from engine.rules.actions import Action, Bet, BringIn, Call, Check, Complete, Fold, Raise, SeatNo
from engine.rules.errors import LawBroken
from engine.rules.events import (
    BetMade,
    BringInPosted,
    Called,
    Checked,
    Completed,
    Folded,
    HandCancelled,
    HandEvent,
    HandStarted,
    Raised,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def replayed(events: Sequence[HandEvent]) -> list[HandEvent]:
    """What these rules make of the hand's deck and of what was done, and of nothing else.

    Give a hand's own events from `HandStarted` on, unredacted; it need not be over. Raises a `Refusal` for a deed that
    these rules do not offer there, and `LawBroken` for what makes no hand.
    """
    return [event for scene in _scenes(events) for event in scene]


def first_difference(events: Sequence[HandEvent]) -> int | None:
    """The index of the first event that these rules would have made otherwise; None where they would have made all.

    The number of the rules that the hand began under is not compared: whether it matters is the question.
    """
    again: list[HandEvent] = []
    played_on = True
    try:
        for scene in _scenes(events):
            again += scene
    except Exception:  # noqa: BLE001 - rules that cannot play it on, in whatever way, decide it otherwise
        played_on = False
    for index, (told, now) in enumerate(zip(events, again, strict=False)):
        if told != _under_its_number(now, told):
            return index
    return None if played_on and len(again) == len(events) else min(len(again), len(events))


def _scenes(events: Sequence[HandEvent]) -> Iterator[list[HandEvent]]:
    """What the deal brings, then what each deed does."""
    first = events[0] if events else None
    if not isinstance(first, HandStarted):
        raise LawBroken(law="a hand begins with its data")
    hand, dealt = stud.start(
        hand=first.hand,
        variant=first.variant,
        dealer=first.dealer,
        seats=first.seats,
        deck=first.deck,
        commitment=first.commitment,
    )
    yield dealt
    for event in events:
        if isinstance(event, HandCancelled):
            yield stud.cancel(hand, event.reason)
        elif (deed := _deed(event)) is not None:
            yield stud.apply(hand, *deed)


def _deed(event: HandEvent) -> tuple[SeatNo, Action] | None:
    """What a player did, as he wished it; None for what followed from it."""
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


def _under_its_number(event: HandEvent, told: HandEvent) -> HandEvent:
    if isinstance(event, HandStarted) and isinstance(told, HandStarted):
        return replace(event, rules=told.rules)
    return event
