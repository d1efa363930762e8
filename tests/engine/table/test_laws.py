"""Planted faults: each law of a table is broken once, and each time it is told."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from engine.limits import MAX_CHIPS
from engine.rules.actions import SeatNo
from engine.rules.errors import LawBroken
from engine.rules.events import PlayerId
from engine.table.laws import require_lawful, require_sound
from engine.table.ports import AccountRef, Entry, Transfer
from engine.table.state import SeatState, TableState
from tests.engine.table.desk import ANN, TABLE, Desk

ONE, TWO = SeatNo(1), SeatNo(2)


def resting() -> TableState:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    return desk.state


def running() -> TableState:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    desk.deal()
    return desk.state


def change(state: TableState, seat: SeatNo, **fields: object) -> None:
    state.seats[seat] = replace(state.seats[seat], **fields)


def negative_stack(state: TableState) -> None:
    change(state, ONE, stack_chips=-1)


def negative_queue(state: TableState) -> None:
    change(state, ONE, queued_chips=-1)


def seat_of_no_table(state: TableState) -> None:
    state.seats[SeatNo(9)] = SeatState(
        seat=SeatNo(9), player=PlayerId("zed"), name="z", house_bot=False, stack_chips=1, time_bank_ms=0
    )


def one_player_twice(state: TableState) -> None:
    change(state, TWO, player=ANN)


def beyond_counting(state: TableState) -> None:
    change(state, ONE, queued_chips=MAX_CHIPS)


def turn_without_a_hand(state: TableState) -> None:
    state.hand = None


def chip_from_nowhere(state: TableState) -> None:
    assert state.hand is not None
    state.hand.players[0].stack_chips += 1


def lost_pot(state: TableState) -> None:
    assert state.hand is not None
    state.hand.players[0].total_chips -= 1


def stack_changed_in_the_hand(state: TableState) -> None:
    change(state, ONE, stack_chips=999)


def seat_given_away_in_the_hand(state: TableState) -> None:
    change(state, ONE, player="zed")


def turn_of_a_bystander(state: TableState) -> None:
    turn = next(iter(state.turns.values()))
    state.turns[SeatNo(5)] = turn


def nobody_asked(state: TableState) -> None:
    state.turns.clear()


FAULTS: list[Callable[[TableState], None]] = [
    negative_stack,
    negative_queue,
    seat_of_no_table,
    one_player_twice,
    beyond_counting,
    turn_without_a_hand,
    chip_from_nowhere,
    lost_pot,
    stack_changed_in_the_hand,
    seat_given_away_in_the_hand,
    turn_of_a_bystander,
    nobody_asked,
]


def test_a_table_in_play_is_sound() -> None:
    require_sound(running())


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: Callable[[TableState], None]) -> None:
    state = running()
    fault(state)
    with pytest.raises(LawBroken):
        require_sound(state)


def test_a_fault_of_the_hand_is_found_where_no_seat_has_changed() -> None:
    before, after = running(), running()
    require_lawful(before, after, [])
    chip_from_nowhere(after)
    with pytest.raises(LawBroken):
        require_lawful(before, after, [])


def transfer(*amounts: int, kind: str = "seat") -> Transfer:
    seat = AccountRef(kind="seat", player=ANN, table=TABLE)
    wallet = AccountRef(kind="wallet", player=ANN)
    accounts = [seat, wallet, wallet] if kind == "seat" else [wallet, wallet]
    entries = tuple(Entry(account=one, amount_chips=chips) for one, chips in zip(accounts, amounts, strict=False))
    return Transfer(id="x", reason="buy_in", currency="play", entries=entries)


@pytest.mark.parametrize(
    ("gained", "transfers"),
    [
        (0, []),
        (50, [transfer(50, -50)]),
        (50, [transfer(80, -80), transfer(-30, 30)]),
        (-50, [transfer(-50, 50)]),
    ],
)
def test_what_the_seats_gain_is_what_the_transfers_move(gained: int, transfers: list[Transfer]) -> None:
    before, after = resting(), resting()
    change(after, ONE, stack_chips=1_000 + gained)
    require_lawful(before, after, transfers)


@pytest.mark.parametrize(
    ("gained", "transfers"),
    [
        (50, []),
        (0, [transfer(50, -50)]),
        (50, [transfer(49, -49)]),
        (50, [transfer(50, -49)]),
        (50, [transfer(50)]),
        (50, [transfer(-50, 50)]),
        (50, [transfer(50, -50, kind="wallet")]),
    ],
)
def test_a_transfer_that_tells_otherwise_is_found(gained: int, transfers: list[Transfer]) -> None:
    before, after = resting(), resting()
    change(after, ONE, stack_chips=1_000 + gained)
    with pytest.raises(LawBroken):
        require_lawful(before, after, transfers)


def test_a_seat_that_vanishes_with_its_chips_is_found() -> None:
    before, after = resting(), resting()
    del after.seats[ONE]
    with pytest.raises(LawBroken):
        require_lawful(before, after, [])
