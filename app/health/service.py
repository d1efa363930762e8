"""Whether the server is well: asked by whoever watches over it, never by players."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

if TYPE_CHECKING:
    from app.store.database import Database

log = structlog.get_logger(__name__)

MAX_ANSWER_S = 2
"""How long the database may take for a look that counts as well."""


class Health:
    """Ready between the moment at which all tables stand and the one at which the server begins to stop."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._open = False

    def ready(self) -> None:
        self._open = True

    def stopping(self) -> None:
        self._open = False

    async def is_ready(self) -> bool:
        """Whether players may come: the tables stand, and the database answers."""
        if not self._open:
            return False
        try:
            async with asyncio.timeout(MAX_ANSWER_S), self._database.read() as connection:
                await connection.execute(text("SELECT 1"))
        except (SQLAlchemyError, TimeoutError) as error:
            log.error("the database does not answer", error=type(error).__name__)
            return False
        return True
