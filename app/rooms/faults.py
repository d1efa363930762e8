"""Faults at tables go to the log, with a place to look at and without any value that the failing code held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from engine.table.ports import FaultReport

log = structlog.get_logger(__name__)


class LoggedFaults:
    """The `FaultLog` of real tables."""

    def report(self, fault: FaultReport) -> None:
        log.error(
            "fault at a table",
            table=fault.table,
            command=fault.command,
            error=fault.error,
            code=fault.code,
            where=list(fault.where),
        )
