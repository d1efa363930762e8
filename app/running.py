"""One server process from its start to its end: the room, its company, and what a signal does."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Final

import structlog

from app.company import Company, admit
from app.main import create_app
from app.serving import Server, address

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from app.bootstrap import House
    from app.settings import Settings

log = structlog.get_logger(__name__)

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


async def run(settings: Settings, listening: socket.socket, *, with_bots: bool, opened: Callable[[str], None]) -> int:
    """Serve on a listening socket until a signal comes; gives the exit code. `opened` is told the address.

    The first signal ends everything in order, a second one at once. The database must have this version's schema.
    """
    return await _Run(settings, listening, with_bots=with_bots).to_its_end(opened)


class _Run:
    """What runs together, and whether it is to end."""

    def __init__(self, settings: Settings, listening: socket.socket, *, with_bots: bool) -> None:
        self._settings = settings
        self._listening = listening
        self._with_bots = with_bots
        self._app = create_app(settings)
        self._server = Server(self._app, drain=self._drain)
        self._company: Company | None = None

    async def to_its_end(self, opened: Callable[[str], None]) -> int:
        loop = asyncio.get_running_loop()
        serving = loop.create_task(self._server.serve(sockets=[self._listening]))
        begun = loop.create_task(self._server.begun())
        for one in SIGNALS:
            loop.add_signal_handler(one, self._on_signal)
        try:
            await asyncio.wait({serving, begun}, return_when=asyncio.FIRST_COMPLETED)
            if not begun.done():
                begun.cancel()
                await serving
                return 1
            opened(address(self._listening))
            return await self._host(serving)
        finally:
            for one in SIGNALS:
                loop.remove_signal_handler(one)

    async def _host(self, serving: asyncio.Task[None]) -> int:
        """Keep an open room company, until it is to end."""
        house: House = self._app.state.house
        writing = asyncio.get_running_loop().create_task(house.store.writer.wait_ended())
        try:
            await self._invite(house)
            await asyncio.wait({serving, writing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._server.stop()
            if self._company is not None:
                await self._company.stop()
            await serving
        if self._server.force_exit:
            writing.cancel()
            return 0
        try:
            await writing
        except Exception as error:
            log.critical("the server could not write any more and has stopped", exc_info=error)
            return 1
        return 0

    async def _invite(self, house: House) -> None:
        bots = self._settings.demo_bots_per_table * len(house.rooms) if self._with_bots else 0
        if bots:
            self._company = Company(address(self._listening), await admit(house.accounts, bots))
            await self._company.start()

    async def _drain(self) -> None:
        house: House = self._app.state.house
        await house.drain()

    def _on_signal(self) -> None:
        if not self._server.should_exit:
            self._server.stop()
            return
        self._server.stop(hard=True)
        if self._company is not None:
            self._company.kill()
