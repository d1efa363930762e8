"""A hand played again from its events comes out the same, and what was changed in it is found at its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.rules import betting, stud
from engine.rules.actions import SeatNo
from engine.rules.errors import LawBroken, Refusal
from engine.rules.events import Called, CardDealt, Folded, HandEnded, HandEvent, HandStarted, PotAwarded, Raised
from engine.rules.replay import first_difference, replayed
from engine.rules.variants import RULES_NUMBER
from tests.engine.rules.hands import five, seven
from tests.engine.rules.random_hands import Chooser, Setup, choosers, play_on, setups, whole

FOUR = {1: 300, 2: 300, 3: 300, 4: 300}


def a_hand() -> list[HandEvent]:
    return list(seven("3:bring 4:call 1:complete 2:call 3:fold 4:call 1:bet 2:raise 4:fold 1:fold", stacks=FOUR).events)


def at(events: list[HandEvent], kind: type[HandEvent]) -> int:
    return next(index for index, event in enumerate(events) if isinstance(event, kind))


@given(setups(), choosers())
def test_every_hand_comes_out_the_same(setup: Setup, chooser: Chooser) -> None:
    _, events, _ = whole(setup, chooser)
    assert replayed(events) == events
    assert first_difference(events) is None


@given(setups(), choosers(), st.integers(0, 30))
def test_so_does_a_hand_that_still_runs(setup: Setup, chooser: Chooser, turns: int) -> None:
    hand, events = setup.start()
    for _, turn in zip(range(turns), play_on(hand, chooser), strict=False):
        events += turn.events
    assert first_difference(events) is None


def test_a_cancelled_hand_comes_out_the_same() -> None:
    followed = five("1:bring 2:call", stacks={1: 300, 2: 300, 3: 300})
    events = [*followed.events, *stud.cancel(followed.hand, "fault")]
    assert first_difference(events) is None
    assert replayed(events) == events


def test_the_number_of_the_rules_is_no_difference() -> None:
    events = a_hand()
    first = events[0]
    assert isinstance(first, HandStarted)
    assert first_difference([replace(first, rules=RULES_NUMBER + 1), *events[1:]]) is None


@pytest.mark.parametrize("kind", [CardDealt, Raised, PotAwarded, HandEnded])
def test_an_event_that_was_changed_is_found_at_its_place(kind: type[HandEvent]) -> None:
    events = a_hand()
    index = at(events, kind)
    field = {CardDealt: "street", Raised: "stack_chips", PotAwarded: "pot", HandEnded: "rake_chips"}[kind]
    events[index] = replace(events[index], **{field: getattr(events[index], field) + 1})
    assert first_difference(events) == index


def test_a_deed_that_the_rules_do_not_offer_is_found_at_its_place() -> None:
    events = a_hand()
    index = at(events, Called)
    called = events[index]
    assert isinstance(called, Called)
    events[index] = replace(called, to_chips=called.to_chips + 1)
    assert first_difference(events) == index
    with pytest.raises(Refusal):
        replayed(events)


def test_an_event_that_is_missing_or_too_many_is_found() -> None:
    events = a_hand()
    index = at(events, Folded)
    assert first_difference(events[:index] + events[index + 1 :]) == index
    assert first_difference(events[:-1]) == len(events) - 1
    assert first_difference([*events, events[-1]]) == len(events)


def test_rules_that_break_on_it_decide_it_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError

    events = a_hand()
    with monkeypatch.context() as patch:
        patch.setattr(betting, "options", breaks)
        found = first_difference(events)
    assert found == at(events, type(events[found or 0]))
    assert found is not None


@pytest.mark.parametrize("events", [[], [Folded(seat=SeatNo(1))]])
def test_what_does_not_begin_with_a_hands_data_is_no_hand(events: list[HandEvent]) -> None:
    assert first_difference(events) == 0
    with pytest.raises(LawBroken):
        replayed(events)
