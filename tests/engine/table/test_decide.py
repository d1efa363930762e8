"""One door for every command: what it is, what refuses it, and that a refusal leaves no trace."""

from typing import Any, get_args

import pytest
from msgspec.structs import replace

from engine.limits import MAX_CHIPS
from engine.rules.actions import Call, Fold
from engine.rules.cards import DECK
from engine.rules.errors import BadVariant, Refusal
from engine.rules.events import HandId, PlayerId
from engine.table.commands import (
    Act,
    CancelHand,
    Command,
    DeadlinePassed,
    PlayerCommand,
    Resume,
    Signal,
    Sit,
    SitIn,
    SitOut,
    StandUp,
    StartHand,
    TopUp,
)
from engine.table.decide import checked_config, decide, opening
from engine.table.events import TableOpened
from tests.engine.table.desk import ANN, CONFIG, TABLE, Desk, config, fingerprint

EVERY: list[Command] = [
    Sit(player=ANN, command_id="1", name="ann", seat=None, buy_in_chips=500),
    StandUp(player=ANN, command_id="2"),
    SitOut(player=ANN, command_id="3"),
    SitIn(player=ANN, command_id="4"),
    TopUp(player=ANN, command_id="5", added_chips=10),
    Act(player=ANN, command_id="6", hand=HandId("t1-1"), turn=1, action=Fold()),
    StartHand(deck=DECK),
    DeadlinePassed(),
    Resume(),
    CancelHand(reason="fault"),
]


def busy() -> Desk:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    desk.deal()
    return desk


def test_every_kind_of_command_is_tried_here() -> None:
    assert {type(command) for command in EVERY} == {*get_args(PlayerCommand), *get_args(Signal)}


@pytest.mark.parametrize("desk", [Desk(), busy()], ids=["empty", "busy"])
@pytest.mark.parametrize("command", EVERY, ids=[type(command).__name__ for command in EVERY])
def test_deciding_never_touches_the_state_that_it_is_asked_about(command: Command, desk: Desk) -> None:
    before = fingerprint(desk.state)
    try:
        decision = decide(desk.state, command, desk.now_ms)
    except Refusal:
        pass
    else:
        assert decision.state.seq == desk.state.seq + len(decision.events)
    assert fingerprint(desk.state) == before


def test_the_same_command_at_the_same_moment_decides_the_same() -> None:
    desk = busy()
    wish = desk.wish("bring_in", desk.on_turn())
    one, two = decide(desk.state, wish, desk.now_ms), decide(desk.state, wish, desk.now_ms)
    assert one.events == two.events
    assert fingerprint(one.state) == fingerprint(two.state)


def test_b124_only_the_player_named_by_the_session_is_looked_at() -> None:
    """The command's player is the login's; the seat and the turn are found by him, never by what a frame says."""
    desk = busy()
    other = next(player for player in ("ann", "bob") if player != desk.on_turn())
    with pytest.raises(Refusal) as refused:
        desk.do(replace(desk.wish("bring_in", desk.on_turn()), player=PlayerId(other)))
    assert refused.value.code == "action/not_your_turn"


def test_a_wish_beyond_all_bounds_is_refused_like_any_other() -> None:
    desk = busy()
    for chips in (-1, 0, MAX_CHIPS, MAX_CHIPS + 1, 10**30):
        with pytest.raises(Refusal):
            desk.do(replace(desk.wish("bring_in", desk.on_turn()), action=Call(to_chips=chips)))


def test_a_table_opens_with_its_configuration() -> None:
    decision = opening(table=TABLE, config=CONFIG, now_ms=5)
    assert decision.events == (TableOpened(table=TABLE, config=CONFIG),)
    assert (decision.state.seq, decision.state.at_ms) == (1, 5)


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "x" * 41},
        {"currency": ""},
        {"min_buy_in_chips": 0},
        {"min_buy_in_chips": 300, "max_buy_in_chips": 299},
        {"min_buy_in_chips": MAX_CHIPS + 1},
        {"max_buy_in_chips": MAX_CHIPS + 1},
        {"dealer": -1},
        {"dealer": 9},
        {"turn_ms": 0},
        {"time_bank_ms": -1},
        {"pause_ms": -1},
        {"quiet_pause_ms": 2_999},
        {"absent_ms": 0},
        {"variant": replace(CONFIG.variant, small_bet_chips=0)},
        {"variant": replace(CONFIG.variant, seats=9)},
    ],
    ids=lambda fields: ",".join(fields),
)
def test_a_configuration_that_contradicts_itself_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BadVariant):
        checked_config(replace(CONFIG, **fields))


def test_a_configuration_at_its_limits() -> None:
    edges = config(name="x" * 40, min_buy_in_chips=MAX_CHIPS, max_buy_in_chips=MAX_CHIPS, dealer=8, time_bank_ms=0)
    assert checked_config(edges) == edges
