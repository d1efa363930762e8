"""The ports of a table, made by hand: a clock that only tests move, a journal in memory, decks laid out beforehand."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count

from engine.deal.shuffle import Deck
from engine.rules.cards import DECK, Card
from engine.rules.events import PlayerId
from engine.table.errors import CommitRefused, StaleOwner
from engine.table.events import AnyEvent
from engine.table.ports import AccountRef, Answer, FaultReport, Published, TableCommit, Transfer
from engine.table.standstill import PauseReason

GRANT_CHIPS = 1_000_000
"""What every wallet has to begin with."""


MAX_RINGS = 10_000
"""More timers than ring in any one stretch of a test's time."""


async def settle() -> None:
    """Let everything that is ready to run do so, and all that becomes ready by it."""
    for _ in range(30):
        await asyncio.sleep(0)


class VirtualClock:
    """Stands still until a test moves it. A timer rings at its own moment, never at once, and before any later one."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self._now_ms = now_ms
        self._numbers = count()
        self._timers: dict[int, VirtualTimer] = {}

    def now_ms(self) -> int:
        return self._now_ms

    def call_at(self, at_ms: int, callback: Callable[[], None]) -> VirtualTimer:
        number = next(self._numbers)
        timer = VirtualTimer(self._timers, number, at_ms, callback)
        self._timers[number] = timer
        return timer

    async def advance(self, ms: int = 0) -> None:
        """Let so much time pass, and everything happen that it brings."""
        end_ms = self._now_ms + ms
        await settle()
        rung = 0
        while (timer := self._next(end_ms)) is not None:
            rung += 1
            assert rung < MAX_RINGS, "something rings without end"
            self._now_ms = max(self._now_ms, timer.at_ms)
            timer.ring()
            await settle()
        self._now_ms = end_ms

    def pass_over(self, ms: int) -> None:
        """Let time pass in which nothing gets to run, as on a machine that is too busy."""
        self._now_ms += ms

    def ring_due(self) -> None:
        """Let every timer ring whose moment has come, without letting anything else run."""
        while (timer := self._next(self._now_ms)) is not None:
            timer.ring()

    @property
    def waiting(self) -> list[int]:
        """The moments of all timers."""
        return sorted(timer.at_ms for timer in self._timers.values())

    def _next(self, end_ms: int) -> VirtualTimer | None:
        due = [timer for timer in self._timers.values() if timer.at_ms <= end_ms]
        return min(due, key=lambda timer: (timer.at_ms, timer.number), default=None)


class VirtualTimer:
    def __init__(self, timers: dict[int, VirtualTimer], number: int, at_ms: int, callback: Callable[[], None]) -> None:
        self._timers = timers
        self.number = number
        self.at_ms = at_ms
        self._callback = callback

    def cancel(self) -> None:
        self._timers.pop(self.number, None)

    def ring(self) -> None:
        self.cancel()
        self._callback()


class Ledger:
    """Balances by account. No wallet and no seat goes below zero; nothing is made or lost."""

    def __init__(self, wallets: dict[str, int] | None = None) -> None:
        self.balances: Counter[AccountRef] = Counter()
        self.transfers: list[Transfer] = []
        self._wallets = wallets or {}
        self._ids: set[str] = set()

    def wallet(self, player: str) -> int:
        return self._balance(AccountRef(kind="wallet", player=PlayerId(player)))

    def seat(self, player: str, table: str = "t1") -> int:
        return sum(
            chips
            for account, chips in self.balances.items()
            if account.kind == "seat" and account.player == player and account.table == table
        )

    def rake(self) -> int:
        return self.balances[AccountRef(kind="rake")]

    def book(self, transfers: Iterable[Transfer]) -> None:
        """Book all of them or none. Raises `CommitRefused` where an account would be overdrawn."""
        changed: dict[AccountRef, int] = {}
        ids: list[str] = []
        booked = list(transfers)
        for transfer in booked:
            assert sum(entry.amount_chips for entry in transfer.entries) == 0, "a transfer sums to zero"
            assert transfer.id not in self._ids.union(ids), "the id of a transfer is unique"
            ids.append(transfer.id)
            for entry in transfer.entries:
                assert entry.amount_chips != 0, "an entry moves something"
                balance = changed.get(entry.account, self._balance(entry.account)) + entry.amount_chips
                if balance < 0:
                    raise CommitRefused("wallet/insufficient", balance_chips=balance - entry.amount_chips)
                changed[entry.account] = balance
        self.balances.update({account: chips - self.balances[account] for account, chips in changed.items()})
        self.transfers += booked
        self._ids.update(ids)

    def _balance(self, account: AccountRef) -> int:
        if account in self.balances:
            return self.balances[account]
        if account.kind == "wallet" and account.player is not None:
            return self._wallets.get(account.player, GRANT_CHIPS)
        return 0


class MemoryJournal:
    """Keeps commits in memory, with the ledger that they move; refuses, fails or keeps waiting when it is told to."""

    def __init__(self, wallets: dict[str, int] | None = None, *, epoch: int = 1) -> None:
        self.ledger = Ledger(wallets)
        self.epoch = epoch
        self.commits: list[TableCommit] = []
        self.rows: list[tuple[int, int, AnyEvent]] = []
        self.answers: list[Answer] = []
        self.checkpoint: bytes | None = None
        self.checkpoint_seq = 0
        self.in_flight = 0
        self._raise: list[Exception] = []
        self._raise_after: list[Exception] = []
        self._gate: asyncio.Event | None = None

    @property
    def tail(self) -> list[tuple[int, int, AnyEvent]]:
        """What recovery reads besides the checkpoint."""
        return self.rows[self.checkpoint_seq :]

    @property
    def events(self) -> list[AnyEvent]:
        return [event for _, _, event in self.rows]

    def fail_next(self, *errors: Exception) -> None:
        """Let the next commits raise these, and keep nothing of them."""
        self._raise += errors

    def fail_nothing_more(self) -> None:
        """Let commits succeed again."""
        self._raise.clear()

    def lose_next_answer(self, *errors: Exception) -> None:
        """Let the next commits happen and raise these nevertheless."""
        self._raise_after += errors

    def hold(self) -> None:
        """Let commits wait, as for a slow disk."""
        if self._gate is None:
            self._gate = asyncio.Event()

    def release(self) -> None:
        if self._gate is not None:
            self._gate.set()
            self._gate = None

    async def commit(self, commit: TableCommit) -> None:
        if self._gate is not None:
            self.in_flight += 1
            try:
                await self._gate.wait()
            finally:
                self.in_flight -= 1
        if self._raise:
            raise self._raise.pop(0)
        if commit.epoch != self.epoch:
            raise StaleOwner
        assert commit.first_seq == len(self.rows) + 1, "events are numbered without a gap"
        self.ledger.book(commit.transfers)
        self.commits.append(commit)
        self.rows += [(seq, commit.at_ms, event) for seq, event in enumerate(commit.events, start=commit.first_seq)]
        if commit.answer is not None:
            self.answers.append(commit.answer)
        if commit.checkpoint is not None:
            self.checkpoint = commit.checkpoint
            self.checkpoint_seq = len(self.rows)
        if self._raise_after:
            raise self._raise_after.pop(0)


class RecordingOutbox:
    """Remembers what was published, in order, and why it was paused; None is that it went on."""

    def __init__(self) -> None:
        self.published: list[Published] = []
        self.notices: list[PauseReason | None] = []

    @property
    def events(self) -> list[AnyEvent]:
        return [event for published in self.published for event in published.events]

    def publish(self, published: Published) -> None:
        self.published.append(published)

    def paused(self, reason: PauseReason | None) -> None:
        self.notices.append(reason)


class RecordingFaults:
    def __init__(self) -> None:
        self.reports: list[FaultReport] = []

    def report(self, fault: FaultReport) -> None:
        self.reports.append(fault)


class FixedDecks:
    """Gives the decks that a test laid out, in turn, and asks for no more than there are."""

    def __init__(self, *decks: Sequence[Card]) -> None:
        self._decks = [tuple(deck) for deck in decks]

    def deck(self) -> Deck[Card]:
        return Deck(cards=self._decks.pop(0))


class SeededDecks:
    """As many decks as one likes, all from one number. For tests alone."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.dealt = 0

    def deck(self) -> Deck[Card]:
        self.dealt += 1
        return Deck(cards=shuffled_by(self._random))


def shuffled_by(source: random.Random) -> tuple[Card, ...]:
    cards = list(DECK)
    source.shuffle(cards)
    return tuple(cards)


def laid_out(*hands: str) -> tuple[Card, ...]:
    """A deck that gives each seat in its order these cards, as long as nobody folds before the last of them.

    The cards of seven-card stud: three rounds, then a burn before each further one. Five-card stud: two rounds first.
    What is not named is whatever is left.
    """
    held = [[Card(card) for card in hand.split()] for hand in hands]
    rounds = len(held[0])
    named = {card for hand in held for card in hand}
    rest: Iterator[Card] = iter([card for card in DECK if card not in named])
    first = 2 if rounds == 5 else 3
    order: list[Card] = []
    for number in range(rounds):
        if number >= first:
            order.append(next(rest))
        order += [hand[number] for hand in held]
    return (*order, *rest)
