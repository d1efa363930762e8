"""The events of a hand as the journal and the wire have them."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from engine.rules.actions import SeatNo
from engine.rules.cards import Card
from engine.rules.events import (
    BetMade,
    CardDealt,
    Event,
    HandEvent,
    HandStarted,
    PotAwarded,
    Raised,
    Share,
    TabledHand,
    Wagered,
)
from tests.engine.rules.hands import even, seven, told

TAGS = {
    "HandStarted": "hand_started",
    "AntePosted": "ante_posted",
    "CardBurnt": "card_burnt",
    "CardDealt": "card_dealt",
    "CommonCardDealt": "common_card_dealt",
    "RoundOpened": "round_opened",
    "BringInPosted": "bring_in_posted",
    "Completed": "completed",
    "BetMade": "bet",
    "Raised": "raised",
    "Called": "called",
    "Checked": "checked",
    "Folded": "folded",
    "UncalledReturned": "uncalled_returned",
    "BetsCollected": "bets_collected",
    "HandsTabled": "hands_tabled",
    "HandShown": "hand_shown",
    "HandMucked": "hand_mucked",
    "RakeTaken": "rake_taken",
    "PotAwarded": "pot_awarded",
    "HandEnded": "hand_ended",
    "HandCancelled": "hand_cancelled",
}
"""A journal outlives the code that wrote it: these names stay."""


def test_the_names_of_events_on_the_wire_stay() -> None:
    assert {kind.__name__: kind.__struct_config__.tag for kind in get_args(HandEvent)} == TAGS


def test_an_event_reads_back_as_it_was_written() -> None:
    _, events = seven("3:bring 1:complete 2:raise 3:fold 1:call", stacks={1: 100, 2: 21, 3: 50})
    written = msgspec.json.encode(events)
    assert msgspec.json.decode(written, type=list[HandEvent]) == events
    assert {one["type"] for one in msgspec.json.decode(written)} <= set(TAGS.values())


def test_an_event_as_json() -> None:
    raised = Raised(seat=SeatNo(2), to_chips=20, added_chips=18, stack_chips=80, all_in=False, full=True, big=False)
    assert msgspec.json.decode(msgspec.json.encode(raised)) == {
        "type": "raised",
        "seat": 2,
        "to_chips": 20,
        "added_chips": 18,
        "stack_chips": 80,
        "all_in": False,
        "full": True,
        "big": False,
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"folded","seat":"1"}',
        '{"type":"folded","seat":1.5}',
        '{"type":"folded","seat":true}',
        '{"type":"folded"}',
        '{"type":"vanished","seat":1}',
        '{"seat":1}',
    ],
)
def test_what_is_no_event_is_not_read(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=HandEvent)


def test_a_fact_does_not_change() -> None:
    dealt: Any = CardDealt(seat=SeatNo(1), street=3, card=Card("As"), face="down")
    with pytest.raises(AttributeError):
        dealt.card = Card("Ac")


def test_reprs_name_the_kind_alone() -> None:
    _, events = seven(stacks=even(100, seats=3))
    assert {repr(event) for event in events} == {f"<{type(event).__name__}>" for event in events}
    assert repr(TabledHand(seat=SeatNo(1), cards=(Card("As"),))) == "<TabledHand>"
    assert "As" not in str([CardDealt(seat=SeatNo(1), street=3, card=Card("As"), face="down")])


def test_the_first_event_holds_all_that_decides_the_hand() -> None:
    _, events = seven(stacks=even(100, seats=3))
    started = told(events, HandStarted)[0]
    assert events[0] is started
    assert len(started.deck) == 52
    assert (started.variant.game, started.rules, started.dealer) == ("stud7", 1, 0)


def test_wagers_are_one_family() -> None:
    assert issubclass(BetMade, Wagered)
    assert all(issubclass(kind, Event) for kind in get_args(HandEvent))


def test_b080_what_is_told_of_a_win_is_what_was_paid() -> None:
    """Two pots with different winners: each award names its pot, its seat and its chips, and they are the stacks."""
    tokens = "3:bring 1:complete 2:call 3:call 1:bet 3:call" + 3 * " 1:check 3:check"
    hand, events = seven(tokens, stacks={1: 100, 2: 11, 3: 100})
    assert told(events, PotAwarded) == [
        PotAwarded(pot=1, shares=(Share(seat=SeatNo(1), amount_chips=20),)),
        PotAwarded(pot=0, shares=(Share(seat=SeatNo(2), amount_chips=33),)),
    ]
    won: dict[int, int] = {}
    for event in told(events, PotAwarded):
        for share in event.shares:
            won[share.seat] = won.get(share.seat, 0) + share.amount_chips
    for player in hand.players:
        assert player.stack_chips == player.start_chips - player.total_chips + won.get(player.seat, 0)
