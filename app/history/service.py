"""The history of hands: one's own as a list, any finished one by its id, each as the asker may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from app.history.repository import HistoryRepository, PlayedHand
from app.history.schemas import HandHistory, MyHandBody, MyHandsBody, PastEvent
from app.paging import Place, at_cursor, cursor_of
from app.refusals import HandArchived, HandRuns, NoSuchHand
from engine.rules.actions import SeatNo
from engine.rules.events import HandEvent, HandStarted
from engine.rules.views import view_event
from engine.table.events import TableId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.rules.events import HandId, PlayerId
    from engine.table.events import AnyEvent


class HandJournal(Protocol):
    """Where hands are kept, unredacted."""

    async def hand_events(self, hand: HandId) -> Sequence[tuple[int, int, AnyEvent]]: ...


class History:
    """What was played. A card that the asker may not see leaves through `view_event` alone, and so as `??`."""

    def __init__(self, repository: HistoryRepository, journal: HandJournal) -> None:
        self._repository = repository
        self._journal = journal

    async def hands_of(self, player: PlayerId, *, before: str | None, limit: int) -> MyHandsBody:
        """A page of the finished hands that a player was dealt into. Raises `BadBody` for a cursor of nobody's."""
        place = None if before is None else at_cursor(before)
        found = await self._repository.played(player, before=place, limit=limit + 1)
        return MyHandsBody(
            hands=[MyHandBody.model_validate(one) for one in found[:limit]],
            next=_cursor(found[limit - 1]) if len(found) > limit else None,
        )

    async def hand(self, hand: HandId, asker: PlayerId | None) -> HandHistory:
        """A finished hand as the asker may see it.

        Raises `NoSuchHand`, `HandRuns` while it is played, and `HandArchived` once its events have left.
        """
        row = await self._repository.hand(hand)
        if row is None:
            raise NoSuchHand
        if not row.over:
            raise HandRuns
        if row.archived:
            raise HandArchived
        kept = [
            (seq, at_ms, event)
            for seq, at_ms, event in await self._journal.hand_events(hand)
            if isinstance(event, HandEvent)
        ]
        seat = _seat_of(asker, [event for _, _, event in kept])
        return HandHistory(
            hand=hand,
            table=TableId(row.table),
            currency=row.currency,
            seat=seat,
            events=tuple(PastEvent(seq, at_ms, view_event(event, seat)) for seq, at_ms, event in kept),
        )


def _seat_of(asker: PlayerId | None, events: Sequence[HandEvent]) -> SeatNo | None:
    """The seat that the asker had in this very hand."""
    for event in events:
        if asker is not None and isinstance(event, HandStarted):
            return next((one.seat for one in event.seats if one.player == asker), None)
    return None


def _cursor(played: PlayedHand) -> str:
    return cursor_of(Place(played.started_ms, played.hand))
