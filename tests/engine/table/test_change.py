"""A decision in the making: a copy that may be thrown away, and transfers with ids of their own."""

import pytest

from engine.rules.actions import SeatNo
from engine.rules.errors import LawBroken
from engine.table.change import Change, commit_of, nothing
from engine.table.events import SatOut, ToppedUp
from engine.table.recovery import encode_checkpoint
from tests.engine.table.desk import ANN, Desk, fingerprint

ONE = SeatNo(1)


def seated() -> Desk:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    return desk


def test_a_change_that_is_thrown_away_leaves_no_trace() -> None:
    desk = seated()
    before = fingerprint(desk.state)
    change = Change(desk.state, desk.now_ms)
    change.say(SatOut(seat=ONE, reason="asked"))
    change.state.turns.clear()
    assert change.state.seats[ONE].sitting_out
    assert fingerprint(desk.state) == before


def test_a_change_of_nothing_decides_nothing() -> None:
    desk = seated()
    decision = Change(desk.state, desk.now_ms).decided()
    assert decision.state is desk.state
    assert not decision.events
    assert decision == nothing(desk.state)


def test_a_decision_whose_money_does_not_match_is_no_decision() -> None:
    desk = seated()
    change = Change(desk.state, desk.now_ms)
    change.say(ToppedUp(seat=ONE, added_chips=5, stack_chips=1_005))
    with pytest.raises(LawBroken):
        change.decided()
    change.move("top_up", [(change.wallet(ANN), -5), (change.account(ANN), 5)], reference="1")
    (transfer,) = change.decided().transfers
    assert transfer.id == f"t1:{desk.state.seq + 1}:top_up"


def test_amounts_of_zero_are_no_entries_and_none_at_all_is_no_transfer() -> None:
    desk = seated()
    change = Change(desk.state, desk.now_ms)
    change.say(SatOut(seat=ONE, reason="asked"))
    change.move("hand", [(change.wallet(ANN), 0), (change.account(ANN), 0)], reference="t1-1")
    assert not change.decided().transfers


def test_only_a_running_hand_is_played_on() -> None:
    desk = seated()
    with pytest.raises(LawBroken):
        _ = Change(desk.state, desk.now_ms).hand


def test_every_transfer_of_many_hands_has_an_id_of_its_own() -> None:
    desk = seated()
    for _ in range(20):
        desk.deal()
        desk.top_up("ann", 1)
        desk.play_out("bring_in", "call", "check")
    ids = [transfer.id for transfer in desk.ledger.transfers]
    assert len(ids) == len(set(ids)) > 30


def test_a_decision_s_cast_is_that_of_the_hand_its_events_belong_to() -> None:
    desk = seated()
    assert dict(desk.decisions[-1].cast) == {}
    desk.deal()
    desk.sit("cid")
    assert dict(desk.decisions[-1].cast) == {1: "ann", 2: "bob"}
    desk.play_out("bring_in", "fold")
    assert dict(desk.decisions[-1].cast) == {1: "ann", 2: "bob"}
    desk.sit_out("ann")
    assert dict(desk.decisions[-1].cast) == {}


def test_all_of_a_decision_is_kept_and_a_checkpoint_where_no_hand_runs() -> None:
    desk = seated()
    decision = desk.decisions[-1]
    commit = commit_of(decision, first_seq=3, epoch=7, at_ms=desk.now_ms, answer=None)
    assert (commit.table, commit.first_seq, commit.epoch) == ("t1", 3, 7)
    assert (commit.events, commit.transfers) == (decision.events, decision.transfers)
    assert commit.checkpoint == encode_checkpoint(desk.state)
    desk.deal()
    assert commit_of(desk.decisions[-1], first_seq=4, epoch=7, at_ms=desk.now_ms, answer=None).checkpoint is None


def test_of_a_decision_without_events_nothing_is_kept() -> None:
    desk = seated()
    commit = commit_of(nothing(desk.state), first_seq=4, epoch=7, at_ms=desk.now_ms, answer=None)
    assert (commit.events, commit.transfers, commit.checkpoint) == ((), (), None)
