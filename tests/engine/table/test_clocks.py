"""Turn clocks, time banks, silence, absence, and clocks armed again after the server was away."""

import pytest

from engine.limits import MIN_RETURN_MS
from engine.rules.actions import SeatNo
from engine.rules.cards import DECK
from engine.rules.events import BringInPosted, Checked, Folded
from engine.table.clocks import clock_due_ms, next_deadline_ms, silent_since
from engine.table.commands import DeadlinePassed, Resume, StartHand
from engine.table.events import ClockResumed, PlayerLeft, SatOut, TimeBankStarted, TurnOpened, TurnTimedOut
from tests.engine.table.desk import ANN, CONFIG, Desk, config, names
from tests.fakes import GRANT_CHIPS


def dealt(*, bank_ms: int = 60_000, players: int = 2) -> Desk:
    desk = Desk(config(time_bank_ms=bank_ms))
    for player in ("ann", "bob", "cid", "dan")[:players]:
        desk.sit(player)
    desk.deal()
    return desk


def checked_to_fourth(desk: Desk) -> Desk:
    """On fourth street, where a check is free."""
    while desk.state.hand is not None and desk.state.hand.street.number < 4:
        desk.act_first("bring_in", "call")
    return desk


def test_b148_the_deadline_is_the_configured_time_away() -> None:
    desk = dealt()
    assert desk.turn().deadline_ms - desk.now_ms == CONFIG.turn_ms == 20_000
    assert clock_due_ms(desk.state, now_ms=desk.now_ms) == desk.turn().deadline_ms


def test_a_moment_before_the_deadline_nothing_happens() -> None:
    desk = dealt()
    desk.now_ms += 19_999
    assert desk.do(DeadlinePassed()) == []


def test_at_the_deadline_the_bank_begins_and_then_silence_decides() -> None:
    desk = dealt()
    turn = desk.turn()
    (started,) = desk.wait(20_000)
    assert started == TimeBankStarted(seat=turn.seat, turn=1, deadline_ms=desk.now_ms + 60_000)
    assert (desk.turn().deadline_ms, desk.turn().time_bank_ms) == (desk.now_ms + 60_000, 0)
    assert desk.wait(59_999) == []
    events = desk.wait(1)
    assert events[:2] == [TurnTimedOut(seat=turn.seat, turn=1), SatOut(seat=turn.seat, reason="timed_out")]
    assert isinstance(events[2], BringInPosted), "a silent poster's bring-in is posted for him"
    assert isinstance(events[3], TurnOpened)
    assert desk.state.seats[turn.seat].time_bank_ms == 0


def test_what_runs_of_the_bank_is_gone() -> None:
    desk = dealt()
    player = desk.on_turn()
    desk.wait(20_000 + 12_345)
    assert desk.seated(player).time_bank_ms == 60_000, "while it runs it shows what it began with"
    desk.act("bring_in")
    assert desk.seated(player).time_bank_ms == 60_000 - 12_345


def test_an_act_within_the_turn_costs_no_bank() -> None:
    desk = dealt()
    player = desk.on_turn()
    desk.wait(19_999)
    desk.act("bring_in")
    assert desk.seated(player).time_bank_ms == 60_000


def test_a_bank_used_up_stays_so_for_the_next_turns() -> None:
    desk = dealt(bank_ms=5_000)
    silent = desk.on_turn()
    desk.wait(25_000)
    desk.act("call")
    while desk.on_turn() != silent:
        desk.act("check")
    assert desk.turn().time_bank_ms == 0
    assert names(desk.wait(20_000))[0] == "TurnTimedOut", "without a bank, silence decides at once"


def test_a_table_without_time_banks() -> None:
    desk = dealt(bank_ms=0)
    assert names(desk.wait(20_000))[:2] == ["TurnTimedOut", "SatOut"]


def test_a_late_look_at_the_clock_does_not_shorten_the_bank() -> None:
    desk = dealt()
    desk.now_ms += 25_000
    (started,) = desk.do(DeadlinePassed())
    assert isinstance(started, TimeBankStarted)
    assert started.deadline_ms == desk.now_ms + 60_000


def test_an_act_after_the_deadline_counts_if_the_clock_was_not_looked_at() -> None:
    desk = dealt()
    player = desk.on_turn()
    desk.now_ms += 20_500
    assert names(desk.act("bring_in"))[0] == "BringInPosted"
    assert desk.seated(player).time_bank_ms == 60_000


def test_silence_checks_if_that_is_free() -> None:
    desk = checked_to_fourth(dealt(bank_ms=0))
    seat = desk.turn().seat
    assert Checked(seat=seat) in desk.wait(20_000)


def test_silence_folds_if_something_is_owed() -> None:
    desk = checked_to_fourth(dealt(bank_ms=0, players=3))
    desk.act("bet")
    seat = desk.turn().seat
    assert Folded(seat=seat) in desk.wait(20_000)


def test_b019_who_is_gone_is_folded_at_his_deadline_and_the_rest_stands() -> None:
    desk = dealt(players=3)
    while desk.state.hand is not None and desk.state.hand.street.number < 5:
        desk.act_first("bring_in", "call", "check")
    desk.act("bet")
    gone = desk.on_turn()
    pot, stacks = desk.pot(), {player: desk.behind(player) for player in ("ann", "bob", "cid")}
    events = desk.wait(80_000)
    assert names(events)[-3:-1] == ["SatOut", "Folded"]
    assert desk.pot() == pot
    assert {player: desk.behind(player) for player in ("ann", "bob", "cid")} == stacks
    assert desk.on_turn() != gone


def test_a_timed_out_seat_is_sat_out_from_the_next_hand_and_plays_this_one_on() -> None:
    desk = dealt(bank_ms=0)
    silent = desk.on_turn()
    desk.wait(20_000)
    desk.act("call")
    if desk.on_turn() != silent:
        desk.act("check")
    assert desk.on_turn() == silent
    desk.act("check")
    desk.play_out("check", "call")
    assert desk.deal() == []
    assert not desk.seated(silent).ready
    desk.sit_in(silent)
    desk.deal()
    assert silent in desk.in_hand()


def test_timing_out_twice_in_a_hand_sits_out_once() -> None:
    desk = checked_to_fourth(dealt(bank_ms=0))
    events = []
    while desk.state.hand is not None:
        events += desk.wait(20_000)
    assert names(events).count("SatOut") == 2
    assert names(events).count("TurnTimedOut") > 2


def test_b149_no_clock_runs_for_a_seat_that_is_not_in_the_hand() -> None:
    desk = dealt(players=3)
    desk.sit("dan")
    desk.sit_out("dan")
    turns = []
    while desk.state.hand is not None:
        turns.append(desk.on_turn())
        desk.act_first("bring_in", "call", "check")
    assert "dan" not in turns


def test_b134_a_seat_that_sits_out_too_long_is_given_up_also_where_no_hand_is_dealt() -> None:
    desk = Desk()
    desk.sit("ann", 700)
    desk.sit_out("ann")
    assert next_deadline_ms(desk.state, quiet=False, now_ms=desk.now_ms) == desk.now_ms + 600_000
    assert desk.wait(599_999) == []
    assert desk.wait(1) == [PlayerLeft(seat=SeatNo(1), player=ANN, cashed_out_chips=700, reason="absent")]
    assert desk.ledger.wallet("ann") == GRANT_CHIPS


def test_absence_ends_when_he_sits_in() -> None:
    desk = Desk()
    desk.sit("ann")
    desk.sit_out("ann")
    desk.wait(599_999)
    desk.sit_in("ann")
    assert next_deadline_ms(desk.state, quiet=False, now_ms=desk.now_ms) is None
    desk.sit_out("ann")
    assert desk.wait(599_999) == []


def test_nobody_is_removed_from_a_running_hand() -> None:
    desk = Desk(config(absent_ms=1_000))
    desk.sit("ann")
    desk.sit("bob")
    desk.deal()
    desk.sit_out("ann")
    desk.sit_out("bob")
    desk.wait(10_000)
    assert desk.do(DeadlinePassed()) == []
    assert desk.state.hand is not None
    assert len(desk.state.seats) == 2
    desk.play_out("bring_in", "fold")
    assert names(desk.wait(0)) == ["PlayerLeft", "PlayerLeft"]


def test_the_next_deadline_is_the_nearest_of_turns_absences_and_the_next_hand() -> None:
    desk = Desk()
    assert next_deadline_ms(desk.state, quiet=False, now_ms=desk.now_ms) is None
    desk.sit("ann")
    desk.sit("bob")
    assert next_deadline_ms(desk.state, quiet=False, now_ms=desk.now_ms) == desk.now_ms + 3_000
    assert next_deadline_ms(desk.state, quiet=True, now_ms=desk.now_ms) == desk.now_ms + 60_000
    desk.sit("cid")
    desk.sit_out("cid")
    desk.deal()
    assert next_deadline_ms(desk.state, quiet=False, now_ms=desk.now_ms) == desk.now_ms + 20_000


@pytest.mark.parametrize(
    ("lived_ms", "left_ms"),
    [
        (None, 20_000),
        (8_000, 12_000),
        (14_999, 5_001),
        (18_000, 5_000),
        (19_999, 5_000),
        (-5_000, 20_000),
    ],
)
def test_after_an_absence_of_the_server_a_turn_has_what_was_left_and_five_seconds_at_least(
    lived_ms: int | None, left_ms: int
) -> None:
    desk = dealt()
    seat, stopped_ms = desk.turn().seat, None if lived_ms is None else desk.now_ms + lived_ms
    desk.now_ms += 3_600_000
    (resumed,) = desk.do(Resume(stopped_ms=stopped_ms))
    assert resumed == ClockResumed(seat=seat, turn=1, deadline_ms=desk.now_ms + left_ms)
    assert desk.turn().deadline_ms == desk.now_ms + left_ms
    assert desk.do(DeadlinePassed()) == []


@pytest.mark.parametrize(("lived_ms", "left_ms"), [(None, 60_000), (10_000, 50_000), (58_000, 5_000)])
def test_a_running_bank_goes_on_and_does_not_grow(lived_ms: int | None, left_ms: int) -> None:
    desk = dealt()
    player = desk.on_turn()
    desk.wait(20_000)
    stopped_ms = None if lived_ms is None else desk.now_ms + lived_ms
    desk.now_ms += 3_600_000
    desk.do(Resume(stopped_ms=stopped_ms))
    assert desk.turn().deadline_ms == desk.now_ms + left_ms
    desk.act("bring_in")
    assert desk.seated(player).time_bank_ms == left_ms


def test_a_nearly_empty_bank_is_not_filled_by_the_minimum() -> None:
    desk = dealt(bank_ms=2_000)
    player = desk.on_turn()
    desk.wait(20_000)
    desk.do(Resume(stopped_ms=desk.now_ms))
    assert desk.turn().deadline_ms == desk.now_ms + 5_000
    desk.act("bring_in")
    assert desk.seated(player).time_bank_ms == 2_000


def test_between_hands_there_is_nothing_to_resume() -> None:
    desk = Desk()
    desk.sit("ann")
    assert desk.do(Resume()) == []


def test_owed_time_passes_before_a_turn_runs_out_and_no_other_clock_runs_it_out() -> None:
    desk = dealt(bank_ms=0)
    desk.sit("cid")
    desk.sit_out("cid")
    deadline_ms = desk.turn().deadline_ms
    assert clock_due_ms(desk.state, now_ms=desk.now_ms, owed_ms=4_000) == deadline_ms + 4_000
    desk.now_ms = deadline_ms + 3_999
    assert desk.do(DeadlinePassed(owed_ms=4_000)) == []
    desk.now_ms += 600_000
    gone = desk.do(DeadlinePassed(owed_ms=10**9))
    assert names(gone) == ["PlayerLeft"], "he who is away for too long, and not the turn"
    assert names(desk.do(DeadlinePassed(owed_ms=4_000)))[0] == "TurnTimedOut"


@pytest.mark.parametrize(("absent_ms", "held_ms"), [(600_000, MIN_RETURN_MS), (5_000, 5_000)])
def test_nobody_loses_his_seat_as_soon_as_the_table_is_back(absent_ms: int, held_ms: int) -> None:
    desk = Desk(config(absent_ms=absent_ms))
    desk.sit("ann")
    desk.sit_out("ann")
    desk.now_ms += 3_600_000
    back_ms = desk.now_ms
    assert clock_due_ms(desk.state, now_ms=back_ms, back_ms=back_ms) == back_ms + held_ms
    desk.now_ms += held_ms - 1
    assert desk.do(DeadlinePassed(back_ms=back_ms)) == []
    desk.now_ms += 1
    assert names(desk.do(DeadlinePassed(back_ms=back_ms))) == ["PlayerLeft"]


def test_an_absence_that_lies_ahead_counts_from_when_the_table_came_back() -> None:
    """The wall clock was set back by a day while the server was away."""
    desk = Desk()
    desk.sit("ann")
    desk.sit_out("ann")
    desk.now_ms -= 86_400_000
    back_ms = desk.now_ms
    assert clock_due_ms(desk.state, now_ms=desk.now_ms, back_ms=back_ms) == back_ms + 600_000
    desk.now_ms += 599_999
    assert desk.do(DeadlinePassed(back_ms=back_ms)) == []
    desk.now_ms += 1
    assert names(desk.do(DeadlinePassed(back_ms=back_ms))) == ["PlayerLeft"]


def test_a_pause_between_hands_that_lies_ahead_is_over() -> None:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    desk.now_ms -= 86_400_000
    assert next_deadline_ms(desk.state, quiet=True, now_ms=desk.now_ms) == desk.now_ms
    assert names(desk.do(StartHand(deck=DECK, quiet=True)))[0] == "HandStarted"


def test_a_wall_clock_that_was_set_back_takes_nothing_from_a_turn() -> None:
    desk = dealt()
    stopped_ms = desk.now_ms + 8_000
    desk.now_ms -= 86_400_000
    desk.do(Resume(stopped_ms=stopped_ms))
    assert desk.turn().deadline_ms == desk.now_ms + 12_000


def test_silence_decides_only_where_no_bank_is_left() -> None:
    desk = dealt(bank_ms=30_000)
    deadline_ms = desk.turn().deadline_ms
    assert silent_since(desk.state, deadline_ms + 10**9) is None
    desk.wait(20_000)
    ends_ms = desk.turn().deadline_ms
    assert silent_since(desk.state, ends_ms - 1) is None
    assert silent_since(desk.state, ends_ms) is desk.turn()
    assert silent_since(Desk().state, 10**15) is None
