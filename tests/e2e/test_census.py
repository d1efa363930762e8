"""The census finds a card that somebody may not know, wherever it stands; planted by hand into what he was sent."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from engine.rules.events import CardBurnt, CardDealt, HandEnded, HandShown
from engine.rules.views import view_event
from engine.table.views import hand_seat
from tests.clients.world import PLAYERS, Told, World
from tests.e2e.census import CARD, Census, told_without_a_gap
from tests.e2e.journal import Row
from tests.e2e.recording import Received


@pytest.fixture(scope="module")
def told() -> list[Told]:
    """Some hands with folds, showdowns and mucked cards."""
    world = World(21, seated=5)
    return world.run(hands=8)


def sent(told: list[Told], viewer: str | None) -> Received:
    """What the viewer was sent, one event in each frame."""
    received = Received(table="table-1", player=viewer)
    for one in told:
        seat = hand_seat(one.cast, viewer)  # type: ignore[arg-type]
        event = json.loads(_json(view_event(one.event, seat)))
        received.frames.append(json.dumps({"type": "events", "seq": one.after.seq, "at_ms": 1, "events": [event]}))
    return received


def _json(value: Any) -> bytes:
    return msgspec.json.encode(value)


def census_of(told: list[Told]) -> Census:
    return Census([Row(one.after.seq, one.event) for one in told])


@pytest.mark.parametrize("viewer", [None, *PLAYERS[:3]])
def test_what_the_views_let_out_is_what_one_may_know(told: list[Told], viewer: str | None) -> None:
    assert census_of(told).check(sent(told, viewer)) > 20


def test_the_views_of_everybody_together_hold_down_cards(told: list[Told]) -> None:
    """Otherwise the cases below would show nothing."""
    assert any(isinstance(one.event, CardDealt) and one.event.face == "down" for one in told)
    assert any(isinstance(one.event, HandShown) for one in told)


def planted(told: list[Told], event: Any, index: int) -> Received:
    received = sent(told, None)
    frame = {"type": "events", "seq": told[index].after.seq, "at_ms": 1, "events": [json.loads(_json(event))]}
    received.frames[index] = json.dumps(frame)
    return received


def test_a_down_card_before_it_is_shown_is_found(told: list[Told]) -> None:
    index = next(at for at, one in enumerate(told) if isinstance(one.event, CardDealt) and one.event.face == "down")
    with pytest.raises(AssertionError, match="a spectator was sent a card"):
        census_of(told).check(planted(told, told[index].event, index))


def test_another_s_down_card_is_found_where_its_owner_s_is_not(told: list[Told]) -> None:
    index, dealt = next(
        (at, one) for at, one in enumerate(told) if isinstance(one.event, CardDealt) and one.event.face == "down"
    )
    owner = dealt.cast[dealt.event.seat]  # type: ignore[union-attr]
    stranger = next(player for player in dealt.cast.values() if player != owner)
    assert census_of(told).check(sent(told, owner))
    received = sent(told, stranger)
    received.frames[index] = sent(told, owner).frames[index]
    with pytest.raises(AssertionError, match="was sent a card"):
        census_of(told).check(received)


def test_a_burnt_card_and_the_deck_are_found(told: list[Told]) -> None:
    for index, one in enumerate(told):
        if isinstance(one.event, CardBurnt) or one.event.__struct_config__.tag == "hand_started":
            with pytest.raises(AssertionError, match="was sent a card"):
                census_of(told).check(planted(told, one.event, index))


def test_a_card_after_the_hand_and_one_in_an_answer_are_found(told: list[Told]) -> None:
    received = sent(told, None)
    ended = next(at for at, one in enumerate(told) if isinstance(one.event, HandEnded))
    late = {"type": "events", "seq": told[ended].after.seq + 1, "at_ms": 1, "events": [{"type": "x", "card": "As"}]}
    received.frames.append(json.dumps(late))
    with pytest.raises(AssertionError):
        census_of(told).check(received)
    answer = {"type": "error", "id": "a", "code": "action/wrong_amount", "fields": {"hint": "As"}}
    with pytest.raises(AssertionError, match="where none belongs"):
        census_of(told).check(Received(table="t", player=None, frames=[json.dumps(answer)]))


def test_a_card_that_was_mucked_stays_unknown_for_ever(told: list[Told]) -> None:
    """Cards that were dealt down and never shown are asked for at the very last event of their hand."""
    census = census_of(told)
    for hand in census._hands:  # noqa: SLF001 - what the census has made of the journal
        assert hand.last_seq is not None
        unseen = [(seat, card) for seat, card in hand.own_from if card not in hand.public_from]
        for seat, card in unseen:
            owner = next(player for player, place in hand.seats.items() if place == seat)
            assert hand.may_know(owner, card, hand.last_seq)
            assert not hand.may_know(None, card, hand.last_seq)
            assert not any(hand.may_know(other, card, hand.last_seq) for other in hand.seats if other != owner)


def test_a_number_that_was_left_out_or_comes_twice_is_found(told: list[Told]) -> None:
    journal = [Row(one.after.seq, one.event) for one in told]
    snapshot = json.dumps({"type": "snapshot", "table": {"seq": 0}})
    whole = Received(table="t", player=None, frames=[snapshot, *sent(told, None).frames])
    assert told_without_a_gap(whole, journal) == len(told)
    for frames in (whole.frames[:5] + whole.frames[6:], whole.frames[:5] + whole.frames[4:]):
        with pytest.raises(AssertionError):
            told_without_a_gap(Received(table="t", player=None, frames=frames), journal)


def test_cards_are_found_as_they_stand_in_json() -> None:
    assert CARD.findall('{"card": "As", "more": ["Td", "??"], "name": "Ad-lib", "ranks": ["A"]}') == ["As", "Td"]
