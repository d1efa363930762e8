"""A bot is a function from state and options to an option; here it is seated and asked until it is to leave."""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from avenue_sdk.client import Client
from avenue_sdk.errors import Outdated, Refused, SdkError
from avenue_sdk.messages import Action, Event, HandEnded, Option
from avenue_sdk.options import Options
from avenue_sdk.session import TableSession
from avenue_sdk.state import TableState

Choice: TypeAlias = Option | Action
Decide: TypeAlias = Callable[[TableState, Options], Choice | Awaitable[Choice]]
"""What a bot is. It gets immutable values and may keep them; it may be a coroutine function when it wants to wait."""

LATE = frozenset(
    {"action/no_hand", "action/stale_hand", "action/not_in_hand", "action/not_your_turn", "action/stale_turn"}
)
"""Refusals of an action that came too late: the turn is over, and nothing is to be done about it."""

LEAVING_S = 1.0
"""How long a bot that is interrupted waits to hear that its stand-up was accepted."""


@dataclass
class Played:
    """How it went. `net_chips` adds up the finished hands, `refused` counts what the server refused, by code."""

    hands: int = 0
    net_chips: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def note(self, state: TableState, event: Event) -> None:
        """Count a finished hand that I was in. Made to be a session's listener."""
        if isinstance(event, HandEnded):
            for result in event.results:
                if result.seat == state.seat:
                    self.hands += 1
                    self.net_chips += result.net_chips


async def play(  # noqa: PLR0913 - who, where, with how much, how and for how long
    url: str,
    *,
    name: str,
    password: str,
    decide: Decide,
    table: str | None = None,
    buy_in: int | None = None,
    of_age: bool = False,
    hands: int | None = None,
    seconds: float | None = None,
) -> Played:
    """Log in, sit down, let `decide` choose on every turn, and leave with the chips.

    `table` is a table's id or its name in the lobby, by default the first one with a free seat; `buy_in` is in chips,
    by default the table's minimum. An unknown name is registered if you give your word with `of_age=True` that you are
    old enough for the house. It ends after so many hands or seconds, when the chips are gone, or when it is cancelled.
    A choice that is not offered is counted, and the turn is passed instead, so that no table waits for it. Raises
    `Refused` where the server refuses the login or the seat, and `ConnectionLost`.
    """
    played = Played()
    until_s = None if seconds is None else asyncio.get_running_loop().time() + seconds
    async with Client(url) as client:
        await client.enter(name, password, of_age=of_age)
        chosen = await client.find_table(table)
        while True:
            try:
                async with client.table(chosen, on_event=played.note) as session:
                    await _play_and_leave(session, decide, played, buy_in=buy_in, hands=hands, until_s=until_s)
                    return played
            except Outdated:
                # The next snapshot tells what this SDK could not follow; the seat is kept meanwhile.
                continue


async def play_turns(
    session: TableSession, decide: Decide, *, played: Played, done: Callable[[TableState], bool]
) -> TableState:
    """Choose on every turn until `done` holds, and give the state in which it does.

    Whoever is sat out for having been silent sits in again. `done` is asked of every state.
    """
    answered: tuple[str, int] | None = None

    def asked(state: TableState) -> bool:
        return _turn_key(state) not in (None, answered)

    while True:
        state = await session.until(lambda state: done(state) or asked(state) or _was_silent(state))
        if done(state):
            return state
        options = state.options
        if options is not None and asked(state):
            answered = _turn_key(state)
            await _choose(session, decide, played, state, options)
        else:
            await _sit_in(session, played)


async def leave(session: TableSession) -> None:
    """Stand up and wait until the chips are back in the wallet, at the latest when the running hand is over."""
    seat = session.state.me
    if seat is not None and not seat.leaving:
        try:
            await session.stand_up()
        except Refused as refusal:
            if refusal.code not in ("table/not_seated", "table/already_leaving"):
                raise
    await session.until(lambda state: state.seat is None)


async def _play_and_leave(  # noqa: PLR0913 - how long, in hands or by the clock, and with how much
    session: TableSession,
    decide: Decide,
    played: Played,
    *,
    buy_in: int | None,
    hands: int | None,
    until_s: float | None,
) -> None:
    def done(state: TableState) -> bool:
        return _is_broke(state) or (hands is not None and played.hands >= hands)

    limit = asyncio.timeout_at(until_s)
    try:
        async with limit:
            if session.state.seat is None:
                await session.sit(buy_in or session.state.table.config.min_buy_in_chips)
            await play_turns(session, decide, played=played, done=done)
    except TimeoutError:
        if not limit.expired():
            raise
    except BaseException:
        await _leave_in_a_hurry(session)
        raise
    await leave(session)


async def _leave_in_a_hurry(session: TableSession) -> None:
    """Let the server know that we go; it pays the seat out when the hand is over, whether we wait for it or not."""
    try:
        async with asyncio.timeout(LEAVING_S):
            await session.stand_up()
    except (SdkError, TimeoutError):
        # Somebody wants us gone: the server gives the seat up by itself after a while.
        return


async def _choose(session: TableSession, decide: Decide, played: Played, state: TableState, options: Options) -> None:
    """Do what the bot chooses; what is refused is counted, and the turn is passed as cheaply as can be."""
    chosen = decide(state, options)
    choice = await chosen if inspect.isawaitable(chosen) else chosen
    for wish in (choice, options.passive):
        try:
            await session.act(wish, state=state)
        except Refused as refusal:
            played.refused[refusal.code] += 1
            if refusal.code in LATE:
                return
        else:
            return


async def _sit_in(session: TableSession, played: Played) -> None:
    try:
        await session.sit_in()
    except Refused as refusal:
        played.refused[refusal.code] += 1
        # It is no longer so, or it cannot be helped now: the next state tells.
        seq = session.state.seq
        await session.until(lambda state: state.seq > seq)


def _turn_key(state: TableState) -> tuple[str, int] | None:
    turn, hand = state.my_turn, state.hand
    return None if turn is None or hand is None else (hand.hand, turn.turn)


def _was_silent(state: TableState) -> bool:
    """Whether I sit out between hands with chips, as one who was too slow does."""
    me = state.me
    return me is not None and me.sitting_out and not me.leaving and me.stack_chips > 0


def _is_broke(state: TableState) -> bool:
    """Whether my seat has nothing left, or is mine no more."""
    me = state.me
    return me is None or (state.hand is None and me.stack_chips + me.queued_chips == 0)
