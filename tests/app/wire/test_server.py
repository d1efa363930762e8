"""What a server says, as text, and that its frames tell a log nothing."""

from typing import get_args

import pytest

from app.wire.frames import encode
from app.wire.server import Ack, Error, Events, ServerFrame
from engine.rules.actions import SeatNo
from engine.rules.cards import Card
from engine.rules.events import CardDealt, Checked


def test_every_frame_has_a_type_of_its_own() -> None:
    tags = ["snapshot", "events", "ack", "error", "paused", "going_on"]
    assert [kind.__struct_config__.tag for kind in get_args(ServerFrame)] == tags


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (Ack(id="a", seq=7), '{"type":"ack","id":"a","seq":7}'),
        (Error(id=None, code="frame/bad_json"), '{"type":"error","id":null,"code":"frame/bad_json","fields":{}}'),
        (
            Events(seq=7, at_ms=1_000, events=(Checked(seat=SeatNo(2)),)),
            '{"type":"events","seq":7,"at_ms":1000,"events":[{"type":"checked","seat":2}]}',
        ),
    ],
)
def test_frames_as_text(frame: ServerFrame, text: str) -> None:
    assert encode(frame) == text


def test_a_frame_s_repr_holds_no_card() -> None:
    dealt = CardDealt(seat=SeatNo(2), street=3, card=Card("As"), face="down")
    assert repr(Events(seq=7, at_ms=1_000, events=(dealt,))) == "<Events>"
    assert repr(Error(id="a", code="action/not_offered", fields={"secret": "As"})) == "<Error>"
