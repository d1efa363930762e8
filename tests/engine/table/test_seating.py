"""Sitting down and standing up, sitting out and in, topping up: what happens, what is refused, what moves."""

import pytest

from engine.limits import MAX_CHIPS
from engine.rules.actions import SeatNo
from engine.rules.errors import Refusal
from engine.rules.events import Folded
from engine.table.errors import (
    AlreadyLeaving,
    AlreadySeated,
    BadAmount,
    BuyInOutOfRange,
    CommitRefused,
    NoChips,
    NoSuchSeat,
    NotSeated,
    SeatTaken,
    TableFull,
)
from engine.table.events import AnyEvent, LeaveAnnounced, PlayerLeft, PlayerSat, SatIn, SatOut, ToppedUp, TopUpQueued
from engine.table.ports import AccountRef
from tests.engine.table.desk import ANN, TABLE, Desk, config, names
from tests.fakes import GRANT_CHIPS


def test_a_buy_in_goes_from_the_wallet_to_the_seat_in_the_same_decision() -> None:
    desk = Desk()
    (sat,) = desk.sit("ann", 500, seat=3)
    assert sat == PlayerSat(seat=SeatNo(3), player=ANN, name="ann", stack_chips=500, house_bot=False)
    (transfer,) = desk.decisions[-1].transfers
    assert (transfer.id, transfer.reason, transfer.currency) == (f"t1:{desk.state.seq}:buy_in", "buy_in", "play")
    assert {(entry.account, entry.amount_chips) for entry in transfer.entries} == {
        (AccountRef(kind="wallet", player=ANN), -500),
        (AccountRef(kind="seat", player=ANN, table=TABLE), 500),
    }
    assert desk.ledger.wallet("ann") == GRANT_CHIPS - 500


def test_without_a_number_the_first_free_seat_is_taken() -> None:
    desk = Desk()
    desk.sit("ann", seat=1)
    desk.sit("cid", seat=3)
    desk.sit("bob")
    desk.sit("dan")
    assert {player: desk.seat(player) for player in ("ann", "bob", "cid", "dan")} == {
        "ann": 1,
        "bob": 2,
        "cid": 3,
        "dan": 4,
    }


@pytest.mark.parametrize("seat", [0, 9, -1])
def test_a_seat_that_the_table_does_not_have(seat: int) -> None:
    with pytest.raises(NoSuchSeat) as refused:
        Desk().sit("ann", seat=seat)
    assert refused.value.fields == {"seats": 8}


def test_a_taken_seat_and_a_full_table() -> None:
    desk = Desk()
    desk.sit("p1", seat=1)
    with pytest.raises(SeatTaken) as refused:
        desk.sit("ann", seat=1)
    assert refused.value.fields == {"seat": 1}
    for number in range(2, 9):
        desk.sit(f"p{number}")
    with pytest.raises(TableFull):
        desk.sit("ann")


def test_b122_a_player_has_one_seat_and_pays_one_buy_in() -> None:
    desk = Desk()
    desk.sit("ann", seat=2)
    with pytest.raises(AlreadySeated) as refused:
        desk.sit("ann", seat=5)
    assert refused.value.fields == {"seat": 2}
    assert desk.ledger.wallet("ann") == GRANT_CHIPS - 1_000
    assert list(desk.state.seats) == [2]


@pytest.mark.parametrize(("chips", "highest"), [(199, None), (0, None), (-1, None), (601, 600), (199, 600)])
def test_a_buy_in_out_of_range(chips: int, highest: int | None) -> None:
    with pytest.raises(BuyInOutOfRange) as refused:
        Desk(config(max_buy_in_chips=highest)).sit("ann", chips)
    assert refused.value.fields == {"min_chips": 200, "max_chips": highest}


@pytest.mark.parametrize("chips", [200, 600])
def test_a_buy_in_at_the_limits(chips: int) -> None:
    desk = Desk(config(max_buy_in_chips=600))
    desk.sit("ann", chips)
    assert desk.behind("ann") == chips


def test_a_table_holds_no_more_than_a_client_can_count() -> None:
    desk = Desk(wallets={"ann": MAX_CHIPS, "bob": MAX_CHIPS})
    desk.sit("ann", MAX_CHIPS - 1_000)
    with pytest.raises(BadAmount) as refused:
        desk.sit("bob", 1_001)
    assert refused.value.fields == {"max_chips": 1_000}
    desk.sit("bob", 900)
    with pytest.raises(BadAmount) as refused:
        desk.top_up("ann", 101)
    assert refused.value.fields == {"max_chips": 100}
    desk.top_up("ann", 100)
    with pytest.raises(BadAmount):
        desk.top_up("ann", 1)


def test_a_buy_in_beyond_the_wallet_is_the_stores_to_refuse() -> None:
    desk = Desk(wallets={"ann": 300})
    with pytest.raises(CommitRefused, match="wallet/insufficient"):
        desk.sit("ann", 301)
    assert not desk.state.seats
    assert desk.ledger.wallet("ann") == 300


def test_b053_who_sits_down_between_streets_waits_for_the_next_hand() -> None:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    desk.deal()
    while desk.state.hand is not None and desk.state.hand.street.number < 4:
        desk.act_first("bring_in", "call", "check")
    desk.sit("cid", seat=3)
    desk.sit("dan", seat=4)
    assert desk.in_hand() == ["ann", "bob"]
    desk.play_out("check", "call")
    assert desk.in_hand() == []
    desk.deal()
    assert desk.in_hand() == ["ann", "bob", "cid", "dan"]


def test_standing_up_between_hands_pays_the_whole_stack_out_at_once() -> None:
    desk = Desk()
    desk.sit("ann", 700)
    (left,) = desk.stand_up("ann")
    assert left == PlayerLeft(seat=SeatNo(1), player=ANN, cashed_out_chips=700, reason="stood_up")
    (transfer,) = desk.decisions[-1].transfers
    assert (transfer.id, transfer.reason) == (f"t1:{desk.state.seq}:cash_out", "cash_out")
    assert desk.ledger.wallet("ann") == GRANT_CHIPS
    assert not desk.state.seats


def test_who_was_not_dealt_in_stands_up_at_once_in_the_middle_of_a_hand() -> None:
    desk = two_in_a_hand()
    desk.sit("cid", 400)
    assert names(desk.stand_up("cid")) == ["PlayerLeft"]
    assert desk.state.hand is not None
    assert desk.ledger.wallet("cid") == GRANT_CHIPS


def test_b137_who_leaves_out_of_turn_is_passed_over_when_it_comes() -> None:
    desk = Desk()
    for player in ("ann", "bob", "cid"):
        desk.sit(player)
    desk.deal()
    desk.act("bring_in")
    on_turn = desk.on_turn()
    leaver = next(player for player in desk.in_hand() if player != on_turn and not acted(desk, player))
    assert names(desk.stand_up(leaver)) == ["LeaveAnnounced"]
    assert desk.on_turn() == on_turn
    events = desk.act("call")
    assert names(events)[:2] == ["Called", "Folded"]
    assert desk.on_turn() != leaver
    assert desk.seated(leaver).leaving


def test_who_leaves_on_his_turn_folds_at_once() -> None:
    desk = Desk()
    for player in ("ann", "bob", "cid"):
        desk.sit(player)
    desk.deal()
    desk.act("bring_in")
    leaver = desk.on_turn()
    assert names(desk.stand_up(leaver)) == ["LeaveAnnounced", "Folded", "TurnOpened"]
    assert desk.on_turn() != leaver


def test_a_leaver_whose_bring_in_is_forced_posts_it() -> None:
    desk = two_in_a_hand()
    leaver = desk.on_turn()
    seat = desk.seat(leaver)
    assert names(desk.stand_up(leaver)) == ["LeaveAnnounced", "BringInPosted", "TurnOpened"]
    events: list[AnyEvent] = []
    while desk.state.hand is not None:
        assert desk.on_turn() != leaver
        events += desk.act_first("call", "check")
    assert Folded(seat=seat) in events, "he folds as soon as he may"


def test_the_seat_of_a_folded_leaver_is_his_until_the_hand_is_over() -> None:
    desk = Desk()
    for player in ("ann", "bob", "cid"):
        desk.sit(player)
    desk.deal()
    desk.act("bring_in")
    leaver = desk.on_turn()
    seat = desk.seat(leaver)
    desk.act("fold")
    desk.stand_up(leaver)
    with pytest.raises(SeatTaken):
        desk.sit("dan", seat=seat)
    with pytest.raises(AlreadySeated):
        desk.sit(leaver)
    desk.play_out("check", "call")
    assert not any(seat.player == leaver for seat in desk.state.seats.values())
    desk.sit("dan", seat=seat)


@pytest.mark.parametrize("wish", ["stand_up", "sit_out", "sit_in", "top_up"])
def test_a_leaver_wishes_nothing_more(wish: str) -> None:
    desk = two_in_a_hand()
    leaver = next(player for player in desk.in_hand() if player != desk.on_turn())
    (announced,) = desk.stand_up(leaver)
    assert announced == LeaveAnnounced(seat=desk.seat(leaver))
    with pytest.raises(AlreadyLeaving):
        wished(desk, wish, leaver)


@pytest.mark.parametrize("wish", ["stand_up", "sit_out", "sit_in", "top_up"])
def test_who_has_no_seat_wishes_nothing_of_one(wish: str) -> None:
    with pytest.raises(NotSeated):
        wished(Desk(), wish, "ann")


def test_sitting_out_and_in_counts_from_the_next_hand() -> None:
    desk = two_in_a_hand()
    desk.sit("cid")
    first, second = desk.in_hand()
    assert desk.sit_out(first) == [SatOut(seat=desk.seat(first), reason="asked")]
    assert desk.in_hand() == [first, second], "the running hand is played on"
    desk.play_out("check", "call", "bring_in")
    desk.deal()
    assert desk.in_hand() == [second, "cid"]
    assert desk.sit_in(first) == [SatIn(seat=desk.seat(first))]
    assert desk.in_hand() == [second, "cid"]
    desk.play_out("check", "call", "bring_in")
    desk.deal()
    assert desk.in_hand() == [first, second, "cid"]


def test_saying_it_again_is_accepted_and_changes_nothing() -> None:
    desk = Desk()
    desk.sit("ann")
    assert desk.sit_in("ann") == []
    desk.sit_out("ann")
    since_ms = desk.seated("ann").sitting_out_since_ms
    desk.now_ms += 5_000
    assert desk.sit_out("ann") == []
    assert desk.seated("ann").sitting_out_since_ms == since_ms, "absence is counted from the first time"


def test_b166_a_top_up_in_the_middle_of_a_hand_is_paid_now_and_counts_after_it() -> None:
    desk = two_in_a_hand()
    player = desk.on_turn()
    before = desk.behind(player)
    assert desk.top_up(player, 300) == [TopUpQueued(seat=desk.seat(player), added_chips=300)]
    assert desk.ledger.wallet(player) == GRANT_CHIPS - 1_300
    assert desk.behind(player) == before
    assert desk.seated(player).queued_chips == 300
    desk.top_up(player, 50)
    events: list[AnyEvent] = []
    while desk.state.hand is not None:
        assert desk.behind(player) <= before
        events += desk.act_first("bring_in", "fold")
    stack = desk.behind(player)
    assert ToppedUp(seat=desk.seat(player), added_chips=350, stack_chips=stack) in events
    assert desk.seated(player).queued_chips == 0


def test_b166_a_folded_player_may_top_up_too() -> None:
    desk = Desk()
    for player in ("ann", "bob", "cid"):
        desk.sit(player)
    desk.deal()
    desk.act("bring_in")
    folded = desk.on_turn()
    desk.act("fold")
    assert names(desk.top_up(folded, 10)) == ["TopUpQueued"]
    desk.play_out("check", "call")
    assert desk.behind(folded) == 1_000 - 2 + 10


def test_between_hands_a_top_up_counts_at_once_and_so_for_who_is_not_in_the_hand() -> None:
    desk = Desk()
    desk.sit("ann")
    assert desk.top_up("ann", 300) == [ToppedUp(seat=SeatNo(1), added_chips=300, stack_chips=1_300)]
    desk.sit("bob")
    desk.deal()
    desk.sit("cid")
    assert desk.top_up("cid", 5) == [ToppedUp(seat=SeatNo(3), added_chips=5, stack_chips=1_005)]


@pytest.mark.parametrize("chips", [0, -1, -MAX_CHIPS])
def test_nothing_and_less_is_no_top_up(chips: int) -> None:
    desk = Desk()
    desk.sit("ann")
    with pytest.raises(BadAmount):
        desk.top_up("ann", chips)


def test_a_top_up_goes_no_higher_than_a_buy_in() -> None:
    desk = Desk(config(max_buy_in_chips=1_200))
    desk.sit("ann")
    desk.sit("bob")
    with pytest.raises(BadAmount) as refused:
        desk.top_up("ann", 201)
    assert refused.value.fields == {"max_chips": 200}
    desk.deal()
    desk.top_up("ann", 150)
    with pytest.raises(BadAmount) as refused:
        desk.top_up("ann", 51)
    assert refused.value.fields == {"max_chips": 50}, "queued chips count, and what is in the pot may come back"


def test_a_stack_beyond_the_maximum_by_winning_is_kept() -> None:
    desk = Desk(config(max_buy_in_chips=1_000))
    desk.sit("ann")
    desk.sit("bob")
    desk.deal()
    desk.play_out("bring_in", "fold")
    richer = max(("ann", "bob"), key=desk.behind)
    assert desk.behind(richer) > 1_000
    with pytest.raises(BadAmount) as refused:
        desk.top_up(richer, 1)
    assert refused.value.fields == {"max_chips": 0}


def test_who_has_nothing_left_buys_in_again_and_says_that_he_is_back() -> None:
    desk = busted()
    with pytest.raises(NoChips):
        desk.sit_in("bob")
    with pytest.raises(BuyInOutOfRange):
        desk.top_up("bob", 199)
    assert names(desk.top_up("bob", 200)) == ["ToppedUp"]
    assert names(desk.sit_in("bob")) == ["SatIn"]
    desk.deal()
    assert desk.in_hand() == ["ann", "bob"]


def two_in_a_hand() -> Desk:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    desk.deal()
    return desk


def busted() -> Desk:
    """Ann has won all that Bob had; he sits out."""
    for seed in range(100):
        desk = Desk(seed=seed)
        desk.sit("ann", 1_000)
        desk.sit("bob", 200)
        while desk.seated("bob").stack_chips and not desk.seated("bob").sitting_out:
            desk.deal()
            desk.play_out("raise", "bet", "complete", "call", "check")
        if desk.behind("bob") == 0:
            return desk
    raise AssertionError("no deck busts Bob")


def wished(desk: Desk, wish: str, player: str) -> None:
    if wish == "top_up":
        desk.top_up(player, 10)
    else:
        getattr(desk, wish)(player)


def acted(desk: Desk, player: str) -> bool:
    assert desk.state.hand is not None
    return desk.state.hand.player(desk.seated(player).seat).acted_at_chips is not None


def test_every_refusal_here_has_a_code() -> None:
    for refusal in (AlreadyLeaving, AlreadySeated, BadAmount, BuyInOutOfRange, NoChips, NoSuchSeat, NotSeated):
        assert issubclass(refusal, Refusal)
        assert refusal.code.startswith("table/")
