"""The end of a hand: what is booked, who is paid out, who is out, and what joins the stacks."""

import pytest

from engine.rules.actions import SeatNo
from engine.rules.errors import LawBroken
from engine.rules.events import HandEnded, HandId
from engine.table.change import Change
from engine.table.events import PlayerLeft, SatOut, ToppedUp
from engine.table.ports import Transfer
from engine.table.settlement import RAKE, hand_id, settle
from tests.engine.table.desk import ANN, BOB, RAKED, Desk, config, names
from tests.fakes import GRANT_CHIPS, laid_out

ANN_WINS = laid_out("As Ad Ac Ah Kd Ks 2h", "2c 3d 5h 7s 8c 9d Jh")
BOB_WINS = laid_out("2c 3d 5h 7s 8c 9d Jh", "As Ad Ac Ah Kd Ks 2h")
SPLIT = laid_out("2c 3d Ah Kh Qh Jh Th", "2s 3c As Ks Qs Js Ts")
EAGER = ("raise", "bet", "complete", "call", "check", "bring_in")


def pair(ann: int = 1_000, bob: int = 1_000, desk: Desk | None = None) -> Desk:
    desk = desk or Desk(config(min_buy_in_chips=1))
    desk.sit("ann", ann)
    desk.sit("bob", bob)
    return desk


def hand_transfers(desk: Desk) -> list[Transfer]:
    return [transfer for transfer in desk.ledger.transfers if transfer.reason == "hand"]


def moved(transfer: Transfer) -> dict[str, int]:
    return {entry.account.player or entry.account.kind: entry.amount_chips for entry in transfer.entries}


def test_a_hand_is_one_transfer_between_its_seats() -> None:
    desk = pair()
    desk.deal(ANN_WINS)
    desk.play_out("bring_in", "call", "check")
    (transfer,) = hand_transfers(desk)
    ended_at = next(seq for seq, _, event in desk.rows if isinstance(event, HandEnded))
    assert (transfer.id, transfer.reference) == (f"t1:{ended_at}:hand", "t1-1")
    assert moved(transfer) == {"ann": 6, "bob": -6}
    assert {entry.account.table for entry in transfer.entries} == {"t1"}
    assert (desk.behind("ann"), desk.behind("bob")) == (1_006, 994)


def test_rake_is_a_line_of_its_own() -> None:
    desk = pair(desk=Desk(config(RAKED)))
    desk.deal(ANN_WINS)
    desk.play_out(*EAGER)
    (transfer,) = hand_transfers(desk)
    assert moved(transfer)["rake"] == 9 == desk.ledger.rake()
    assert moved(transfer)["ann"] == -moved(transfer)["bob"] - 9
    assert RAKE in [entry.account for entry in transfer.entries]


def test_a_hand_that_moves_nothing_is_not_booked() -> None:
    desk = pair()
    desk.deal(SPLIT)
    desk.play_out("bring_in", "call", "check")
    assert not hand_transfers(desk)
    assert (desk.behind("ann"), desk.behind("bob")) == (1_000, 1_000)


def test_b164_all_in_is_not_out_until_the_pots_are_paid() -> None:
    desk = pair(ann=60)
    desk.deal(ANN_WINS)
    events = desk.play_out(*EAGER)
    assert "SatOut" not in names(events)
    assert desk.behind("ann") == 120
    assert desk.seated("ann").ready


def test_b163_b164_who_has_lost_all_sits_out_after_the_settlement() -> None:
    desk = pair(ann=60)
    desk.deal(BOB_WINS)
    events = desk.play_out(*EAGER)
    assert events[-1] == SatOut(seat=SeatNo(1), reason="no_chips")
    assert names(events)[-2] == "HandEnded"
    assert not desk.seated("ann").ready


def test_who_sits_out_already_is_not_told_so_again() -> None:
    desk = pair(ann=60)
    desk.deal(BOB_WINS)
    desk.sit_out("ann")
    assert "SatOut" not in names(desk.play_out(*EAGER))


def test_queued_chips_keep_a_beaten_seat_in() -> None:
    desk = pair(ann=60)
    desk.deal(BOB_WINS)
    desk.top_up("ann", 40)
    events = desk.play_out(*EAGER)
    assert events[-1] == ToppedUp(seat=SeatNo(1), added_chips=40, stack_chips=40)
    assert desk.seated("ann").ready


def test_b130_who_leaves_mid_hand_loses_what_he_put_in_and_nothing_else() -> None:
    desk = pair()
    desk.deal(ANN_WINS)
    desk.act_first("complete")
    desk.act_first("call")
    leaver = desk.on_turn()
    desk.stand_up(leaver)
    assert desk.ledger.wallet(leaver) == GRANT_CHIPS - 12


@pytest.mark.parametrize(("deck", "paid"), [(ANN_WINS, 120), (BOB_WINS, 0)])
def test_who_leaves_all_in_stays_in_and_what_he_wins_goes_to_his_wallet(deck: tuple[str, ...], paid: int) -> None:
    desk = pair(ann=60)
    desk.deal(deck)  # type: ignore[arg-type]
    while desk.state.hand is not None and desk.behind("ann"):
        desk.act_first("raise", "bet", "complete", "call", "bring_in")
    if desk.state.hand is not None:
        desk.stand_up("ann")
        desk.play_out("call", "check")
    else:
        desk.stand_up("ann")
    assert desk.ledger.wallet("ann") == GRANT_CHIPS - 60 + paid
    assert desk.ledger.seat("ann") == 0


def test_a_leaver_takes_his_queued_chips_along() -> None:
    desk = pair()
    desk.deal(ANN_WINS)
    desk.act_first("bring_in")
    leaver = desk.on_turn()
    desk.top_up(leaver, 77)
    events = desk.stand_up(leaver)
    assert isinstance(events[-1], PlayerLeft)
    assert events[-1].cashed_out_chips == 1_000 - 2 + 77
    assert "ToppedUp" not in names(events)
    assert desk.ledger.wallet(leaver) == GRANT_CHIPS - 2


def test_a_seat_without_chips_is_freed_without_a_transfer() -> None:
    desk = pair(ann=60)
    desk.deal(BOB_WINS)
    desk.play_out(*EAGER)
    before = len(desk.ledger.transfers)
    desk.stand_up("ann")
    assert len(desk.ledger.transfers) == before
    assert list(desk.state.seats) == [2]


def test_several_leave_with_one_hand_each_by_a_transfer_of_its_own() -> None:
    desk = Desk()
    for player in ("ann", "bob", "cid"):
        desk.sit(player)
    desk.deal()
    desk.act("bring_in")
    for player in ("ann", "bob", "cid"):
        if any(seat.player == player for seat in desk.state.seats.values()):
            desk.stand_up(player)
    last = [transfer.id for transfer in desk.decisions[-1].transfers]
    assert len(set(last)) == len(last) == 4
    assert sum(desk.ledger.wallet(player) for player in ("ann", "bob", "cid")) == 3 * GRANT_CHIPS


def test_b169_all_time_out_in_one_hand_and_nothing_goes_below_zero() -> None:
    desk = Desk(config(time_bank_ms=0))
    for player in ("ann", "bob", "cid"):
        desk.sit(player, 200)
    desk.deal()
    while desk.state.hand is not None:
        desk.wait(20_000)
    assert all(seat.sitting_out for seat in desk.state.seats.values())
    desk.wait(600_000)
    assert not desk.state.seats
    assert [desk.ledger.seat(player) for player in ("ann", "bob", "cid")] == [0, 0, 0]
    assert sum(desk.ledger.wallet(player) for player in ("ann", "bob", "cid")) == 3 * GRANT_CHIPS


def test_nothing_is_settled_while_the_hand_runs() -> None:
    desk = pair()
    desk.deal()
    with pytest.raises(LawBroken):
        settle(Change(desk.state, desk.now_ms))


def test_hands_are_named_by_table_and_number() -> None:
    desk = pair()
    desk.deal()
    assert desk.hand_id() == HandId(hand_id(desk.state.table, 1)) == "t1-1"
    assert {ANN, BOB} == set(desk.in_hand())
