"""Two addresses for whoever watches over the server: is it alive, and may players come?"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from app.access import provided
from app.health.schemas import HealthBody
from app.health.service import Health

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def alive() -> HealthBody:
    """The process answers."""
    return HealthBody(status="ok")


@router.get("/readyz", responses={503: {"model": HealthBody}})
async def ready(response: Response, health: Annotated[Health, Depends(provided(Health))]) -> HealthBody:
    """Players may come: the tables stand, and the database answers."""
    if await health.is_ready():
        return HealthBody(status="ok")
    response.status_code = 503
    return HealthBody(status="not_ready")
