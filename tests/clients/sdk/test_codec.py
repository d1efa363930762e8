"""Reading what this server sends, what a later one may add, and what is no frame at all."""

from __future__ import annotations

import json

import pytest

from avenue_sdk.codec import EventsInPart, UnknownEvent, UnknownFrame, read_frame, write_frame
from avenue_sdk.errors import ProtocolBroken
from avenue_sdk.messages import Ack, Act, Call, Checked, Error, Events, Hello, Sit

CHECKED = {"type": "checked", "seat": 3}


def events(*events: dict[str, object]) -> str:
    return json.dumps({"type": "events", "seq": 8, "at_ms": 1_000, "events": events})


def test_frames_of_this_server_are_read() -> None:
    assert read_frame('{"type": "ack", "id": "a", "seq": 3}') == Ack(id="a", seq=3)
    assert read_frame(b'{"type": "error", "id": null, "code": "frame/bad_json", "fields": {}}') == Error(
        id=None, code="frame/bad_json", fields={}
    )
    assert read_frame(events(CHECKED)) == Events(seq=8, at_ms=1_000, events=(Checked(seat=3),))


def test_commands_are_written_as_the_protocol_has_them() -> None:
    assert json.loads(write_frame(Hello())) == {"type": "hello"}
    assert json.loads(write_frame(Sit(id="a", buy_in_chips=40))) == {
        "type": "sit",
        "id": "a",
        "buy_in_chips": 40,
        "seat": None,
    }
    act = Act(id="b", hand="h", turn=2, action=Call(to_chips=20))
    assert json.loads(write_frame(act))["action"] == {"verb": "call", "to_chips": 20}


def test_unknown_fields_are_ignored() -> None:
    assert read_frame(events({**CHECKED, "mood": "calm"})) == Events(seq=8, at_ms=1_000, events=(Checked(seat=3),))
    assert read_frame('{"type": "ack", "id": "a", "seq": 3, "took_ms": 5}') == Ack(id="a", seq=3)


def test_an_unknown_kind_of_frame_is_a_notice() -> None:
    assert read_frame('{"type": "chat", "text": "hello"}') == UnknownFrame(type="chat")


def test_what_comes_before_an_unknown_event_is_known() -> None:
    frame = read_frame(events(CHECKED, {"type": "rabbit_hunted", "card": "As"}, CHECKED))
    assert frame == EventsInPart(seq=8, at_ms=1_000, events=(Checked(seat=3), UnknownEvent(type="rabbit_hunted")))


@pytest.mark.parametrize(
    "event",
    [
        {"type": "sat_out", "seat": 3, "reason": "a_later_reason"},
        {"type": "checked"},
        {"type": "checked", "seat": "3"},
    ],
)
def test_an_event_that_cannot_be_read_is_as_unknown_as_one_that_was_never_heard_of(event: dict[str, object]) -> None:
    assert read_frame(events(event)) == EventsInPart(
        seq=8, at_ms=1_000, events=(UnknownEvent(type=str(event["type"])),)
    )


def test_an_event_without_a_type_is_unknown_too() -> None:
    assert read_frame(events({"seat": 3})) == EventsInPart(seq=8, at_ms=1_000, events=(UnknownEvent(type=""),))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '"ack"',
        "{}",
        '{"type": 5}',
        '{"type": "ack", "id": "a"}',
        '{"type": "snapshot", "now_ms": 1}',
        '{"type": "events", "seq": 8}',
        '{"type": "events", "seq": 8, "at_ms": 1, "events": {}}',
    ],
)
def test_what_is_no_frame_breaks_the_protocol(text: str) -> None:
    with pytest.raises(ProtocolBroken):
        read_frame(text)
