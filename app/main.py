"""The web application: `create_app(settings)` gives what an ASGI server serves."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI

from app import errors, logs
from app.access import provide
from app.accounts import endpoints as accounts
from app.accounts.passwords import Passwords
from app.bootstrap import open_house
from app.gateway import endpoints as gateway
from app.health import endpoints as health
from app.history import endpoints as history
from app.lobby import endpoints as lobby
from app.settings import Settings
from app.wallet import endpoints as wallet

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


def create_app(settings: Settings | None = None, *, passwords: Passwords | None = None) -> FastAPI:
    """Make the application. Its house opens with the application's lifespan, and stands in `app.state.house` then.

    `passwords` hashes otherwise than the house's own would, which only tests want.
    """
    chosen = Settings() if settings is None else settings
    logs.configure_unless_done(chosen)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_house(chosen, passwords=passwords or Passwords()) as house:
            app.state.house = house
            provide(app, house.services())
            yield

    app = FastAPI(
        title="Avenue",
        description="A server for online stud poker. Tables are followed over WebSocket: see `docs/protocol.md`.",
        lifespan=lifespan,
        # Their pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        # A request's body may hold a password: nothing of it goes into a trace.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    errors.install(app)
    for feature in (accounts, wallet, lobby, history, gateway, health):
        app.include_router(feature.router)
    return app
