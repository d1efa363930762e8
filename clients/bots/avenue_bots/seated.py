"""A bot's life at one table: sit down, play, buy more when low, and come back when the seat was given up."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from avenue_sdk import Client, Outdated, Played, Refused, TableSession, TableState, play_turns
from avenue_sdk.play import leave

if TYPE_CHECKING:
    from collections.abc import Callable

    from avenue_sdk.play import Decide

HANDS_BETWEEN_ASKING = 20
"""How many hands a bot plays on with few chips before it tries again to buy more."""


NO_SEAT = frozenset({"table/full", "table/buy_in_out_of_range", "wallet/insufficient"})
"""Refusals of a seat that a bot which picks its own buy-in can do nothing about."""


class NoSeat(Exception):
    """There is no seat here for a bot."""


@dataclass
class Seated:
    """A bot at a table. `keep_free` is how many seats it leaves to others: it does not take one of the last.

    `buy_in_chips` None buys in for twice the table's minimum. The bot tops up when it has less than half the minimum.
    `until_s`, by the event loop's clock, is when it leaves; None is never.
    """

    client: Client
    table: str
    decide: Decide
    buy_in_chips: int | None = None
    keep_free: int = 0
    until_s: float | None = None
    played: Played = field(default_factory=Played)
    _poor_at_hand: int = -1
    _limit: asyncio.Timeout | None = None

    async def stay(self, *, done: Callable[[TableState], bool]) -> None:
        """Play until `done` holds or the time is over, then stand up with all chips.

        Raises `NoSeat` when no seat is free for it or the chips are gone for now, and `ConnectionLost`. When it is
        cancelled the bot keeps its seat.
        """
        while True:
            try:
                async with self.client.table(self.table, on_event=self.played.note) as session:
                    try:
                        await self._play_in_time(session, done)
                    except NoSeat:
                        # A seat without chips is of use to nobody; without a seat this is over at once.
                        await leave(session)
                        raise
                    await leave(session)
                    return
            except Outdated:
                # The next snapshot tells what could not be followed; the seat is kept meanwhile.
                continue

    def hurry(self) -> None:
        """Leave now: the running hand is given up on the next turn."""
        self.until_s = asyncio.get_running_loop().time()
        if self._limit is not None:
            self._limit.reschedule(self.until_s)

    async def _play_in_time(self, session: TableSession, done: Callable[[TableState], bool]) -> None:
        self._limit = asyncio.timeout_at(self.until_s)
        try:
            async with self._limit:
                await self._play(session, done)
        except TimeoutError:
            if not self._limit.expired():
                raise
        finally:
            self._limit = None

    async def _play(self, session: TableSession, done: Callable[[TableState], bool]) -> None:
        while not done(session.state):
            if session.state.seat is None:
                await self._sit_down(session)
            elif self._is_low(session.state):
                await self._buy_more(session)
            await play_turns(
                session,
                self.decide,
                played=self.played,
                done=lambda state: done(state) or state.seat is None or self._is_low(state),
            )

    async def _sit_down(self, session: TableSession) -> None:
        state = session.state
        if len(state.free_seats) <= self.keep_free:
            raise NoSeat
        buy_in_chips = await self._affordable(self._buy_in(state))
        if buy_in_chips == 0:
            raise NoSeat
        try:
            await session.sit(buy_in_chips)
        except Refused as refusal:
            if refusal.code in NO_SEAT and self.buy_in_chips is None:
                raise NoSeat from refusal
            raise

    async def _buy_more(self, session: TableSession) -> None:
        """Top up to the buy-in; who cannot plays on with what he has, and asks again some hands later."""
        state = session.state
        if state.me is None:
            return
        has_chips = state.me.stack_chips + state.me.queued_chips
        added_chips = await self._affordable(self._buy_in(state) - has_chips)
        try:
            if added_chips:
                await session.top_up(added_chips)
                return
        except Refused as refusal:
            self.played.refused[refusal.code] += 1
        if has_chips == 0:
            raise NoSeat
        self._poor_at_hand = state.table.hands

    async def _affordable(self, wanted_chips: int) -> int:
        """So many chips, or what the wallet holds after a refill."""
        wallet = await self.client.balance()
        if wallet.balance_chips < min(wanted_chips, wallet.refill.floor_chips):
            try:
                return min(wanted_chips, (await self.client.refill()).balance_chips)
            except Refused:
                # The last refill was a short while ago; there is what there is.
                pass
        return min(wanted_chips, wallet.balance_chips)

    def _buy_in(self, state: TableState) -> int:
        config = state.table.config
        wanted = self.buy_in_chips or 2 * config.min_buy_in_chips
        return wanted if config.max_buy_in_chips is None else min(wanted, config.max_buy_in_chips)

    def _is_low(self, state: TableState) -> bool:
        """Whether it is time to buy more: between hands, below half the minimum, and not just refused."""
        me = state.me
        if me is None or state.hand is not None or me.leaving:
            return False
        if me.stack_chips and self._poor_at_hand >= 0 and state.table.hands < self._poor_at_hand + HANDS_BETWEEN_ASKING:
            return False
        return 2 * (me.stack_chips + me.queued_chips) < state.table.config.min_buy_in_chips
