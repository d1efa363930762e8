"""From the journal back to a table: the last checkpoint, and every event since then folded into it.

A checkpoint stands where no hand runs, so there is no card in it. Neither the rules nor the deck are asked: what was
decided stands in the events.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from engine.rules.errors import LawBroken
from engine.table.errors import JournalBroken
from engine.table.events import AnyEvent, TableConfig, TableId, TableOpened
from engine.table.laws import require_sound
from engine.table.state import SeatState, TableState, evolve, opened

CHECKPOINT_FORMAT = 1
"""Goes up when the bytes change their meaning."""


class Checkpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table between two hands, as it is kept."""

    format: int
    table: TableId
    config: TableConfig
    seq: int
    at_ms: int
    hands: int
    seats: tuple[SeatState, ...]
    ready_since_ms: int | None


def encode_checkpoint(state: TableState) -> bytes:
    """Give the state as bytes, the same for equal states. No hand may run."""
    if state.hand is not None:
        raise ValueError("a checkpoint stands between hands")
    return msgspec.json.encode(
        Checkpoint(
            format=CHECKPOINT_FORMAT,
            table=state.table,
            config=state.config,
            seq=state.seq,
            at_ms=state.at_ms,
            hands=state.hands,
            seats=tuple(state.seats[number] for number in sorted(state.seats)),
            ready_since_ms=state.ready_since_ms,
        )
    )


def decode_checkpoint(data: bytes) -> TableState:
    """Read a checkpoint. Raises `JournalBroken` for bytes that are none, or of a format that is not known here."""
    try:
        kept = msgspec.json.decode(data, type=Checkpoint)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise JournalBroken(seq=None, reason="checkpoint") from None
    if kept.format != CHECKPOINT_FORMAT:
        raise JournalBroken(seq=kept.seq, reason="checkpoint_format")
    return TableState(
        table=kept.table,
        config=kept.config,
        seq=kept.seq,
        at_ms=kept.at_ms,
        hands=kept.hands,
        seats={seat.seat: seat for seat in kept.seats},
        ready_since_ms=kept.ready_since_ms,
    )


def recover(checkpoint: bytes | None, events: Iterable[tuple[int, int, AnyEvent]]) -> TableState:
    """Bring a table back to its last committed event, each given as its `seq`, its time and itself.

    Give the events that follow the checkpoint, or without one all from the table's first; they must end where a commit
    ended. Raises `JournalBroken` for a gap, a doubled number, an event that does not fit, or a state that breaks a law;
    the caller must then not go on with this table.
    """
    state = None if checkpoint is None else decode_checkpoint(checkpoint)
    for seq, at_ms, event in events:
        state = _fold(state, seq, at_ms, event)
    if state is None:
        raise JournalBroken(seq=0, reason="empty")
    try:
        require_sound(state)
    except LawBroken as broken:
        raise JournalBroken(seq=state.seq, reason="law", law=broken.fields["law"]) from None
    return state


def _fold(state: TableState | None, seq: int, at_ms: int, event: AnyEvent) -> TableState:
    if seq != (1 if state is None else state.seq + 1):
        raise JournalBroken(seq=seq, reason="gap")
    if state is None:
        if not isinstance(event, TableOpened):
            raise JournalBroken(seq=seq, reason="not_opened")
        return opened(event, at_ms)
    try:
        evolve(state, event, at_ms)
    except Exception:  # noqa: BLE001 - whatever an event does that does not fit, the journal is what is wrong
        raise JournalBroken(seq=seq, reason="event", event=type(event).__name__) from None
    return state
