"""Playing a hand again from its events finds what was changed in them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.rules.errors import Refusal
from engine.rules.events import Called, HandEvent, HandStarted, PotAwarded, RoundOpened
from tests.clients.world import World
from tests.e2e.journal import Row
from tests.e2e.replay import check_replay, hands_of


@pytest.fixture(scope="module")
def hands() -> list[list[HandEvent]]:
    told = [one for seed in range(12) for one in World(seed).run(hands=5)]
    return list(hands_of([Row(one.after.seq, one.event) for one in told]))


def test_every_hand_plays_again_as_it_was(hands: list[list[HandEvent]]) -> None:
    assert len(hands) >= 60
    assert {str(hand[-1].__struct_config__.tag) for hand in hands} == {"hand_ended", "hand_cancelled"}
    for hand in hands:
        assert isinstance(hand[0], HandStarted)
        check_replay(hand)


@pytest.mark.parametrize("kind", [PotAwarded, RoundOpened])
def test_an_event_that_was_changed_is_found(hands: list[list[HandEvent]], kind: type[HandEvent]) -> None:
    hand = next(hand for hand in hands if any(isinstance(event, kind) for event in hand))
    index = next(at for at, event in enumerate(hand) if isinstance(event, kind))
    field = "pot" if kind is PotAwarded else "street"
    changed = [*hand]
    changed[index] = replace(hand[index], **{field: getattr(hand[index], field) + 1})
    with pytest.raises(AssertionError, match=f"event {index}"):
        check_replay(changed)


def test_a_card_that_was_changed_in_the_deck_is_found(hands: list[list[HandEvent]]) -> None:
    hand = hands[0]
    first = hand[0]
    assert isinstance(first, HandStarted)
    swapped = (first.deck[1], first.deck[0], *first.deck[2:])
    with pytest.raises((AssertionError, Refusal)):
        check_replay([replace(first, deck=swapped), *hand[1:]])


def test_an_event_that_was_left_out_is_found(hands: list[list[HandEvent]]) -> None:
    hand = next(hand for hand in hands if any(isinstance(event, Called) for event in hand))
    index = next(at for at, event in enumerate(hand) if isinstance(event, Called))
    with pytest.raises((AssertionError, Refusal)):
        check_replay([*hand[:index], *hand[index + 1 :]])
