"""What a bot reads off the table, held against the engine's own hand; and that it can change none of it."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avenue_sdk.messages import Event
from avenue_sdk.state import HIDDEN, TableState
from engine.table.state import TableState as RealState
from tests.clients.world import PLAYERS, World, event_text, seen_by

EVENT: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


@settings(max_examples=15)
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_what_is_read_off_is_what_the_hand_is(seed: int) -> None:
    for told in World(seed).run(hands=2):
        real = told.after
        for viewer in (None, *PLAYERS[:3]):
            assert_true_of(seen_by(real, viewer), real, viewer)


def assert_true_of(state: TableState, real: RealState, viewer: str | None) -> None:
    assert (state.seq, state.at_ms) == (real.seq, real.at_ms)
    assert len(state.free_seats) + len(real.seats) == real.config.variant.seats
    turn = None if state.seat is None else real.turns.get(state.seat)  # type: ignore[call-overload]
    assert (state.my_turn is None) == (turn is None)
    assert (state.options is None) == (turn is None)
    if real.hand is None:
        assert state.hand is None
        assert (state.my_cards, state.boards, state.pots, state.pot_chips, state.dead_cards) == ((), {}, (), 0, ())
        return
    players = {player.seat: player for player in real.hand.players}
    assert state.pot_chips == real.hand.chips_in_play()
    assert state.boards == {seat: tuple(one.board()) for seat, one in players.items() if not one.folded}
    mine = next((player for player in players.values() if player.player == viewer), None)
    common = () if real.hand.common is None else (real.hand.common,)
    if mine is None:
        assert (state.my_hand, state.my_cards, state.to_call_chips) == (None, (), 0)
    else:
        assert state.my_cards == (*mine.cards, *common)
        assert HIDDEN not in state.my_cards
        if turn is not None:
            call = state.options.call if state.options else None
            assert state.to_call_chips == (0 if call is None else call.added_chips)
    assert_known_cards(state, real, viewer)


def assert_known_cards(state: TableState, real: RealState, viewer: str | None) -> None:
    assert real.hand is not None
    known = {*([real.hand.common] if real.hand.common else [])}
    dead = set()
    for player in real.hand.players:
        faces = zip(player.cards, player.faces, strict=True)
        cards = {card for card, face in faces if face != "down" or player.shown or player.player == viewer}
        known |= cards
        if player.folded and player.player != viewer:
            dead |= cards
    assert set(state.seen_cards) == known
    assert len(state.seen_cards) == len(known)
    assert set(state.dead_cards) == dead


@settings(max_examples=10)
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_events_keep_who_i_am_and_where_i_sit(seed: int) -> None:
    told = World(seed).run(hands=2)
    state = seen_by(told[0].after, PLAYERS[0])
    for one in told[1:]:
        state = state.after(EVENT.decode(event_text(one, PLAYERS[0])), one.at_ms)
        assert state == seen_by(one.after, PLAYERS[0])


def test_b187_a_bot_gets_values_that_it_can_neither_change_nor_follow_anywhere() -> None:
    world = World(3)
    while not world.state.turns:
        world.step()
    seat = next(iter(world.state.turns))
    state = seen_by(world.state, world.state.cast[seat])
    walked: list[object] = [state, state.options]
    for thing in walked:
        if isinstance(thing, msgspec.Struct):
            assert thing.__struct_config__.frozen, f"{type(thing).__name__} can be changed"
            walked += [getattr(thing, field) for field in thing.__struct_fields__]
        elif isinstance(thing, tuple):
            walked += thing
        else:
            assert thing is None or isinstance(thing, str | int | bool), type(thing)
    with pytest.raises(AttributeError):
        state.table = None  # type: ignore[assignment, misc]
    hidden = {card for one in world.state.hand.players if one.seat != seat for card in one.cards[:1]}  # type: ignore[union-attr]
    assert not hidden & {text for text in walked if isinstance(text, str)}
