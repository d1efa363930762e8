"""The WebSocket of a table, for players and for whoever looks on."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, WebSocket

from app.access import provided
from app.gateway.service import Gateway
from engine.table.events import TableId

router = APIRouter()


@router.websocket("/ws/tables/{table}")
async def follow_table(
    websocket: WebSocket, table: str, gateway: Annotated[Gateway, Depends(provided(Gateway))]
) -> None:
    """Follow a table and play at it; see `docs/protocol.md`."""
    await gateway.serve(websocket, TableId(table))
