"""What a commit is made of; what becomes of it is tried in `test_journal.py`."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.store import table_statements as sql
from app.store.codec import EventCodec
from app.store.commits import close_write, commit_write, take_write
from app.store.ledger import of_table, transfer_steps
from app.store.writes import Runnable, Write
from engine.limits import ANSWERS_FORGOTTEN_AT_ONCE
from engine.rules.errors import LawBroken
from engine.rules.events import CardBurnt, HandEnded, HandStarted, PlayerId
from engine.table.events import TableId
from engine.table.ports import Answer, TableCommit
from tests.app.store.house import NoJournal, SqlTable, seals
from tests.fakes import VirtualClock

CODEC = EventCodec()
SEALS = seals()
NAMES: dict[Runnable, str] = {
    statement: name for name, statement in vars(sql).items() if name.isupper() and not name.startswith("_")
}


def steps(write: Write) -> list[str]:
    """The statements of the write by name; those of the ledger are left out."""
    return [NAMES[step.statement] for step in write.steps if step.statement in NAMES]


async def played() -> SqlTable:
    table = await SqlTable.open(NoJournal(), epoch=4, clock=VirtualClock())
    await table.sit("ann")
    await table.sit("bob")
    await table.play_hand()
    return table


async def test_what_is_secret_is_not_written_without_the_seal_of_its_hand() -> None:
    table = await played()
    while not any(isinstance(event, CardBurnt) for commit in table.commits for event in commit.events):
        await table.play_hand()
    commit = commit_with(table, CardBurnt)
    with pytest.raises(LawBroken):
        commit_write(commit, CODEC, seals())


def commit_with(table: SqlTable, event: type) -> TableCommit:
    return next(commit for commit in table.commits if any(isinstance(one, event) for one in commit.events))


async def test_the_first_commit_makes_the_table() -> None:
    table = await played()
    assert steps(commit_write(table.commits[0], CODEC, SEALS)) == ["OPEN", "OPEN_HEAD", "RECORD", "SAVE"]


async def test_every_other_moves_it_on_from_where_it_was_decided() -> None:
    table = await played()
    for commit in table.commits[1:]:
        first = commit_write(commit, CODEC, SEALS).steps[0]
        assert NAMES[first.statement] == "ADVANCE"
        before = commit.first_seq - 1
        assert first.rows == ((before + len(commit.events), "t1", 4, before),)
        assert first.changes == 1


async def test_a_commit_has_a_row_for_each_event() -> None:
    table = await played()
    for commit in table.commits:
        (record,) = [step for step in commit_write(commit, CODEC, SEALS).steps if step.statement is sql.RECORD]
        assert [row[1] for row in record.rows] == list(range(commit.first_seq, commit.first_seq + len(commit.events)))
        assert {row[2] for row in record.rows} == {commit.at_ms}


async def test_a_hand_is_written_down_when_it_begins_and_when_it_ends() -> None:
    table = await played()
    began = steps(commit_write(commit_with(table, HandStarted), CODEC, SEALS))
    assert began == ["ADVANCE", "RECORD", "START_HAND", "GIVE_KEY", "DEAL_IN", "SET_HAND"]
    ended = steps(commit_write(commit_with(table, HandEnded), CODEC, SEALS))
    assert ended == ["ADVANCE", "RECORD", "END_HAND", "NET", "SET_HAND", "ANSWER", "SAVE"]


async def test_an_act_in_between_writes_its_events_and_its_answer() -> None:
    table = await played()
    between = table.commits[table.commits.index(commit_with(table, HandStarted)) + 1]
    assert steps(commit_write(between, CODEC, SEALS)) == ["ADVANCE", "RECORD", "ANSWER"]


async def test_the_money_of_a_commit_is_in_its_write() -> None:
    table = await played()
    commit = commit_with(table, HandEnded)
    (transfer,) = commit.transfers
    write = commit_write(commit, CODEC, SEALS)
    assert len(write.steps) - len(steps(write)) == len(transfer_steps_of(commit))
    assert transfer.reference == table.commits[3].events[0].hand  # type: ignore[union-attr]


def transfer_steps_of(commit: TableCommit) -> list[object]:
    return [step for one in commit.transfers for step in transfer_steps(of_table(one), at_ms=commit.at_ms)]


async def test_old_answers_are_looked_for_now_and_then() -> None:
    table = await played()
    answer = Answer(player=PlayerId("ann"), command_id="c", digest="d", seq=1)
    nothing = replace(table.commits[1], events=(), transfers=(), answer=answer, checkpoint=None)
    assert steps(commit_write(nothing, CODEC, SEALS)) == ["ADVANCE", "ANSWER", "FORGET"], "numbers do not count these"
    some = commit_with(table, HandStarted)
    last = ANSWERS_FORGOTTEN_AT_ONCE * 3 - len(some.events)
    for first_seq, looked_for in ((last, False), (last + 1, True)):
        commit = replace(some, first_seq=first_seq, answer=answer, transfers=())
        assert ("FORGET" in steps(commit_write(commit, CODEC, SEALS))) == looked_for


def test_taking_and_closing_name_the_epoch() -> None:
    assert take_write(TableId("t1"), epoch=3).steps[0].rows == ((3, "t1"),)
    close = close_write(TableId("t1"), epoch=3, at_ms=9)
    assert [step.rows for step in close.steps] == [(("t1", 3),), ((9, "t1", "t1"),)]


async def test_a_write_says_what_it_is_about_and_no_card() -> None:
    table = await played()
    assert repr(commit_write(table.commits[1], CODEC, SEALS)) == "<Write t1:2>"
