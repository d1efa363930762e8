"""Golden journals as files: the rows of one table as they stand in SQL, and what folding them has to give."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from app.store.keys import KEY_BYTES, KeyRing, WrappedKey
from app.store.sealing import Seals
from engine.rules.events import PlayerId
from engine.table.events import AnyEvent
from engine.table.recovery import recover
from engine.table.state import TableState, evolve
from engine.table.views import table_view

HERE = Path(__file__).parent
JOURNALS = HERE / "journals"
EXPECTED = HERE / "expected"

VIEWS_EVERY = 150
"""After so many events the whole table is compared, as it is seen by everybody and by two of its players."""

VIEWERS = (None, PlayerId("ann"), PlayerId("eve"))


class GoldenRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One row of a table's journal; bytes are base64 in the file. A hand's first row has the hand's wrapped key."""

    seq: int
    at_ms: int
    format: int
    type: str
    payload: bytes
    key: WrappedKey | None = None


class Folded(NamedTuple):
    seq: int
    at_ms: int
    event: AnyEvent


def golden_seals() -> Seals:
    """The seals of golden journals: with a key that everybody knows, and keys and nonces by a seeded dice."""
    return Seals(KeyRing({"test": b"k" * KEY_BYTES}), entropy=random.Random(7).randbytes)


def names() -> list[str]:
    return sorted(path.stem for path in JOURNALS.glob("*.jsonl"))


def read_rows(name: str) -> list[GoldenRow]:
    lines = (JOURNALS / f"{name}.jsonl").read_text(encoding="ascii").splitlines()
    return [msgspec.json.decode(line, type=GoldenRow) for line in lines]


def write_rows(name: str, rows: Iterable[GoldenRow]) -> None:
    """Keep a journal. One that is there stays for ever: raises `FileExistsError`."""
    JOURNALS.mkdir(exist_ok=True)
    with (JOURNALS / f"{name}.jsonl").open("x", encoding="ascii") as file:
        file.writelines(msgspec.json.encode(row).decode() + "\n" for row in rows)


def read_expected(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXPECTED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def write_expected(name: str, told: Iterable[dict[str, Any]]) -> None:
    EXPECTED.mkdir(exist_ok=True)
    with (EXPECTED / f"{name}.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in told)


def fold(events: list[Folded]) -> Iterator[dict[str, Any]]:
    """What a table is after each of its events in few words, and now and then in full."""
    state = recover(None, events[:1])
    for seq, at_ms, event in events[1:]:
        evolve(state, event, at_ms)
        told = _in_short(state)
        if seq % VIEWS_EVERY == 0 or seq == len(events):
            told["views"] = {str(viewer): msgspec.to_builtins(table_view(state, viewer)) for viewer in VIEWERS}
            told["state"] = _in_full(state)
        yield json.loads(json.dumps(told))


def _in_short(state: TableState) -> dict[str, Any]:
    hand = state.hand
    return {
        "seq": state.seq,
        "seats": {seat.player: [seat.stack_chips, seat.queued_chips] for seat in state.seats.values()},
        "turns": sorted(state.turns),
        "hand": None if hand is None else [hand.hand, hand.street_index, hand.chips_in_play(), hand.next_card],
    }


def _in_full(state: TableState) -> Any:
    """All of a state that a hand is played on from, hidden cards among it."""
    hand = state.hand
    return {
        "at_ms": state.at_ms,
        "hands": state.hands,
        "ready_since_ms": state.ready_since_ms,
        "deck": None if hand is None else "".join(hand.deck),
        "burns": None if hand is None else "".join(hand.burns),
        "cards": None if hand is None else {player.seat: "".join(player.cards) for player in hand.players},
    }
