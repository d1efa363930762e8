"""The one loop of a table: take what was asked, decide, commit, show, answer. Nothing else awaits on a table's state.

    submit ──► inbox ──► decide ──► journal.commit ──► state ──► outbox.publish ──► the asker's future
    timer  ──┘

Commands and the timer's ticks share one inbox and are taken in the order in which they came, so of an action and its
own timeout exactly one happens. While a commit is in flight everything else waits, and everyone sees the state before
it. What is refused or fails leaves the table as it was.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from traceback import walk_tb
from typing import NamedTuple

from engine.limits import FAULT_PAUSE_MS, MAX_INBOX_COMMANDS
from engine.rules.errors import AvenueError, Fault, Refusal
from engine.rules.events import PlayerId
from engine.table.answers import Answers, again, digest_of
from engine.table.clocks import clock_due_ms, next_deadline_ms
from engine.table.commands import CancelHand, DeadlinePassed, PlayerCommand, Resume, Signal, StartHand
from engine.table.decide import Decision, decide, opening
from engine.table.errors import CommitFailed, CommitRefused, CommitUnknown, StaleOwner, TableBusy, TableClosed
from engine.table.events import TableConfig, TableId
from engine.table.hands import hand_due_ms
from engine.table.ports import (
    Answer,
    Clock,
    DeckSource,
    FaultLog,
    FaultReport,
    Journal,
    Outbox,
    Published,
    TableCommit,
    Timer,
)
from engine.table.recovery import encode_checkpoint
from engine.table.state import TableState
from engine.table.views import TableView, table_view

BROKEN_HAND = "fault"
"""The reason of a hand that was cancelled because it could not go on."""


class _Asked(NamedTuple):
    command: PlayerCommand
    future: asyncio.Future[int]


async def open_table(*, table: TableId, config: TableConfig, epoch: int, journal: Journal, clock: Clock) -> TableState:
    """Commit a new table's first event and give its state. Raises `BadVariant`, and what `Journal.commit` raises."""
    now_ms = clock.now_ms()
    decision = opening(table=table, config=config, now_ms=now_ms)
    await journal.commit(_commit_of(decision, first_seq=1, epoch=epoch, at_ms=now_ms, answer=None))
    return decision.state


class TableActor:
    """One table. Start `run` as a task, ask by `submit`, end with `stop`.

    `state` must be what the journal holds; `answers` are those kept with it. If turns are open in it, their clocks are
    armed anew, with the time that was left at `stopped_ms` where that is known.
    """

    def __init__(  # noqa: PLR0913 - a table's ports, every one named
        self,
        state: TableState,
        *,
        epoch: int,
        journal: Journal,
        outbox: Outbox,
        clock: Clock,
        decks: DeckSource,
        faults: FaultLog,
        answers: Iterable[Answer] = (),
        stopped_ms: int | None = None,
    ) -> None:
        self._state = state
        self._epoch = epoch
        self._journal = journal
        self._outbox = outbox
        self._clock = clock
        self._decks = decks
        self._faults = faults
        self._answers = Answers(answers)
        self._resume = Resume(stopped_ms=stopped_ms) if state.turns else None
        self._quiet = False
        self._inbox: deque[_Asked | None] = deque()  # None is a tick of the timer, of which at most one waits.
        self._tick_waits = False
        self._wake: asyncio.Future[None] | None = None
        self._timer: Timer | None = None
        self._armed_ms: int | None = None
        self._paused_until_ms = 0
        self._running = self._closing = False
        self._ended = asyncio.Event()

    @property
    def state(self) -> TableState:
        """The last committed state. Read it, never change it."""
        return self._state

    def view(self, player: PlayerId | None) -> TableView:
        """The last committed state as this player, or with None everybody, may see it."""
        return table_view(self._state, player)

    def submit(self, command: PlayerCommand) -> asyncio.Future[int]:
        """Ask for something; returns at once. The future gives the number of the last event after it.

        It raises a `Refusal`, or a `Fault` of ours, after which the same command may be sent again. Whoever loses
        interest may drop or cancel the future: the command is done all the same.
        """
        future = asyncio.get_running_loop().create_future()
        if self._closing:
            _fail(future, TableClosed())
        elif len(self._inbox) - self._tick_waits >= MAX_INBOX_COMMANDS:
            _fail(future, TableBusy())
        else:
            self._inbox.append(_Asked(command, future))
            self._wake_up()
        return future

    def set_quiet(self, *, quiet: bool) -> None:
        """Say whether only house bots are there: then hands are further apart."""
        if quiet != self._quiet:
            self._quiet = quiet
            self._arm()

    async def run(self) -> None:
        """Serve the table until it is stopped, or can commit nothing more. Start it once, as a task of its own."""
        self._running = True
        try:
            self._arm()
            while not self._closing:
                if not self._inbox:
                    await self._sleep()
                    continue
                asked = self._inbox.popleft()
                if asked is None:
                    await self._tick()
                else:
                    await self._answer(asked.command, asked.future)
        finally:
            self._close()

    async def stop(self) -> None:
        """Take no more commands, let the commit in flight end, and answer those that wait with `TableClosed`."""
        self._closing = True
        self._wake_up()
        if self._running:
            await self._ended.wait()
        else:
            self._close()

    async def _answer(self, command: PlayerCommand, future: asyncio.Future[int]) -> None:
        digest = digest_of(command)
        known = self._answers.known(command, digest)
        if isinstance(known, Refusal):
            _fail(future, known)
            return
        if known is not None:
            _succeed(future, known)
            return
        now_ms = self._clock.now_ms()
        try:
            decision = decide(self._state, command, now_ms)
            answer = Answer(player=command.player, command_id=command.command_id, digest=digest, seq=decision.state.seq)
            await self._commit(decision, now_ms, answer)
        except Refusal as refusal:
            self._answers.refused(command, digest, refusal)
            _fail(future, again(refusal))
        except Exception as error:  # noqa: BLE001 - whatever a command makes our code raise is told to the fault log
            self._report(type(command).__name__, error)
            _fail(future, type(error)() if isinstance(error, Fault) else Fault())
        except asyncio.CancelledError:
            _fail(future, CommitUnknown())
            raise
        else:
            self._answers.accepted(answer)
            _succeed(future, answer.seq)

    async def _tick(self) -> None:
        """Do the one thing that is most due; the timer is then armed for the next."""
        self._tick_waits = False
        now_ms = self._clock.now_ms()
        try:
            signal = self._due(now_ms)
            if signal is not None:
                await self._signal(signal, now_ms)
        except Exception as error:  # noqa: BLE001 - no deck to be had is told to the fault log and tried again
            self._report("deck", error)
            self._paused_until_ms = now_ms + FAULT_PAUSE_MS
        self._arm()

    def _due(self, now_ms: int) -> Signal | None:
        state = self._state
        if self._resume is not None:
            return self._resume
        clock_ms = clock_due_ms(state)
        if clock_ms is not None and clock_ms <= now_ms:
            return DeadlinePassed()
        hand_ms = hand_due_ms(state, quiet=self._quiet)
        if hand_ms is not None and hand_ms <= now_ms:
            deck = self._decks.deck()
            return StartHand(deck=deck.cards, commitment=deck.commitment, quiet=self._quiet)
        return None

    async def _signal(self, signal: Signal, now_ms: int) -> None:
        """Decide and commit what no player asked for. A hand that cannot go on even so is cancelled."""
        try:
            decision = decide(self._state, signal, now_ms)
            if decision.events:
                await self._commit(decision, now_ms, None)
        except Exception as error:  # noqa: BLE001 - told to the fault log; the table goes on after a pause
            self._report(type(signal).__name__, error)
            self._paused_until_ms = now_ms + FAULT_PAUSE_MS
            # A commit that failed may succeed later. What cannot be decided, or is refused by the ledger, never will.
            stuck = not isinstance(error, CommitFailed | CommitUnknown | StaleOwner)
            if stuck and self._state.hand is not None and not isinstance(signal, CancelHand):
                await self._signal(CancelHand(reason=BROKEN_HAND), now_ms)
            return
        if isinstance(signal, Resume | CancelHand):
            self._resume = None

    async def _commit(self, decision: Decision, now_ms: int, answer: Answer | None) -> None:
        """Make the decision durable, then true, then known. Raises what `Journal.commit` raises: nothing happened then.

        A `CommitUnknown` or `StaleOwner` ends the table's loop.
        """
        first_seq = self._state.seq + 1
        commit = _commit_of(decision, first_seq=first_seq, epoch=self._epoch, at_ms=now_ms, answer=answer)
        try:
            await self._journal.commit(commit)
        except (CommitRefused, CommitFailed):
            raise
        except StaleOwner:
            self._closing = True
            raise
        except Exception as error:
            self._closing = True
            raise CommitUnknown from error
        if not decision.events:
            return
        self._state = decision.state
        self._paused_until_ms = 0
        self._publish(decision, first_seq, now_ms)
        self._arm()

    def _publish(self, decision: Decision, first_seq: int, now_ms: int) -> None:
        published = Published(
            table=decision.state.table,
            first_seq=first_seq,
            at_ms=now_ms,
            events=decision.events,
            cast={int(seat): player for seat, player in decision.cast.items()},
        )
        try:
            self._outbox.publish(published)
        except Exception as error:  # noqa: BLE001 - it must not raise; if it does the table is no worse for it
            self._report("publish", error)

    def _arm(self) -> None:
        """Set the one timer to the next moment at which something is due."""
        if self._closing or not self._running or self._tick_waits:
            return
        due_ms = next_deadline_ms(self._state, quiet=self._quiet)
        if self._resume is not None:
            due_ms = 0
        if due_ms is not None:
            due_ms = max(due_ms, self._paused_until_ms)
        if due_ms == self._armed_ms:
            return
        self._disarm()
        if due_ms is not None:
            self._armed_ms = due_ms
            self._timer = self._clock.call_at(due_ms, self._ring)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._armed_ms = None

    def _ring(self) -> None:
        self._timer = self._armed_ms = None
        if not self._closing and not self._tick_waits:
            self._tick_waits = True
            self._inbox.append(None)
            self._wake_up()

    async def _sleep(self) -> None:
        self._wake = asyncio.get_running_loop().create_future()
        try:
            await self._wake
        finally:
            self._wake = None

    def _wake_up(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def _close(self) -> None:
        self._closing = True
        self._disarm()
        while self._inbox:
            asked = self._inbox.popleft()
            if asked is not None:
                _fail(asked.future, TableClosed())
        self._ended.set()

    def _report(self, command: str, error: Exception) -> None:
        told = error if error.__cause__ is None else error.__cause__
        self._faults.report(
            FaultReport(
                table=self._state.table,
                command=command,
                error=type(told).__qualname__,
                code=error.code if isinstance(error, AvenueError) else None,
                where=tuple(
                    f"{frame.f_globals.get('__name__')}:{line} {frame.f_code.co_qualname}"
                    for frame, line in walk_tb(told.__traceback__)
                ),
            )
        )


def _commit_of(decision: Decision, *, first_seq: int, epoch: int, at_ms: int, answer: Answer | None) -> TableCommit:
    return TableCommit(
        table=decision.state.table,
        epoch=epoch,
        first_seq=first_seq,
        at_ms=at_ms,
        events=decision.events,
        transfers=decision.transfers,
        answer=answer,
        checkpoint=encode_checkpoint(decision.state) if decision.state.hand is None and decision.events else None,
    )


def _succeed(future: asyncio.Future[int], seq: int) -> None:
    if not future.done():
        future.set_result(seq)


def _fail(future: asyncio.Future[int], error: AvenueError) -> None:
    if not future.done():
        future.set_exception(error)
        # Whoever asked may be gone; asking here keeps the loop from complaining that nobody did.
        future.exception()
