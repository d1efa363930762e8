"""A card census: every card in every frame that anybody was sent, against what he may know by the journal.

It does not ask the server's views. What a viewer may know is written down here anew, from the events alone: a card
that was dealt up or is common, from then on; one that was dealt down, by its owner from then on, and by all once it was
tabled or shown; a burnt one and the rest of the deck, never.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from engine.rules.events import (
    CardDealt,
    CommonCardDealt,
    HandCancelled,
    HandEnded,
    HandShown,
    HandsTabled,
    HandStarted,
)
from engine.table.events import AnyEvent
from tests.e2e.journal import Row
from tests.e2e.recording import Received

CARD = re.compile(r'"([2-9TJQKA][cdhs])"')


@dataclass
class _Hand:
    """One hand's cards. `seats` says where each player sits; `last_seq` is None while it runs."""

    first_seq: int
    seats: dict[str, int]
    last_seq: int | None = None
    public_from: dict[str, int] = field(default_factory=dict)
    own_from: dict[tuple[int, str], int] = field(default_factory=dict)

    def runs_at(self, seq: int) -> bool:
        return self.first_seq <= seq and (self.last_seq is None or seq <= self.last_seq)

    def may_know(self, player: str | None, card: str, seq: int) -> bool:
        if self.public_from.get(card, seq + 1) <= seq:
            return True
        seat = None if player is None else self.seats.get(player)
        return seat is not None and self.own_from.get((seat, card), seq + 1) <= seq


class Census:
    """What could be known at one table, by its journal."""

    def __init__(self, journal: Sequence[Row]) -> None:
        self._hands: list[_Hand] = []
        for seq, event in journal:
            if isinstance(event, HandStarted):
                self._hands.append(_Hand(seq, {one.player: one.seat for one in event.seats}))
            elif self._hands and self._hands[-1].last_seq is None:
                _note(self._hands[-1], seq, event)
        self._starts = [hand.first_seq for hand in self._hands]

    def check(self, received: Received) -> int:
        """Count the cards in all that a viewer was sent; fails at the first that he may not know."""
        counted = 0
        for text in received.frames:
            in_parts = sum(self._check(received, part, seq) for seq, part in _parts(text))
            assert in_parts == len(CARD.findall(text)), "a card stands where none belongs"
            counted += in_parts
        return counted

    def _check(self, received: Received, text: str, seq: int) -> int:
        cards = CARD.findall(text)
        if cards:
            hand = self._hands[bisect_right(self._starts, seq) - 1]
            assert hand.runs_at(seq), f"cards without a hand, at {seq} of {received.table}"
            for card in cards:
                assert hand.may_know(received.player, card, seq), (
                    f"{received.player or 'a spectator'} was sent a card at {seq} of {received.table}"
                )
        return len(cards)


def _note(hand: _Hand, seq: int, event: AnyEvent) -> None:
    match event:
        case CardDealt(face="down"):
            hand.own_from[event.seat, event.card] = seq
        case CardDealt() | CommonCardDealt():
            hand.public_from[event.card] = seq
        case HandsTabled():
            hand.public_from = {card: seq for one in event.hands for card in one.cards} | hand.public_from
        case HandShown():
            hand.public_from = dict.fromkeys(event.cards, seq) | hand.public_from
        case HandEnded() | HandCancelled():
            hand.last_seq = seq
        case _:
            pass


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """The parts of a frame in which cards may stand, each with the number up to which it tells of the table."""
    frame = json.loads(text)
    if frame["type"] == "events":
        for seq, event in enumerate(frame["events"], start=frame["seq"]):
            yield seq, json.dumps(event)
    elif frame["type"] == "snapshot":
        yield frame["table"]["seq"], text


def told_without_a_gap(received: Received, journal: Sequence[Row]) -> int:
    """Hold what a viewer was told against the journal: the same numbers and types, nothing left out; counts events."""
    tags = [str(row.event.__struct_config__.tag) for row in journal]
    told = expected = 0
    for text in received.frames:
        frame = msgspec.json.decode(text)
        if frame["type"] == "snapshot":
            expected = frame["table"]["seq"] + 1
        elif frame["type"] == "events":
            assert frame["seq"] == expected, "events come one after the other"
            types = [event["type"] for event in frame["events"]]
            assert types == tags[expected - 1 : expected - 1 + len(types)]
            expected += len(types)
            told += len(types)
    return told
