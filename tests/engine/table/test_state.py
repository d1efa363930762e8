"""The fold: every event has a place in it, and what does not fit there is refused."""

import pytest
from msgspec.structs import replace

from engine.rules.actions import Check, Option, SeatNo
from engine.rules.errors import LawBroken
from engine.table.events import (
    AnyEvent,
    ClockResumed,
    LeaveAnnounced,
    PlayerLeft,
    PlayerSat,
    SatIn,
    SatOut,
    TableOpened,
    TimeBankStarted,
    ToppedUp,
    TopUpQueued,
    Turn,
    TurnOpened,
    TurnTimedOut,
)
from engine.table.state import TableState, evolve, opened
from tests.engine.table.desk import ANN, BOB, CONFIG, TABLE, Desk, config, fingerprint

ONE, TWO = SeatNo(1), SeatNo(2)
OPENED = TableOpened(table=TABLE, config=CONFIG)


def state_of(*events: AnyEvent, at_ms: int = 1_000) -> TableState:
    state = opened(OPENED, at_ms)
    for event in events:
        evolve(state, event, at_ms)
    return state


def sat(seat: SeatNo = ONE) -> PlayerSat:
    player = ANN if seat == ONE else BOB
    return PlayerSat(seat=seat, player=player, name=player, stack_chips=500, house_bot=False)


def turn(*, number: int = 1, bank_ms: int = 60_000) -> TurnOpened:
    option = Option(action=Check())
    return TurnOpened(turns=(Turn(seat=ONE, turn=number, options=(option,), deadline_ms=5_000, time_bank_ms=bank_ms),))


def test_the_first_event_makes_the_table() -> None:
    state = opened(OPENED, 1_000)
    assert (state.table, state.config, state.seq, state.at_ms) == (TABLE, CONFIG, 1, 1_000)


def test_every_event_counts_and_tells_its_time() -> None:
    state = state_of(sat())
    evolve(state, sat(TWO), 1_234)
    assert (state.seq, state.at_ms) == (3, 1_234)


def test_folding_a_table_s_events_gives_the_table_again() -> None:
    desk = Desk(config(time_bank_ms=1_000))
    for player in ("ann", "bob", "cid"):
        desk.sit(player)
    for _ in range(3):
        desk.deal()
        desk.top_up("ann", 10)
        desk.wait(20_000)
        desk.act_first("bring_in", "call", "check")
        while desk.state.hand is not None:
            desk.wait(21_000)
        desk.sit_in("ann")
        desk.sit_in("bob")
    desk.deal()
    folded = opened(desk.rows[0][2], desk.rows[0][1])  # type: ignore[arg-type]
    for _, at_ms, event in desk.rows[1:]:
        evolve(folded, event, at_ms)
    assert fingerprint(folded) == fingerprint(desk.state)
    kinds = {type(event) for _, _, event in desk.rows}
    assert kinds >= {TableOpened, PlayerSat, TopUpQueued, ToppedUp, TimeBankStarted, TurnTimedOut, SatOut, SatIn}


@pytest.mark.parametrize(
    ("before", "event"),
    [
        ([], OPENED),
        ([sat()], sat()),
        ([], LeaveAnnounced(seat=ONE)),
        ([], PlayerLeft(seat=ONE, player=ANN, cashed_out_chips=0, reason="stood_up")),
        ([], SatOut(seat=ONE, reason="asked")),
        ([], SatIn(seat=ONE)),
        ([], TopUpQueued(seat=ONE, added_chips=1)),
        ([], ToppedUp(seat=ONE, added_chips=1, stack_chips=1)),
        ([sat()], TimeBankStarted(seat=ONE, turn=1, deadline_ms=1)),
        ([sat(), turn()], TimeBankStarted(seat=ONE, turn=2, deadline_ms=1)),
        ([sat(), turn()], ClockResumed(seat=TWO, turn=1, deadline_ms=1)),
        ([sat(), turn()], TurnTimedOut(seat=ONE, turn=2)),
    ],
)
def test_an_event_that_does_not_fit_breaks_a_law(before: list[AnyEvent], event: AnyEvent) -> None:
    state = state_of(*before)
    with pytest.raises(LawBroken):
        evolve(state, event, 2_000)


def test_nobody_leaves_a_seat_that_a_hand_was_dealt_to() -> None:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    desk.deal()
    with pytest.raises(LawBroken):
        evolve(desk.state, PlayerLeft(seat=ONE, player=ANN, cashed_out_chips=0, reason="absent"), 0)


def test_a_bank_that_never_began_is_not_charged() -> None:
    state = state_of(sat(), turn())
    evolve(state, TurnTimedOut(seat=ONE, turn=1), 99_000)
    assert state.seats[ONE].time_bank_ms == 60_000
    assert not state.turns


@pytest.mark.parametrize(("at_ms", "left_ms"), [(5_000, 60_000), (6_000, 59_000), (65_000, 0), (99_000, 0)])
def test_a_running_bank_is_charged_up_to_the_turn_s_end(at_ms: int, left_ms: int) -> None:
    state = state_of(sat(), turn(), TimeBankStarted(seat=ONE, turn=1, deadline_ms=65_000))
    assert state.bank_runs(ONE)
    evolve(state, TurnTimedOut(seat=ONE, turn=1), at_ms)
    assert state.seats[ONE].time_bank_ms == left_ms


def test_the_pause_is_counted_from_the_second_ready_seat_and_ends_with_it() -> None:
    state = state_of(sat())
    assert state.ready_since_ms is None
    evolve(state, sat(TWO), 2_000)
    assert state.ready_since_ms == 2_000
    evolve(state, SatOut(seat=ONE, reason="asked"), 3_000)
    assert state.ready_since_ms is None
    evolve(state, SatIn(seat=ONE), 4_000)
    assert state.ready_since_ms == 4_000


def test_a_copy_is_independent() -> None:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    desk.deal()
    before = fingerprint(desk.state)
    twin = desk.state.copy()
    evolve(twin, SatOut(seat=ONE, reason="asked"), 9)
    twin.turns.clear()
    assert twin.hand is not None
    twin.hand.players[0].stack_chips = 0
    assert fingerprint(desk.state) == before


def test_neither_a_state_nor_a_seat_s_events_tell_a_card() -> None:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    desk.deal()
    told = repr(desk.state) + repr(desk.decisions[-1]) + repr(replace(desk.state, seq=0))
    assert "Card" not in told
    assert all(card not in told for card in desk.state.hand.deck)  # type: ignore[union-attr]
