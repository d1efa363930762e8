"""Faults at tables go to the log, with a place to look at and without any value that the failing code held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import structlog

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.table.ports import FaultKind, FaultReport

log = structlog.get_logger(__name__)

EVENTS: Final[Mapping[FaultKind, str]] = {
    "fault": "fault at a table",
    "hand_cancelled": "hand cancelled",
    "table_stopped": "table stopped",
}
"""What the operator's alarms look for; the last two always mean that players were hit."""


class LoggedFaults:
    """The `FaultLog` of real tables."""

    def report(self, fault: FaultReport) -> None:
        last = fault.last
        log.error(
            EVENTS[fault.kind],
            table=fault.table,
            hand=fault.hand,
            command=fault.command,
            error=fault.error,
            code=fault.code,
            reason=fault.reason,
            last_command=None if last is None else last.command,
            last_player=None if last is None else last.player,
            last_command_id=None if last is None else last.command_id,
            where=list(fault.where),
        )
