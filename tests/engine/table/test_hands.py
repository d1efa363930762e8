"""When a hand is dealt and to whom, who may act in it, and how it goes on when players leave."""

from collections.abc import Callable

import pytest

from engine.rules.actions import Action, Call, Check
from engine.rules.cards import DECK, Card
from engine.rules.errors import (
    ActionNotOffered,
    LawBroken,
    NoHandRunning,
    NotInHand,
    NotYourTurn,
    StaleHand,
    StaleTurn,
    WrongAmount,
)
from engine.rules.events import (
    AntePosted,
    CardDealt,
    Folded,
    HandCancelled,
    HandEnded,
    HandId,
    HandStarted,
    PlayerId,
    PotAwarded,
)
from engine.table.commands import Act, CancelHand, StartHand
from engine.table.events import AnyEvent, PlayerLeft, TurnOpened
from engine.table.hands import hand_due_ms
from tests.engine.table.desk import ANN, BOB, CONFIG, STUD5, Desk, config, fingerprint, legal_seats, names
from tests.fakes import laid_out


def seated(*players: str, chips: int = 1_000, desk: Desk | None = None) -> Desk:
    desk = desk or Desk()
    for player in players or ("ann", "bob", "cid"):
        desk.sit(player, chips)
    return desk


# When and to whom -----------------------------------------------------------------------------------------------------


def test_a_hand_is_due_a_pause_after_the_second_seat_is_ready() -> None:
    desk = Desk()
    assert hand_due_ms(desk.state, quiet=False, now_ms=desk.now_ms) is None
    desk.sit("ann")
    assert hand_due_ms(desk.state, quiet=False, now_ms=desk.now_ms) is None
    desk.now_ms += 1_000
    desk.sit("bob")
    due_ms = desk.now_ms + CONFIG.pause_ms
    assert hand_due_ms(desk.state, quiet=False, now_ms=desk.now_ms) == due_ms
    assert hand_due_ms(desk.state, quiet=True, now_ms=desk.now_ms) == desk.now_ms + CONFIG.quiet_pause_ms


def test_b128_more_players_do_not_begin_the_pause_anew() -> None:
    desk = seated("ann", "bob")
    due_ms = hand_due_ms(desk.state, quiet=False, now_ms=desk.now_ms)
    for _ in range(10):
        desk.now_ms += 100
        desk.sit("cid")
        desk.stand_up("cid")
    assert hand_due_ms(desk.state, quiet=False, now_ms=desk.now_ms) == due_ms


def test_the_next_hand_is_due_a_pause_after_the_last_one() -> None:
    desk = seated("ann", "bob")
    desk.deal()
    assert hand_due_ms(desk.state, quiet=False, now_ms=desk.now_ms) is None
    desk.play_out("bring_in", "fold")
    assert hand_due_ms(desk.state, quiet=False, now_ms=desk.now_ms) == desk.now_ms + CONFIG.pause_ms


@pytest.mark.parametrize(("quiet", "short_ms"), [(False, CONFIG.pause_ms), (True, CONFIG.quiet_pause_ms)])
def test_before_it_is_due_nothing_happens(*, quiet: bool, short_ms: int) -> None:
    desk = seated("ann", "bob")
    command = StartHand(deck=DECK, quiet=quiet)
    desk.now_ms += short_ms - 1
    assert desk.do(command) == []
    desk.now_ms += 1
    assert names(desk.do(command))[0] == "HandStarted"


def test_while_a_hand_runs_none_begins() -> None:
    desk = seated("ann", "bob")
    desk.deal()
    assert desk.deal() == []


def test_a_hand_has_its_number_its_stakes_and_its_seats_from_the_dealers_left() -> None:
    desk = seated("ann", "bob", "cid", desk=Desk(config(dealer=2)))
    started = desk.deal()[0]
    assert isinstance(started, HandStarted)
    assert (started.hand, started.variant, started.dealer) == ("t1-1", CONFIG.variant, 2)
    assert [one.seat for one in started.seats] == [3, 1, 2]
    assert [one.stack_chips for one in started.seats] == [1_000] * 3
    desk.play_out("bring_in", "fold")
    again = desk.deal()[0]
    assert isinstance(again, HandStarted)
    assert again.hand == "t1-2"


def test_b119_an_event_names_the_seat_that_the_player_has() -> None:
    desk = Desk()
    for player, seat in (("ann", 7), ("bob", 2), ("cid", 5)):
        desk.sit(player, seat=seat)
    events = desk.deal()
    desk.stand_up("ann")
    started = events[0]
    assert isinstance(started, HandStarted)
    assert {one.seat: one.player for one in started.seats} == {2: "bob", 5: "cid", 7: "ann"}
    assert {one.seat: one.player for one in desk.state.seats.values()} == {2: "bob", 5: "cid", 7: "ann"}


@pytest.mark.parametrize("remove", [Desk.stand_up, Desk.sit_out])
def test_b028_b032_when_all_but_one_go_before_the_deal_there_is_no_hand(
    remove: Callable[[Desk, str], list[AnyEvent]],
) -> None:
    desk = seated("ann", "bob")
    remove(desk, "bob")
    assert desk.deal() == []
    remove(desk, "ann")
    assert desk.deal() == []
    assert desk.state.hands == 0
    assert not [one for one in desk.ledger.transfers if one.reason == "hand"]


def test_b175_with_one_funded_seat_the_table_idles_and_the_stack_stays() -> None:
    desk = seated("ann", "bob")
    desk.sit_out("bob")
    for _ in range(5):
        assert desk.deal() == []
    assert desk.behind("ann") == 1_000
    assert desk.ledger.seat("ann") == 1_000


def test_b067_no_card_without_an_ante() -> None:
    desk = seated("ann", "bob")
    desk.deal()
    desk.play_out("bring_in", "fold")
    desk.sit("cid")
    events = desk.deal()
    antes = [event.seat for event in events if isinstance(event, AntePosted)]
    assert antes == [1, 2, 3]
    first_card = next(at for at, event in enumerate(events) if isinstance(event, CardDealt))
    assert all(not isinstance(event, AntePosted) for event in events[first_card:])


def test_b065_no_ante_after_the_last_hand() -> None:
    desk = seated("ann", "bob", chips=200)
    while all(seat.ready for seat in desk.state.seats.values()):
        desk.deal()
        desk.play_out("raise", "bet", "complete", "call", "check", "bring_in")
    stacks = {player: desk.behind(player) for player in ("ann", "bob")}
    assert sorted(stacks.values()) == [0, 400]
    assert desk.deal() == []
    assert {player: desk.behind(player) for player in ("ann", "bob")} == stacks


def test_b163_a_seat_with_nothing_gets_no_cards() -> None:
    desk = seated("ann", "bob", "cid", chips=200)
    while all(desk.behind(player) for player in ("ann", "bob", "cid")):
        desk.deal()
        desk.play_out("raise", "bet", "complete", "call", "check", "bring_in")
    if sum(seat.ready for seat in desk.state.seats.values()) > 1:
        desk.deal()
        assert all(desk.state.seats[seat].stack_chips > 0 for seat in desk.state.cast)
    else:
        assert desk.deal() == []


# Turns ----------------------------------------------------------------------------------------------------------------


def test_a_turn_says_who_is_asked_for_what_and_until_when() -> None:
    desk = seated("ann", "bob")
    opened = desk.deal()[-1]
    assert isinstance(opened, TurnOpened)
    (turn,) = opened.turns
    assert (turn.turn, turn.deadline_ms, turn.time_bank_ms) == (1, desk.now_ms + 20_000, 60_000)
    assert [turn.seat] == legal_seats(desk.state)
    assert desk.words() == ["bring_in", "complete"]


def test_turns_are_numbered_through_the_hand_and_anew_in_the_next() -> None:
    desk = seated("ann", "bob")
    numbers = []
    desk.deal()
    while desk.state.hand is not None:
        numbers.append(desk.turn().turn)
        desk.act_first("bring_in", "call", "check")
    assert numbers == list(range(1, len(numbers) + 1))
    desk.deal()
    assert desk.turn().turn == 1


def test_no_hand_no_act() -> None:
    with pytest.raises(NoHandRunning):
        Desk().do(act_of(ANN, "t1-1", 1))


def test_b139_an_act_for_another_hand_is_refused_with_the_running_one() -> None:
    desk = seated("ann", "bob")
    desk.deal()
    stale = desk.wish("bring_in", desk.on_turn())
    desk.play_out("bring_in", "fold")
    desk.deal()
    with pytest.raises(StaleHand) as refused:
        desk.do(stale)
    assert refused.value.fields == {"hand": "t1-2"}


def test_the_hand_is_looked_at_before_the_player_the_player_before_the_turn() -> None:
    desk = seated("ann", "bob")
    desk.deal()
    desk.sit("cid")
    on_turn, other = desk.on_turn(), next(player for player in (ANN, BOB) if player != desk.on_turn())
    with pytest.raises(StaleHand):
        desk.do(act_of("cid", "t1-9", 9))
    with pytest.raises(NotInHand):
        desk.do(act_of("cid", "t1-1", 9))
    with pytest.raises(NotInHand):
        desk.do(act_of("nobody", "t1-1", 1))
    with pytest.raises(NotYourTurn) as refused:
        desk.do(act_of(other, "t1-1", 9))
    assert refused.value.fields == {"to_act": [desk.seat(on_turn)]}
    with pytest.raises(StaleTurn) as stale:
        desk.do(act_of(on_turn, "t1-1", 9))
    assert stale.value.fields == {"turn": 1}
    with pytest.raises(ActionNotOffered):
        desk.do(act_of(on_turn, "t1-1", 1))


def test_b140_of_the_same_wish_five_times_one_takes_effect() -> None:
    desk = seated("ann", "bob")
    desk.deal()
    player = desk.on_turn()
    wish = desk.wish("bring_in", player)
    desk.do(wish)
    for _ in range(4):
        with pytest.raises(NotYourTurn):
            desk.do(wish)
    desk.play_out("fold", "check", "call")
    desk.deal()
    with pytest.raises(StaleHand):
        desk.do(wish)


def test_b145_of_two_wishes_for_one_turn_the_first_wins() -> None:
    desk = seated("ann", "bob")
    desk.deal()
    desk.act("bring_in")
    desk.act("call")
    checking, betting = desk.wish("check", desk.on_turn()), desk.wish("bet", desk.on_turn())
    assert names(desk.do(checking))[0] == "Checked"
    with pytest.raises((NotYourTurn, StaleTurn)):
        desk.do(betting)


def test_b142_a_call_at_an_old_price_is_refused_and_moves_nothing() -> None:
    desk = seated("ann", "bob")
    desk.deal()
    desk.act("complete")
    caller = desk.on_turn()
    with pytest.raises(WrongAmount) as refused:
        desk.do(act_of(caller, "t1-1", desk.turn().turn, Call(to_chips=4)))
    assert {"action": {"verb": "call", "to_chips": 10}}.items() <= refused.value.fields["options"][1].items()
    assert desk.behind(caller) == 998


# Ends -----------------------------------------------------------------------------------------------------------------


def test_b079_a_hand_in_which_all_fold_at_once_ends_quietly() -> None:
    desk = seated("ann", "bob")
    desk.deal()
    desk.act("bring_in")
    assert names(desk.act("fold")) == [
        "Folded",
        "UncalledReturned",
        "BetsCollected",
        "PotAwarded",
        "HandEnded",
    ]
    assert desk.state.hand is None
    assert not desk.state.turns


def test_b022_the_last_player_is_paid_and_nobody_is_shown() -> None:
    desk = seated()
    desk.deal(laid_out("As Ad Ac Ah", "2c 3d 4h 5s", "7c 8d 9h Jh"))
    while desk.state.hand is not None and desk.state.hand.street.number < 4:
        desk.act_first("bring_in", "call", "check")
    assert desk.on_turn() == "ann", "the aces open, and are folded"
    events = desk.act("fold") + desk.act("fold")
    assert {"HandShown", "HandsTabled", "HandMucked"}.isdisjoint(names(events))
    (award,) = [event for event in events if isinstance(event, PotAwarded)]
    assert [desk.player(share.seat) for share in award.shares] == ["cid"]


def test_b026_with_one_all_in_the_others_still_bet_and_check() -> None:
    desk = Desk(config(min_buy_in_chips=1))
    desk.sit("ann", 6)
    seated("bob", "cid", desk=desk)
    desk.deal()
    while desk.state.hand is not None and desk.state.hand.street.number < 4:
        desk.act_first("bring_in", "call")
    assert desk.behind("ann") == 0
    events: list[AnyEvent] = []
    for street in (4, 5, 6, 7):
        assert desk.state.hand is not None
        assert desk.state.hand.street.number == street
        assert "bet" in desk.words()
        for _ in ("bob", "cid"):
            assert desk.on_turn() != "ann"
            events = desk.act("check")
    assert "HandEnded" in names(events)


@pytest.mark.parametrize("street", [3, 4, 5, 6, 7])
def test_b136_when_the_last_but_one_leaves_the_hand_ends_for_the_one_who_stays(street: int) -> None:
    desk = seated("ann", "bob")
    desk.deal()
    while desk.state.hand is not None and desk.state.hand.street.number < street:
        desk.act_first("bring_in", "call", "check")
    if street == 3:
        desk.act("bring_in")
    leaver = desk.on_turn()
    stays = next(player for player in ("ann", "bob") if player != leaver)
    events = desk.stand_up(leaver)
    assert names(events)[0] == "LeaveAnnounced"
    assert isinstance(events[-1], PlayerLeft)
    assert desk.state.hand is None
    assert desk.behind(stays) + events[-1].cashed_out_chips == 2_000
    assert desk.behind(stays) > 1_000
    assert desk.deal() == []


@pytest.mark.parametrize("street", [3, 4, 5, 6, 7])
def test_b136_all_leave_on_each_street(street: int) -> None:
    desk = seated("ann", "bob", "cid", "dan")
    desk.deal()
    while desk.state.hand is not None and desk.state.hand.street.number < street:
        desk.act_first("bring_in", "call", "check")
    for player in ("ann", "bob", "cid", "dan"):
        if any(seat.player == player for seat in desk.state.seats.values()):
            desk.stand_up(player)
    assert desk.state.hand is None
    assert not desk.state.seats
    assert sum(desk.ledger.wallet(player) for player in ("ann", "bob", "cid", "dan")) == 4_000_000


def test_b004_a_leave_and_a_timeout_in_the_same_instant() -> None:
    desk = seated("ann", "bob", "cid", desk=Desk(config(time_bank_ms=0)))
    desk.deal()
    while desk.state.hand is not None and desk.state.hand.street.number < 5:
        desk.act_first("bring_in", "call", "bet", "check")
    silent = desk.on_turn()
    leaver = next(player for player in ("ann", "bob", "cid") if player != silent)
    desk.now_ms = desk.turn().deadline_ms
    desk.stand_up(leaver)
    events = desk.wait(0)
    assert names(events)[:3] == ["TurnTimedOut", "SatOut", "Checked"]
    assert Folded(seat=desk.seat(leaver)) in events or desk.on_turn() != leaver
    desk.play_out("check", "call")
    assert sum(desk.ledger.wallet(player) + desk.ledger.seat(player) for player in ("ann", "bob", "cid")) == 3_000_000


def test_a_hand_that_nobody_can_bet_in_is_dealt_and_settled_at_once() -> None:
    desk = Desk(config(STUD5, min_buy_in_chips=1))
    desk.sit("ann", 2)
    desk.sit("bob", 2)
    events = desk.deal()
    assert any(isinstance(event, HandEnded) for event in events)
    assert desk.state.hand is None
    assert desk.decisions[-1].cast == {1: "ann", 2: "bob"}, "viewers still need to know who played in it"


def test_a_cancelled_hand_gives_the_stacks_back_and_books_nothing() -> None:
    desk = seated("ann", "bob")
    desk.deal()
    desk.act("complete")
    desk.act("call")
    (cancelled,) = desk.do(CancelHand(reason="fault"))
    assert isinstance(cancelled, HandCancelled)
    assert (desk.behind("ann"), desk.behind("bob")) == (1_000, 1_000)
    assert not [one for one in desk.ledger.transfers if one.reason == "hand"]
    assert desk.do(CancelHand(reason="fault")) == []
    desk.deal()
    assert desk.hand_id() == "t1-2"


def test_who_leaves_a_cancelled_hand_goes_with_what_he_came_with() -> None:
    desk = seated("ann", "bob")
    desk.deal()
    desk.act("complete")
    leaver = next(player for player in ("ann", "bob") if player != desk.on_turn())
    desk.top_up(leaver, 50)
    desk.stand_up(leaver)
    events = desk.do(CancelHand(reason="fault"))
    assert names(events) == ["HandCancelled", "PlayerLeft"]
    assert desk.ledger.wallet(leaver) == 1_000_000


def test_a_deck_that_is_none_deals_nothing() -> None:
    desk = seated("ann", "bob")
    before = fingerprint(desk.state)
    desk.now_ms += CONFIG.pause_ms
    with pytest.raises(LawBroken):
        desk.do(StartHand(deck=(Card("As"),) * 51))
    assert fingerprint(desk.state) == before


def act_of(player: str, hand: str, turn: int, action: Action | None = None) -> Act:
    return Act(player=PlayerId(player), command_id="wish", hand=HandId(hand), turn=turn, action=action or Check())
