"""A decision in the making: what happens is folded as it is said, and the money that it moves is written down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from engine.rules.actions import SeatNo
from engine.rules.errors import LawBroken
from engine.rules.events import HandCancelled, HandEnded, HandEvent, PlayerId
from engine.rules.stud import StudHand
from engine.table.events import AnyEvent, TableEvent
from engine.table.laws import require_lawful
from engine.table.ports import AccountRef, Answer, Entry, TableCommit, Transfer, TransferReason
from engine.table.recovery import encode_checkpoint
from engine.table.state import TableState, evolve_table, note_hand_event


class Decision(msgspec.Struct, frozen=True):
    """What a command comes to: the state after it, what happened and the money that moves with it.

    Without events nothing has happened and `state` is the one before. `cast` is who plays, by seat, in the hand that
    the events belong to, also when it is over after them; empty between hands.
    """

    state: TableState
    events: tuple[AnyEvent, ...] = ()
    transfers: tuple[Transfer, ...] = ()
    cast: Mapping[SeatNo, PlayerId] = {}

    def __repr__(self) -> str:
        return f"<Decision of {len(self.events)} events>"


def nothing(state: TableState) -> Decision:
    """The command is in order and changes nothing."""
    return Decision(state=state, cast=state.cast)


def commit_of(decision: Decision, *, first_seq: int, epoch: int, at_ms: int, answer: Answer | None) -> TableCommit:
    """All of a decision that is kept, with the answer to the command that it was made for."""
    return TableCommit(
        table=decision.state.table,
        epoch=epoch,
        first_seq=first_seq,
        at_ms=at_ms,
        events=decision.events,
        transfers=decision.transfers,
        answer=answer,
        checkpoint=encode_checkpoint(decision.state) if decision.state.hand is None and decision.events else None,
    )


class Change:
    """Collects a decision over a copy of the state. Throw it away and nothing has happened."""

    __slots__ = ("_before", "_cast", "_events", "_transfers", "now_ms", "result", "state")

    def __init__(self, before: TableState, now_ms: int) -> None:
        self._before = before
        self._cast: Mapping[SeatNo, PlayerId] = before.cast
        self._events: list[AnyEvent] = []
        self._transfers: list[Transfer] = []
        self.state = before.copy()
        self.now_ms = now_ms
        self.result: HandEnded | HandCancelled | None = None
        """How the hand ended, once it has."""

    @property
    def hand(self) -> StudHand:
        """The running hand; there must be one."""
        if self.state.hand is None:
            raise LawBroken(law="only a running hand is played on")
        return self.state.hand

    def say(self, event: TableEvent) -> None:
        """Let this have happened at the table."""
        evolve_table(self.state, event, self.now_ms)
        self._events.append(event)

    def begin(self, hand: StudHand, events: Iterable[HandEvent]) -> None:
        """Let a hand begin that the rules have dealt."""
        self.state.hand = hand
        self._cast = hand.cast()
        self.take_in(events)

    def take_in(self, events: Iterable[HandEvent]) -> None:
        """Let this have happened in the hand, which the rules have folded into it already."""
        for event in events:
            note_hand_event(self.state, event, self.now_ms)
            self._events.append(event)
            if isinstance(event, HandEnded | HandCancelled):
                self.result = event

    def move(self, reason: TransferReason, amounts: Iterable[tuple[AccountRef, int]], *, reference: str) -> None:
        """Move money with the last event; its number makes the transfer's id unique. Amounts of zero are left out."""
        entries = tuple(Entry(account=account, amount_chips=amount) for account, amount in amounts if amount)
        if entries:
            self._transfers.append(
                Transfer(
                    id=f"{self.state.table}:{self.state.seq}:{reason}",
                    reason=reason,
                    currency=self.state.config.currency,
                    entries=entries,
                    reference=reference,
                )
            )

    def wallet(self, player: PlayerId) -> AccountRef:
        return AccountRef(kind="wallet", player=player)

    def account(self, player: PlayerId) -> AccountRef:
        """The account of the player's seat at this table."""
        return AccountRef(kind="seat", player=player, table=self.state.table)

    def decided(self) -> Decision:
        """Close the decision. Raises `LawBroken` if it breaks a law: then it must not be gone on with."""
        if not self._events:
            return nothing(self._before)
        require_lawful(self._before, self.state, self._transfers)
        return Decision(state=self.state, events=tuple(self._events), transfers=tuple(self._transfers), cast=self._cast)
