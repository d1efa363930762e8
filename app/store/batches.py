"""Group commits: many writes in one transaction, each of them kept or taken back by itself.

This is the part without a thread and without a loop, one adapter for each database; `app/store/writer.py` runs it. A
batch is answered after the disk has it. When the commit itself goes wrong nobody knows at first whether it stands: each
batch commits its own number with it, and by that number the database is asked before anybody is told anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from sqlalchemy import bindparam, func, insert, literal_column, select, update

from app.store.tables import server_epochs
from app.store.writes import Statement, Write
from engine.rules.errors import AvenueError
from engine.table.errors import CommitFailed


class Undecided(Exception):
    """The commit went wrong in a way that leaves open whether it stands. Call `settle` until it says.

    `results` is what each write is to be told if it does.
    """

    def __init__(self, results: list[AvenueError | None]) -> None:
        super().__init__("the commit's outcome is not known yet")
        self.results = results


class Unsettled(Exception):
    """The database could not be asked; ask again."""


class Batches(Protocol):
    """One connection that writes, for one thread. Every start is a new `epoch`, every batch commits its own number."""

    @property
    def epoch(self) -> int: ...

    def run(self, writes: Sequence[Write]) -> list[AvenueError | None]:
        """Commit a batch; give for each write None if it stands, else why nothing of it does.

        Raises `Undecided`, and then the whole batch stands or none of it, and `settle` must be called; and `StoreInUse`
        if the database was lost to another server, after which nothing more may be asked.
        """
        ...

    def settle(self) -> bool:
        """Say whether the batch that was undecided stands. Raises `Unsettled` while the database cannot tell."""
        ...

    def beat(self) -> None:
        """Write a sign of life. It is no harm if it fails: the next one comes."""
        ...

    def close(self) -> None: ...


NEW_EPOCH: Final = Statement(
    insert(server_epochs).from_select(
        ["epoch", "started_ms", "alive_ms", "batch"],
        select(
            func.coalesce(func.max(server_epochs.c.epoch), literal_column("0")) + literal_column("1"),
            bindparam("now_ms", type_=server_epochs.c.started_ms.type),
            bindparam("now_ms", type_=server_epochs.c.started_ms.type),
            literal_column("0"),
        ),
    ),
    row=("now_ms",),
)
LAST_EPOCH: Final = Statement(select(func.max(server_epochs.c.epoch)), row=())
MARK: Final = Statement(
    update(server_epochs)
    .where(server_epochs.c.epoch == bindparam("of_epoch"))
    .values(batch=bindparam("to_batch"), alive_ms=bindparam("now_ms")),
    row=("to_batch", "now_ms", "of_epoch"),
)
ALIVE: Final = Statement(
    update(server_epochs).where(server_epochs.c.epoch == bindparam("of_epoch")).values(alive_ms=bindparam("now_ms")),
    row=("now_ms", "of_epoch"),
)
# It waits for whoever may still be about to commit the row; SQLite knows no such clause, and has one writer.
READ_MARK: Final = Statement(
    select(server_epochs.c.batch).where(server_epochs.c.epoch == bindparam("of_epoch")).with_for_update(),
    row=("of_epoch",),
)


def not_written(error: Exception, name: str) -> CommitFailed:
    """What each write of a batch is told that the database surely did not keep; `name` says why in one word."""
    fault = CommitFailed(reason="not_written", error=name)
    fault.__cause__ = error
    return fault
