"""What a table needs of the world outside, as Protocols. `app` puts the real adapters in, tests their fakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

import msgspec

from engine.deal.shuffle import Deck
from engine.rules.cards import Card
from engine.rules.events import HandId, PlayerId
from engine.table.events import AnyEvent, TableId
from engine.table.standstill import PauseReason

AccountKind = Literal["wallet", "seat", "rake"]


class AccountRef(msgspec.Struct, frozen=True):
    """An account by what it is for: a player's wallet, his chips at one table, or the house's rake."""

    kind: AccountKind
    player: PlayerId | None = None
    table: TableId | None = None


class Entry(msgspec.Struct, frozen=True):
    account: AccountRef
    amount_chips: int
    """Above zero it goes in, below zero it comes out."""


TransferReason = Literal["buy_in", "top_up", "cash_out", "hand"]


class Transfer(msgspec.Struct, frozen=True):
    """Money that moves with a commit; the entries sum to zero. `id` is unique for ever."""

    id: str
    reason: TransferReason
    currency: str
    entries: tuple[Entry, ...]
    reference: str = ""
    """The hand or the seat that it is about."""


class Answer(msgspec.Struct, frozen=True):
    """What an accepted command was answered, kept with its events; `digest` is of the command's content."""

    player: PlayerId
    command_id: str
    digest: str
    seq: int


class TableCommit(msgspec.Struct, frozen=True):
    """All that one decision changes, kept whole or not at all.

    `first_seq` is the number of the first event. `events` is empty where a command is accepted that changes nothing
    (sitting out twice): then its answer alone is kept. With neither, it keeps nothing and asks whether anything can be
    kept. `checkpoint` is the state as bytes whenever no hand runs after the commit, so that recovery folds from there.
    Transfers are booked in their order.
    """

    table: TableId
    epoch: int
    first_seq: int
    at_ms: int
    events: tuple[AnyEvent, ...]
    transfers: tuple[Transfer, ...] = ()
    answer: Answer | None = None
    checkpoint: bytes | None = None

    def __repr__(self) -> str:
        return f"<TableCommit {self.table} from {self.first_seq}>"


class Journal(Protocol):
    """Keeps commits. When `commit` returns, they are durable."""

    async def commit(self, commit: TableCommit) -> None:
        """Keep the commit.

        Raises `CommitRefused` when the money does not allow it, `StaleOwner` when the epoch is over, `CommitFailed`
        when it surely did not happen; that one says whether it ever can. After any of them nothing of it is kept.
        Whatever else it raises leaves open whether the commit happened: the table then stops, and must be recovered
        from the journal.
        """
        ...


class Outbox(Protocol):
    """Where committed events go. Must return at once and must not raise: no reader ever delays a table."""

    def publish(self, published: Published) -> None: ...

    def paused(self, reason: PauseReason | None) -> None:
        """The table stands still for that reason, or with None it goes on. It is no event and is kept nowhere."""
        ...


class Published(msgspec.Struct, frozen=True):
    """Committed events of one decision, unredacted: the reader must take each viewer's view of them."""

    table: TableId
    first_seq: int
    at_ms: int
    events: tuple[AnyEvent, ...]
    cast: dict[int, PlayerId]
    """Seat to player of the hand that these events belong to, also when it has just ended; empty between hands."""

    def __repr__(self) -> str:
        return f"<Published {self.table} from {self.first_seq}>"


class Timer(Protocol):
    def cancel(self) -> None:
        """Never call back any more. Harmless after the call."""
        ...


class Clock(Protocol):
    """UTC milliseconds for the journal, and a wait that a jump of the wall clock does not move.

    Both count the same time: it is set to UTC once, when the process starts, and runs on by the monotonic clock. So the
    deadlines that stand in events may be compared with it, and none of them moves when somebody sets the wall clock.
    """

    def now_ms(self) -> int: ...

    def call_at(self, at_ms: int, callback: Callable[[], None]) -> Timer:
        """Call back from the event loop once `now_ms()` has reached `at_ms`, soon if it has already; never at once."""
        ...


class DeckSource(Protocol):
    """Gives a fresh deck for every hand, in dealing order."""

    def deck(self) -> Deck[Card]: ...


class IdSource(Protocol):
    """Gives ids that nobody can guess and that never come twice."""

    def new(self, kind: str) -> str:
        """A new id of a kind (`t` for a table), which it begins with: `t_3f9c…`."""
        ...


class LastCommand(msgspec.Struct, frozen=True):
    """A player's command by its names: nothing of what it says."""

    command: str
    player: PlayerId
    command_id: str


FaultKind = Literal["fault", "hand_cancelled", "table_stopped"]


class FaultReport(msgspec.Struct, frozen=True):
    """A mistake of our own at one table, told without any value that the failing code held.

    So no card, name or token can be in it: `error` is the class, `code` is that of a `Fault`, `reason` is in our own
    words, and `where` are the places on the way to it, the innermost last. `kind` says what became of it: of `hand`,
    which is void now for that reason, or of the whole table. `last` is the player's command that came last before.
    """

    table: TableId
    command: str
    error: str
    code: str | None
    where: tuple[str, ...]
    reason: str | None = None
    kind: FaultKind = "fault"
    hand: HandId | None = None
    last: LastCommand | None = None


class FaultLog(Protocol):
    """Told of every fault of our own. Must return at once and must not raise."""

    def report(self, fault: FaultReport) -> None: ...
