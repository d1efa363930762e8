"""Faults at tables reach the log with their place."""

import pytest
from structlog.testing import capture_logs

from app.rooms.faults import LoggedFaults
from engine.rules.events import HandId, PlayerId
from engine.table.events import TableId
from engine.table.ports import FaultKind, FaultReport, LastCommand


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


@pytest.mark.parametrize(("kind", "event"), [("hand_cancelled", "hand cancelled"), ("table_stopped", "table stopped")])
def test_what_hits_players_has_a_line_of_its_own_with_the_command_that_came_last(kind: FaultKind, event: str) -> None:
    report = FaultReport(
        table=TableId("t1"),
        command="DeadlinePassed",
        error="KeyError",
        code="fault/commit_failed",
        where=(),
        reason="not_written SQLITE_FULL",
        kind=kind,
        hand=HandId("t1-7"),
        last=LastCommand("Act", PlayerId("p1"), "c9"),
    )
    with capture_logs() as lines:
        LoggedFaults().report(report)
    (line,) = lines
    assert line == {
        "event": event,
        "log_level": "error",
        "table": "t1",
        "hand": "t1-7",
        "command": "DeadlinePassed",
        "error": "KeyError",
        "code": "fault/commit_failed",
        "reason": "not_written SQLITE_FULL",
        "last_command": "Act",
        "last_player": "p1",
        "last_command_id": "c9",
        "where": [],
    }
