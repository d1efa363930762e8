"""What a table refuses besides the rules of the hand, and what may go wrong with a commit.

Refusal
└── TableRefused              table/…
    ├── SeatTaken             table/seat_taken
    ├── TableFull             table/full
    ├── NoSuchSeat            table/no_such_seat
    ├── AlreadySeated         table/already_seated
    ├── NotSeated             table/not_seated
    ├── BuyInOutOfRange       table/buy_in_out_of_range
    ├── BadAmount             table/bad_amount
    ├── AlreadyLeaving        table/already_leaving
    ├── NoChips               table/no_chips
    ├── CommandIdReused       table/command_id_reused
    ├── TableBusy             table/busy
    ├── TablePaused           table/paused
    ├── TableClosed           table/closed
    ├── TableStopped          table/stopped
    └── CommitRefused         whatever code the store gives, e.g. wallet/insufficient
Fault
├── CommitFailed              fault/commit_failed
├── CommitUnknown             fault/commit_unknown
├── JournalBroken             fault/journal_broken
└── StaleOwner                fault/stale_owner
"""

from __future__ import annotations

from typing import Any

from engine.rules.errors import Fault, Refusal


class TableRefused(Refusal):
    code = "table/refused"


class SeatTaken(TableRefused):
    """Fields: `seat`."""

    code = "table/seat_taken"


class TableFull(TableRefused):
    """Any seat was asked for, and none is free."""

    code = "table/full"


class NoSuchSeat(TableRefused):
    """Fields: `seats`, how many there are."""

    code = "table/no_such_seat"


class AlreadySeated(TableRefused):
    """Fields: `seat`, where the player sits."""

    code = "table/already_seated"


class NotSeated(TableRefused):
    code = "table/not_seated"


class BuyInOutOfRange(TableRefused):
    """Fields: `min_chips`, and `max_chips` or null."""

    code = "table/buy_in_out_of_range"


class BadAmount(TableRefused):
    """Fields: `max_chips`, the most that may be added now."""

    code = "table/bad_amount"


class AlreadyLeaving(TableRefused):
    code = "table/already_leaving"


class NoChips(TableRefused):
    """The seat has nothing to play with; a top-up is needed first."""

    code = "table/no_chips"


class CommandIdReused(TableRefused):
    """The same id came before with another content."""

    code = "table/command_id_reused"


class TableBusy(TableRefused):
    """The table's inbox is full; nothing was done, and the same command may be sent again later."""

    code = "table/busy"


class TablePaused(TableRefused):
    """Nothing can be kept at the moment; nothing was done, and the same command may be sent again when it goes on.

    Fields: `reason`, as the table's pause was told.
    """

    code = "table/paused"


class TableClosed(TableRefused):
    """The table takes no more commands, because the server stops or the table was closed."""

    code = "table/closed"


class TableStopped(TableRefused):
    """The table could not go on and stays closed until the house opens it again. What lies at its seats is kept."""

    code = "table/stopped"


class CommitRefused(Refusal):
    """The store refuses what a command moves (an overdrawn wallet); `code` is the store's own.

    Nothing of the command was kept.
    """

    def __init__(self, code: str, **fields: Any) -> None:
        super().__init__(**fields)
        self.code = code  # type: ignore[misc]  # one class for all that a store may refuse
        self.args = (code,)


class CommitFailed(Fault):
    """The commit did not happen; the table stands as before it.

    `for_good` says that it never will, by a mistake of ours in this very commit, while others may happen. Otherwise
    nothing can be kept at the moment, and the same may be tried again.
    """

    code = "fault/commit_failed"
    for_good: bool = False

    def __init__(self, *, for_good: bool | None = None, **fields: Any) -> None:
        super().__init__(**fields)
        if for_good is not None:
            self.for_good = for_good


class CommitUnknown(Fault):
    """Nobody knows whether the commit happened: the table stops until its journal has been read again."""

    code = "fault/commit_unknown"


class JournalBroken(Fault):
    """What was read back does not continue what was before it, or breaks a law. Fields: `seq`, where, and `reason`."""

    code = "fault/journal_broken"


class StaleOwner(Fault):
    """Another process owns the table now; this one may commit nothing more."""

    code = "fault/stale_owner"
