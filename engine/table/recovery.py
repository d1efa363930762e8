"""From the journal back to a table: the last checkpoint, and every event since then folded into it.

A checkpoint stands where no hand runs, so there is no card in it. Neither the rules nor the deck are asked: what was
decided stands in the events. A running hand that cannot be gone on with is made void: the seats are brought back alone,
for a table's chips change within a hand by what its seats do and by nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, get_args

import msgspec

from engine.rules import stud, variants
from engine.rules.errors import LawBroken
from engine.rules.events import HandCancelled, HandEnded, HandEvent, HandStarted, PlayerId
from engine.rules.replay import first_difference
from engine.table.errors import JournalBroken
from engine.table.events import (
    AnyEvent,
    ClockResumed,
    TableConfig,
    TableId,
    TableOpened,
    TimeBankStarted,
    TurnOpened,
    TurnTimedOut,
)
from engine.table.laws import require_sound, require_sound_seats
from engine.table.state import SeatState, TableState, evolve, note_hand_event, opened

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


VoidReason = Literal["fault", "rules", "journal"]
"""Why a hand is cancelled when its table is brought back: it breaks a law, other rules hold now, it cannot be read."""

OF_THE_HAND: Final = HandEvent | TurnOpened | TimeBankStarted | TurnTimedOut | ClockResumed
BOUNDARIES: Final = HandStarted | HandEnded | HandCancelled

DISPENSABLE: Final = frozenset(
    str(kind.__struct_config__.tag) for kind in get_args(OF_THE_HAND) if not issubclass(kind, BOUNDARIES)
)
"""The types of events that change nothing at the seats and begin or end no hand: seats are brought back without."""


class BroughtBack(NamedTuple):
    """A table after its last committed event. Its hand must be cancelled before anything else if `void` says why."""

    state: TableState
    void: VoidReason | None


def bring_back(
    checkpoint: bytes | None, events: Sequence[tuple[int, int, AnyEvent]], *, void: VoidReason | None = None
) -> BroughtBack:
    """Recover a table and say whether its running hand can be gone on with.

    It cannot if its events do not fit or come to what breaks a law, if it began under other rules and this server's
    would decide it otherwise, or if `void` says so. Give what `recover` is given; raises `JournalBroken` where not even
    the seats are sure.
    """
    try:
        state = recover(checkpoint, events)
    except JournalBroken as broken:
        if broken.fields["reason"] not in ("event", "law"):
            raise
        return BroughtBack(recover_seats(checkpoint, events), void or "fault")
    if state.hand is None:
        return BroughtBack(state, None)
    if void is None and state.hand.rules != variants.RULES_NUMBER and not _same_by_these_rules(state, events):
        void = "rules"
    return BroughtBack(state if void is None else recover_seats(checkpoint, events), void)


def bring_back_seats(
    checkpoint: bytes | None, events: Sequence[tuple[int, int, AnyEvent | None]], seat_chips: Mapping[PlayerId, int]
) -> BroughtBack:
    """Recover a table whose running hand is to be cancelled, from what is sure of it.

    Give what `recover_seats` is given, and what the ledger holds for each player's seat. Raises `JournalBroken` where
    the two do not agree, too.
    """
    state = recover_seats(checkpoint, events)
    held = {seat.player: seat.account_chips for seat in state.seats.values() if seat.account_chips}
    if held != {player: chips for player, chips in seat_chips.items() if chips}:
        raise JournalBroken(seq=state.seq, reason="ledger")
    return BroughtBack(state, None if state.hand is None else "journal")


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


def recover_seats(checkpoint: bytes | None, events: Iterable[tuple[int, int, AnyEvent | None]]) -> TableState:
    """Bring a table back with its running hand, if it has one, as it began: good for nothing but to be cancelled.

    Give the events as `recover` takes them, or as the public sees them; None stands for a `DISPENSABLE` one that cannot
    be read. Raises `JournalBroken` if the seats do not fit.
    """
    state = None if checkpoint is None else decode_checkpoint(checkpoint)
    for seq, at_ms, event in events:
        if state is None or not (event is None or isinstance(event, OF_THE_HAND)):
            state = _fold(state, seq, at_ms, event)
        elif seq != state.seq + 1:
            raise JournalBroken(seq=seq, reason="gap")
        elif isinstance(event, BOUNDARIES):
            _pass_boundary(state, event, at_ms)
        else:
            state.seq, state.at_ms = seq, at_ms
    if state is None:
        raise JournalBroken(seq=0, reason="empty")
    try:
        require_sound_seats(state)
    except LawBroken as broken:
        raise JournalBroken(seq=state.seq, reason="law", law=broken.fields["law"]) from None
    return state


def _pass_boundary(state: TableState, event: HandStarted | HandEnded | HandCancelled, at_ms: int) -> None:
    """Begin or end a hand of which nothing else is folded."""
    begins = isinstance(event, HandStarted)
    if begins == (state.hand is not None):
        raise JournalBroken(seq=state.seq + 1, reason="boundary", event=type(event).__name__)
    if begins:
        state.hand = stud.evolve(None, event)
    note_hand_event(state, event, at_ms)


def _same_by_these_rules(state: TableState, events: Iterable[tuple[int, int, AnyEvent]]) -> bool:
    """Whether this server's rules would have made the running hand's events, and offer what is offered now."""
    told: list[HandEvent] = []
    for _, _, event in events:
        if isinstance(event, HandStarted):
            told = []
        if isinstance(event, HandEvent):
            told.append(event)
    if state.hand is None or first_difference(told) is not None:
        return False
    try:
        offered = stud.legal(state.hand)
    except Exception:  # noqa: BLE001 - rules that cannot play it on decide it otherwise
        return False
    return all(offered.get(seat) == turn.options for seat, turn in state.turns.items())


def _fold(state: TableState | None, seq: int, at_ms: int, event: AnyEvent | None) -> TableState:
    if seq != (1 if state is None else state.seq + 1):
        raise JournalBroken(seq=seq, reason="gap")
    if state is None:
        if not isinstance(event, TableOpened):
            raise JournalBroken(seq=seq, reason="not_opened")
        return opened(event, at_ms)
    if event is None:
        raise JournalBroken(seq=seq, reason="unreadable")
    try:
        evolve(state, event, at_ms)
    except Exception:  # noqa: BLE001 - whatever an event does that does not fit, the journal is what is wrong
        raise JournalBroken(seq=seq, reason="event", event=type(event).__name__) from None
    return state
