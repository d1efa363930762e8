"""What is told of a mistake of ours: its class and its places in the code, and no value that the code held."""

from __future__ import annotations

from traceback import walk_tb

from engine.rules.errors import AvenueError, Fault
from engine.table.errors import CommitFailed
from engine.table.events import TableId
from engine.table.ports import FaultReport


def report_of(table: TableId, command: str, error: Exception) -> FaultReport:
    """Tell of an error that came up while a command or a signal of that type was done; of its cause, if it has one."""
    told = error if error.__cause__ is None else error.__cause__
    return FaultReport(
        table=table,
        command=command,
        error=type(told).__qualname__,
        code=error.code if isinstance(error, AvenueError) else None,
        where=tuple(
            f"{frame.f_globals.get('__name__')}:{line} {frame.f_code.co_qualname}"
            for frame, line in walk_tb(told.__traceback__)
        ),
        reason=_reason(error),
    )


def answer_for(error: Exception) -> Fault:
    """What a player is told of it: that it was ours, and by its code whether the same may help again."""
    return type(error)() if isinstance(error, Fault) else Fault()


def may_pass(error: Exception) -> bool:
    """Whether it is only that the store can keep nothing at the moment."""
    return isinstance(error, CommitFailed) and not error.for_good


def _reason(error: Exception) -> str | None:
    """The words that a fault of ours gives as its fields: the store's for a commit that failed, a law, a journal's."""
    if not isinstance(error, Fault):
        return None
    words = (error.fields.get(name) for name in ("reason", "error", "law"))
    return " ".join(word for word in words if isinstance(word, str)) or None
