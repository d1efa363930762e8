"""The lobby over REST, for everybody."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from app.access import provided
from app.errors import documented
from app.lobby.schemas import TableDetailBody, TablesBody
from app.lobby.service import Lobby, Wanted
from app.schemas import AmountFilter
from engine.limits import MAX_SEATS_PER_TABLE
from engine.rules.variants import Game
from engine.table.events import TableId

router = APIRouter(prefix="/api/tables", tags=["lobby"])

LobbyHere = Annotated[Lobby, Depends(provided(Lobby))]


@router.get("", responses=documented())
async def list_tables(
    lobby: LobbyHere,
    game: Game | None = None,
    min_small_bet_chips: AmountFilter | None = None,
    max_small_bet_chips: AmountFilter | None = None,
    min_free_seats: Annotated[int, Query(ge=0, le=MAX_SEATS_PER_TABLE)] = 0,
) -> TablesBody:
    """The tables that are open, by game, stakes and name."""
    wanted = Wanted(
        game=game,
        min_small_bet_chips=min_small_bet_chips,
        max_small_bet_chips=max_small_bet_chips,
        min_free_seats=min_free_seats,
    )
    return TablesBody(tables=lobby.tables(wanted))


@router.get("/{table}", responses=documented("table/not_found"))
async def one_table(table: str, lobby: LobbyHere) -> TableDetailBody:
    """One table with its rules as data, and who sits there."""
    return lobby.table(TableId(table))
