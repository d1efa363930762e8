"""The history over REST: one's own hands, and any finished hand as one may see it."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from fastapi import APIRouter, Depends, Query, Response

from app.access import provided
from app.accounts.asker import Asker, PerhapsAsker
from app.errors import documented
from app.history.schemas import MyHandsBody
from app.history.service import History
from app.schemas import PageRows
from engine.rules.events import HandId

router = APIRouter(prefix="/api/hands", tags=["history"])

HistoryHere = Annotated[History, Depends(provided(History))]

# Events are the structs of the wire, which has a schema of its own.
_HAND_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["hand", "table", "currency", "seat", "events"],
    "properties": {
        "hand": {"type": "string"},
        "table": {"type": "string"},
        "currency": {"type": "string"},
        "seat": {"type": ["integer", "null"], "description": "The asker's own seat in this hand."},
        "events": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["seq", "at_ms", "event"],
                "properties": {
                    "seq": {"type": "integer"},
                    "at_ms": {"type": "integer"},
                    "event": {"type": "object", "description": "An `Event` of `docs/protocol/schema.json`."},
                },
            },
        },
    },
}


@router.get("", responses=documented("account/not_logged_in"))
async def my_hands(
    asker: Asker,
    history: HistoryHere,
    limit: PageRows = 50,
    before: Annotated[str | None, Query(max_length=100)] = None,
) -> MyHandsBody:
    """The finished hands that one was dealt into, the newest first; `before` is the last page's `next`."""
    return await history.hands_of(asker.id, before=before, limit=limit)


@router.get(
    "/{hand}",
    response_class=Response,
    responses={
        200: {"content": {"application/json": {"schema": _HAND_SCHEMA}}},
        **documented("hand/not_found", "hand/running", "hand/archived", "account/not_logged_in"),
    },
)
async def one_hand(hand: str, asker: PerhapsAsker, history: HistoryHere) -> Response:
    """A finished hand with all its events: one's own cards and what was shown; for everybody else what was public."""
    told = await history.hand(HandId(hand), None if asker is None else asker.id)
    return Response(msgspec.json.encode(told), media_type="application/json")
