"""A client's fold of events against the server's own state: a snapshot at any moment tells what the events told."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avenue_sdk.errors import ProtocolBroken
from avenue_sdk.fold import fold
from avenue_sdk.messages import Checked, Event, TableOpened, TableView
from tests.clients.world import PLAYERS, Told, World, event_text, view_text

EVENT: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
VIEW = msgspec.json.Decoder(TableView)


@settings(max_examples=20)
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_b127_a_snapshot_equals_the_fold_of_events_at_each_prefix_for_every_viewer(seed: int) -> None:
    told = World(seed).run(hands=3)
    for viewer in (None, *PLAYERS):
        assert_fold_is_snapshot(told, viewer)


def assert_fold_is_snapshot(told: list[Told], viewer: str | None) -> None:
    view: TableView | None = None
    for one in told:
        event = EVENT.decode(event_text(one, viewer))  # type: ignore[arg-type]
        view = fold(view, event, one.at_ms)
        snapshot = VIEW.decode(view_text(one.after, viewer))  # type: ignore[arg-type]
        assert view == snapshot, f"after {type(event).__name__}, number {one.after.seq}, as {viewer} sees it"


def test_the_random_worlds_meet_every_event_of_a_table() -> None:
    met = {type(EVENT.decode(event_text(one, None))) for seed in range(60) for one in World(seed).run(hands=6)}
    missing = set(Event.__args__) - met
    assert not missing, f"the fold of these was not tested: {missing}"


def test_a_table_opens_first_and_once() -> None:
    first = World(1).told[0]
    opened = EVENT.decode(event_text(first, None))
    assert isinstance(opened, TableOpened)
    with pytest.raises(ProtocolBroken):
        fold(None, Checked(seat=1), 0)
    view = fold(None, opened, first.at_ms)
    assert view.seq == 1
    with pytest.raises(ProtocolBroken):
        fold(view, Checked(seat=1), 0)
