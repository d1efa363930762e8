"""What is told of a mistake of ours, and what is not."""

from __future__ import annotations

import pytest

from engine.rules.errors import Fault, LawBroken
from engine.table.errors import CommitFailed, CommitUnknown, JournalBroken, SeatTaken
from engine.table.faults import answer_for, may_pass, report_of
from tests.engine.table.desk import TABLE


def raised(error: Exception, *, cause: Exception | None = None) -> Exception:
    try:
        if cause is None:
            raise error
        try:
            raise cause
        except type(cause) as below:
            raise error from below
    except type(error) as caught:
        return caught


def test_a_mistake_is_told_by_its_class_and_its_places_and_by_no_value() -> None:
    report = report_of(TABLE, "Act", raised(KeyError("As Kd of ann")))
    assert (report.table, report.command, report.error, report.code) == (TABLE, "Act", "KeyError", None)
    assert report.where[-1].endswith(" raised")
    assert (report.kind, report.hand, report.last, report.reason) == ("fault", None, None, None)
    assert "As" not in repr(report).replace("AssertionError", "")


def test_what_lies_beneath_is_told_in_its_place() -> None:
    report = report_of(TABLE, "Sit", raised(CommitUnknown(), cause=ConnectionResetError("host:5432")))
    assert (report.error, report.code) == ("ConnectionResetError", "fault/commit_unknown")
    assert "5432" not in repr(report)


def test_a_fault_of_ours_is_told_in_its_own_words() -> None:
    failed = raised(CommitFailed(reason="not_written", error="SQLITE_FULL"), cause=OSError())
    assert report_of(TABLE, "Sit", failed).reason == "not_written SQLITE_FULL"
    assert report_of(TABLE, "Sit", CommitFailed()).reason is None
    assert report_of(TABLE, "Sit", LawBroken(law="no stack is below zero", seat=3)).reason == "no stack is below zero"
    assert report_of(TABLE, "", JournalBroken(seq=3, reason="gap")).reason == "gap"
    assert report_of(TABLE, "Sit", SeatTaken(seat=3, reason="taken")).reason is None


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyError("x"), "fault/internal"),
        (LawBroken(law="chips", seat=3), "fault/law_broken"),
        (CommitFailed(reason="bad_value", for_good=True), "fault/commit_failed"),
        (JournalBroken(seq=3, reason="gap"), "fault/journal_broken"),
    ],
)
def test_a_player_is_told_that_it_was_ours_and_nothing_of_what_it_was(error: Exception, code: str) -> None:
    answer = answer_for(error)
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fields) == (code, {})


def test_a_commit_that_failed_may_be_tried_again_unless_it_says_otherwise() -> None:
    assert may_pass(CommitFailed())
    for lasting in (CommitFailed(for_good=True, reason="bad_value"), CommitUnknown(), KeyError()):
        assert not may_pass(lasting)
    assert CommitFailed(for_good=True, reason="bad_value").fields == {"reason": "bad_value"}
