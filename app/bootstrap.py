"""The composition root: the one file that picks what stands in each port, and puts the house together."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from app.accounts.repository import AccountRepository
from app.accounts.service import Accounts, AccountTerms
from app.gateway.service import Gateway, Pace
from app.health.service import Health
from app.history.repository import HistoryRepository
from app.history.service import History
from app.lobby.service import Lobby
from app.rooms.clock import SystemClock
from app.rooms.demo import demo_tables
from app.rooms.faults import LoggedFaults
from app.rooms.service import Rooms, TablePorts
from app.store.opening import open_store
from app.wallet.repository import WalletRepository
from app.wallet.service import Wallets, WalletTerms
from engine.deal.shuffle import SystemDecks
from engine.rules.cards import DECK
from engine.rules.errors import AvenueError
from engine.table.events import TableId

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from app.accounts.passwords import Passwords
    from app.settings import Settings
    from app.store.opening import Store

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """Everything that runs in one server process."""

    store: Store
    rooms: Rooms
    gateway: Gateway
    accounts: Accounts
    wallets: Wallets
    lobby: Lobby
    history: History
    health: Health

    def services(self) -> tuple[object, ...]:
        """What endpoints may ask for."""
        return (self.gateway, self.accounts, self.wallets, self.lobby, self.history, self.health)

    async def drain(self) -> None:
        """Stop to play: every commit in flight ends and is told, then every socket is told that the server stops."""
        self.health.stopping()
        await self.rooms.stop()
        self.gateway.stop()


@asynccontextmanager
async def open_house(settings: Settings, *, passwords: Passwords) -> AsyncIterator[House]:
    """Put a house together, with its tables as they were left, and take it apart at the end.

    The database must have this version's schema. Raises `WrongSchema`, `StoreInUse`, `StoreUnsafe`, `BadDatabaseUrl`,
    `BadSealingKeys`.
    """
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        keys = settings.sealing_keys
        store = await open_store(
            settings.database_url,
            now_ms=clock.now_ms,
            sealing_keys=None if keys is None else keys.get_secret_value(),
        )
        stack.push_async_callback(store.close)
        house = _furnished(settings, clock=clock, store=store, passwords=passwords)
        async with asyncio.TaskGroup() as group:
            group.create_task(house.accounts.prepare())
            group.create_task(house.rooms.start())
        stack.push_async_callback(house.drain)
        await _reopen(house, settings.reopen)
        if settings.demo and not len(house.rooms) and not house.rooms.stopped:
            for config in demo_tables():
                await house.rooms.open(config)
        house.health.ready()
        log.info("house is open", tables=len(house.rooms), epoch=store.writer.epoch)
        yield house


async def _reopen(house: House, tables: Sequence[str]) -> None:
    """Open stopped tables again. One that cannot be is told to the log, and stays stopped."""
    for table in tables:
        try:
            await house.rooms.reopen(TableId(table))
        except AvenueError as error:
            log.error("table stays stopped", table=table, code=error.code, fields=error.fields)


def _furnished(settings: Settings, *, clock: SystemClock, store: Store, passwords: Passwords) -> House:
    database, bank = store.database, store.bank
    account_terms = AccountTerms(
        min_age=settings.min_age, grant_chips=settings.grant_chips, session_hours=settings.session_hours
    )
    wallet_terms = WalletTerms(
        floor_chips=settings.refill_floor_chips,
        amount_chips=settings.refill_chips,
        pause_ms=settings.refill_pause_s * 1_000,
    )
    accounts = Accounts(AccountRepository(database), bank, passwords, clock=clock, terms=account_terms)
    rooms = Rooms(
        TablePorts(
            shelf=store.journal,
            clock=clock,
            decks=SystemDecks(DECK),
            faults=LoggedFaults(),
            epoch=store.writer.epoch,
        )
    )
    pace = Pace(per_second=settings.commands_per_second, burst=settings.commands_burst)
    return House(
        store=store,
        rooms=rooms,
        gateway=Gateway(accounts, rooms, pace=pace),
        accounts=accounts,
        wallets=Wallets(WalletRepository(database), bank, clock=clock, terms=wallet_terms),
        lobby=Lobby(rooms),
        history=History(HistoryRepository(database), store.journal),
        health=Health(database),
    )
