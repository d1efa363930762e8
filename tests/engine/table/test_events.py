"""Events of a table: all public, each with its tag, and the same after a journey through JSON."""

from typing import get_args

import msgspec
import pytest

from engine.rules.events import HandEvent, PublicEvent
from engine.table.events import AnyEvent, TableEvent
from tests.engine.table.desk import Desk, config

KINDS = get_args(TableEvent)


@pytest.mark.parametrize("kind", KINDS)
def test_what_happens_at_a_table_besides_the_hand_hides_nothing(kind: type) -> None:
    assert issubclass(kind, PublicEvent)


def test_no_two_events_share_a_tag() -> None:
    kinds = (*KINDS, *get_args(HandEvent))
    assert len({kind.__struct_config__.tag for kind in kinds}) == len(kinds)


def test_every_event_of_a_busy_table_comes_back_from_json_as_it_was() -> None:
    desk = Desk(config(time_bank_ms=1_000))
    for player in ("ann", "bob", "cid"):
        desk.sit(player)
    desk.deal()
    desk.top_up("ann", 10)
    desk.stand_up("bob")
    desk.wait(25_000)
    desk.play_out("call", "check", "bring_in")
    for _, _, event in desk.rows:
        assert msgspec.json.decode(msgspec.json.encode(event), type=AnyEvent) == event


def test_an_event_tells_its_kind_alone() -> None:
    desk = Desk()
    desk.sit("ann")
    assert repr(desk.rows[-1][2]) == "<PlayerSat>"
