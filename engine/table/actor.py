"""The one loop of a table: take what was asked, decide, commit, show, answer. Nothing else awaits on a table's state.

    submit ──► inbox ──► decide ──► journal.commit ──► state ──► outbox.publish ──► the asker's future
    timer  ──┘

Commands and the timer's ticks share one inbox and are taken in the order in which they came, so of an action and its
own timeout exactly one happens. While a commit is in flight everything else waits, and everyone sees the state before
it. What is refused or fails leaves the table as it was.

When nothing can be kept the table stands still: it says so, takes no command, lets no clock run out, and tries again
until a commit is kept. A hand that cannot go on is cancelled; if even that cannot be, the loop ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial

from msgspec.structs import replace

from engine.limits import FAULT_PAUSE_MS, MAX_INBOX_COMMANDS, SLOW_COMMIT_MS
from engine.rules.errors import Refusal
from engine.rules.events import PlayerId
from engine.table.answers import Answers, again, digest_of
from engine.table.change import commit_of, nothing
from engine.table.clocks import clock_due_ms, next_deadline_ms, silent_since
from engine.table.commands import CancelHand, DeadlinePassed, PlayerCommand, Resume, Signal, StartHand
from engine.table.decide import Decision, decide, opening
from engine.table.errors import (
    CommitFailed,
    CommitRefused,
    CommitUnknown,
    StaleOwner,
    TableBusy,
    TableClosed,
    TablePaused,
)
from engine.table.events import TableConfig, TableId
from engine.table.faults import answer_for, may_pass, report_of
from engine.table.hands import hand_due_ms
from engine.table.inbox import Asked, Inbox
from engine.table.ports import (
    Answer,
    Clock,
    DeckSource,
    FaultLog,
    FaultReport,
    Journal,
    LastCommand,
    Outbox,
    Published,
)
from engine.table.standstill import PauseReason, Standstill
from engine.table.state import TableState
from engine.table.timer import OneTimer
from engine.table.views import TableView, table_view

BROKEN_HAND = "fault"
"""The reason of a hand that was cancelled because it could not go on."""


async def open_table(*, table: TableId, config: TableConfig, epoch: int, journal: Journal, clock: Clock) -> TableState:
    """Commit a new table's first event and give its state. Raises `BadVariant`, and what `Journal.commit` raises."""
    now_ms = clock.now_ms()
    decision = opening(table=table, config=config, now_ms=now_ms)
    await journal.commit(commit_of(decision, first_seq=1, epoch=epoch, at_ms=now_ms, answer=None))
    return decision.state


class TableActor:
    """One table. Start `run` as a task, ask by `submit`, end with `stop`.

    `state` must be what the journal holds; `answers` are those kept with it. If turns are open in it, their clocks are
    armed anew, with the time that was left at `stopped_ms` where that is known. With `void`, a reason, its running hand
    is cancelled instead, before anything else.
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
        void: str | None = None,
    ) -> None:
        kept = tuple(answers)
        self._state = state
        self._epoch = epoch
        self._journal = journal
        self._outbox = outbox
        self._clock = clock
        self._decks = decks
        self._faults = faults
        self._answers = Answers(kept)
        # What comes before everything else.
        self._first: Signal | None = None
        if void is not None:
            self._first = CancelHand(reason=void)
        elif state.turns:
            self._first = Resume(stopped_ms=stopped_ms)
        self._still = Standstill("recovering" if self._first is not None else None, back_ms=clock.now_ms())
        self._last = LastCommand("", kept[-1].player, kept[-1].command_id) if kept else None
        self._broken_by: FaultReport | None = None
        self._spared = (0, 0)
        self._quiet = False
        self._inbox = Inbox()
        self._timer = OneTimer(clock, self._inbox.tick)
        self._not_before_ms = 0
        self._running = self._closing = self._is_final = False
        self._ended = asyncio.Event()
        self.gave_up = False
        """Whether the loop ended because its hand could neither go on nor be cancelled."""

    @property
    def state(self) -> TableState:
        """The last committed state. Read it, never change it."""
        return self._state

    @property
    def last_command(self) -> LastCommand | None:
        """The player's command that was taken last, by its names alone."""
        return self._last

    @property
    def paused(self) -> PauseReason | None:
        """Why the table stands still, or None while it does not."""
        return self._still.reason

    @property
    def stopped_ms(self) -> int:
        """The moment from which nothing could be kept, now if it still can: what the next actor is to be told."""
        return self._still.stood_ms(self._clock.now_ms())

    def view(self, player: PlayerId | None) -> TableView:
        """The last committed state as this player, or with None everybody, may see it."""
        return table_view(self._state, player)

    def submit(self, command: PlayerCommand) -> asyncio.Future[int]:
        """Ask for something; returns at once. The future gives the number of the last event after it.

        It raises a `Refusal`, or a `Fault` of ours, after which the same command may be sent again. Whoever loses
        interest may drop or cancel the future: the command is done all the same.
        """
        asked = Asked(command, asyncio.get_running_loop().create_future())
        if self._closing:
            asked.fail(self._parting_words())
        elif self._still.takes_nothing:
            asked.fail(TablePaused(reason=self._still.reason))
        elif len(self._inbox) >= MAX_INBOX_COMMANDS:
            asked.fail(TableBusy())
        else:
            self._inbox.put(asked)
        return asked.future

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
                if self._comes_first():
                    await self._go_first()
                elif self._inbox.is_empty:
                    await self._inbox.wait()
                elif (asked := self._inbox.take()) is not None:
                    await self._answer(asked)
                else:
                    await self._tick()
        finally:
            self._close()

    async def stop(self) -> None:
        """Take no more commands, let the commit in flight end, and answer those that wait with `TableClosed`."""
        self._closing = self._is_final = True
        self._inbox.wake_up()
        if self._running:
            await self._ended.wait()
        else:
            self._close()

    async def _answer(self, asked: Asked) -> None:
        command = asked.command
        digest = digest_of(command)
        known = self._answers.known(command, digest)
        if isinstance(known, Refusal):
            asked.fail(known)
            return
        if known is not None:
            asked.succeed(known)
            return
        self._last = LastCommand(type(command).__name__, command.player, command.command_id)
        now_ms = self._clock.now_ms()
        try:
            decision = decide(self._state, command, now_ms)
            answer = Answer(player=command.player, command_id=command.command_id, digest=digest, seq=decision.state.seq)
            await self._commit(decision, now_ms, answer)
        except Refusal as refusal:
            self._answers.refused(command, digest, refusal)
            asked.fail(again(refusal))
        except Exception as error:  # noqa: BLE001 - whatever a command makes our code raise is told to the fault log
            self._faults.report(report_of(self._state.table, type(command).__name__, error))
            asked.fail(TablePaused(reason=self._still.reason) if self._still.failed else answer_for(error))
        except asyncio.CancelledError:
            asked.fail(CommitUnknown())
            raise
        else:
            self._answers.accepted(answer)
            asked.succeed(answer.seq)

    async def _tick(self) -> None:
        """Do the one thing that is most due; the timer is then armed for the next."""
        if self._still.failed:
            await self._go_first()
        else:
            now_ms = self._clock.now_ms()
            try:
                signal = self._due(now_ms)
            except Exception as error:  # noqa: BLE001 - no deck to be had is told to the fault log and tried again
                self._faults.report(report_of(self._state.table, "deck", error))
                self._not_before_ms = now_ms + FAULT_PAUSE_MS
            else:
                if signal is not None:
                    await self._signal(signal, now_ms)
        self._arm()

    def _due(self, now_ms: int) -> Signal | None:
        owed_ms, back_ms = self._still.owed_ms, self._still.back_ms
        clock_ms = clock_due_ms(self._state, now_ms=now_ms, owed_ms=owed_ms, back_ms=back_ms)
        if clock_ms is not None and clock_ms <= now_ms:
            turn = silent_since(self._state, now_ms - owed_ms - SLOW_COMMIT_MS)
            if turn is not None and self._spared != (self._state.hands, turn.turn):
                # The process stood, or had too much to do. Nobody is timed out at once for that; and once is enough.
                self._spared = (self._state.hands, turn.turn)
                return Resume(stopped_ms=turn.deadline_ms)
            return DeadlinePassed(owed_ms=owed_ms, back_ms=back_ms)
        hand_ms = hand_due_ms(self._state, quiet=self._quiet, now_ms=now_ms)
        if hand_ms is not None and hand_ms <= now_ms:
            deck = self._decks.deck()
            return StartHand(deck=deck.cards, commitment=deck.commitment, quiet=self._quiet)
        return None

    async def _signal(self, signal: Signal, now_ms: int) -> None:
        """Decide and commit what no player asked for; without an event nothing is committed."""
        try:
            decision = decide(self._state, signal, now_ms)
            if decision.events:
                await self._commit(decision, now_ms, None)
        except Exception as error:  # noqa: BLE001 - told to the fault log; what becomes of the hand is decided there
            self._signal_failed(signal, error)
            self._not_before_ms = 0 if may_pass(error) else now_ms + FAULT_PAUSE_MS

    def _comes_first(self) -> bool:
        """Whether something is to be done before what waits: also what the clocks are owed is said at once."""
        if self._first is None and self._still.unsaid and self._state.turns:
            self._first = Resume(stopped_ms=self._still.stood_ms(self._clock.now_ms()))
        return self._first is not None and not self._still.failed

    async def _go_first(self) -> None:
        """Do what comes before everything else; if there is nothing, ask at least whether anything can be kept."""
        now_ms = self._clock.now_ms()
        signal = self._first
        if signal is None and self._state.turns:
            signal = Resume(stopped_ms=self._still.stood_ms(now_ms))
        hand = self._state.hand
        told_before = self._still.failed
        try:
            decision = nothing(self._state) if signal is None else decide(self._state, signal, now_ms)
            await self._commit(decision, now_ms, None, said=True)
        except Exception as error:  # noqa: BLE001 - see `_signal`
            if not (told_before and may_pass(error)):
                self._signal_failed(signal, error)
            return
        self._first = None
        if isinstance(signal, CancelHand) and hand is not None:
            why = self._broken_by or FaultReport(self._state.table, "CancelHand", "", None, ())
            why = replace(why, kind="hand_cancelled", reason=signal.reason, hand=hand.hand, last=self._last)
            self._faults.report(why)

    def _signal_failed(self, signal: Signal | None, error: Exception) -> None:
        """Say it, and cancel the hand if it cannot go on. If that is what failed, there is nothing left to be done.

        A commit that failed may succeed later. What cannot be decided, or is refused by the ledger, never will.
        """
        report = report_of(self._state.table, type(signal).__name__, error)
        self._faults.report(report)
        if self._closing or may_pass(error):
            return
        if isinstance(signal, CancelHand):
            self.gave_up = self._closing = True
        elif self._state.hand is not None:
            self._broken_by = report
            self._first = CancelHand(reason=BROKEN_HAND)

    async def _commit(self, decision: Decision, now_ms: int, answer: Answer | None, *, said: bool = False) -> None:
        """Make the decision durable, then true, then known. Raises what `Journal.commit` raises: nothing happened then.

        A `CommitUnknown` or `StaleOwner` ends the table's loop; a `CommitFailed` that is not for good makes it stand
        still.
        """
        first_seq = self._state.seq + 1
        commit = commit_of(decision, first_seq=first_seq, epoch=self._epoch, at_ms=now_ms, answer=answer)
        slow = self._clock.call_at(now_ms + SLOW_COMMIT_MS, self._is_slow)
        before = self._state.turns
        try:
            await self._journal.commit(commit)
        except CommitRefused:
            self._can_keep(now_ms, clocks_go_on=True, said=False)
            raise
        except CommitFailed as error:
            if may_pass(error):
                self._stand_still(now_ms)
            else:
                self._can_keep(now_ms, clocks_go_on=True, said=False)
            raise
        except StaleOwner:
            self._closing = self._is_final = True
            raise
        except Exception as error:
            self._still.holds_since(now_ms)
            self._closing = True
            raise CommitUnknown from error
        finally:
            slow.cancel()
        if decision.events:
            self._state = decision.state
            self._not_before_ms = 0
            self._publish(decision, first_seq, now_ms)
        clocks_go_on = any(turn is before.get(seat) for seat, turn in self._state.turns.items())
        self._can_keep(now_ms, clocks_go_on=clocks_go_on, said=said)
        self._arm()

    def _publish(self, decision: Decision, first_seq: int, now_ms: int) -> None:
        published = Published(
            table=decision.state.table,
            first_seq=first_seq,
            at_ms=now_ms,
            events=decision.events,
            cast={int(seat): player for seat, player in decision.cast.items()},
        )
        self._tell("publish", partial(self._outbox.publish, published))

    def _is_slow(self) -> None:
        if not self._closing and self._still.slow():
            self._tell("paused", partial(self._outbox.paused, self._still.reason))

    def _stand_still(self, began_ms: int) -> None:
        """Nothing can be kept: send back what waits, and try again later."""
        news = self._still.fails(began_ms, self._clock.now_ms())
        self._inbox.send_back(TablePaused(reason=self._still.reason))
        if news:
            self._tell("paused", partial(self._outbox.paused, self._still.reason))
        self._arm()

    def _can_keep(self, began_ms: int, *, clocks_go_on: bool, said: bool) -> None:
        """The store has answered: the table goes on if it stood still."""
        if self._still.keeps(began_ms, self._clock.now_ms(), clocks_go_on=clocks_go_on, said=said):
            self._tell("paused", partial(self._outbox.paused, None))

    def _tell(self, what: str, tell: Callable[[], None]) -> None:
        try:
            tell()
        except Exception as error:  # noqa: BLE001 - it must not raise; if it does the table is no worse for it
            self._faults.report(report_of(self._state.table, what, error))

    def _arm(self) -> None:
        """Set the one timer to the next moment at which something is due."""
        if self._running and not self._closing and not self._inbox.tick_waits:
            self._timer.set(self._still.retry_ms if self._still.failed else self._next_due_ms())

    def _next_due_ms(self) -> int | None:
        quiet, now_ms, still = self._quiet, self._clock.now_ms(), self._still
        due_ms = next_deadline_ms(self._state, quiet=quiet, now_ms=now_ms, owed_ms=still.owed_ms, back_ms=still.back_ms)
        return None if due_ms is None else max(due_ms, self._not_before_ms)

    def _close(self) -> None:
        self._closing = True
        self._timer.set(None)
        self._inbox.send_back(self._parting_words())
        self._ended.set()

    def _parting_words(self) -> Refusal:
        """What is told to whoever comes too late: whether it is worth while to come again."""
        return TableClosed() if self._is_final else TablePaused(reason="recovering")
