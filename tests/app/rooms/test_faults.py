"""Faults at tables reach the log with their place."""

from structlog.testing import capture_logs

from app.rooms.faults import LoggedFaults
from engine.table.events import TableId
from engine.table.ports import FaultReport


def test_a_fault_is_told_with_its_place() -> None:
    report = FaultReport(table=TableId("t1"), command="Act", error="KeyError", code=None, where=("engine.x:1 f",))
    with capture_logs() as lines:
        LoggedFaults().report(report)
    (line,) = lines
    assert (line["log_level"], line["table"], line["error"], line["where"]) == (
        "error",
        "t1",
        "KeyError",
        ["engine.x:1 f"],
    )
