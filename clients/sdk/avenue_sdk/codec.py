"""Frames to text and back. Tolerant of what a later server of the same protocol may add."""

from __future__ import annotations

from typing import get_args

import msgspec

from avenue_sdk.errors import ProtocolBroken
from avenue_sdk.messages import ClientFrame, Event, ServerFrame

_SERVER_TAGS = frozenset(kind.__struct_config__.tag for kind in get_args(ServerFrame))


class UnknownEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event that this SDK does not know, or of which it cannot read a field: the state after it cannot be told."""

    type: str


class UnknownFrame(msgspec.Struct, frozen=True, kw_only=True):
    """A frame of a type that this SDK does not know: a notice, and safely ignored."""

    type: str


class EventsInPart(msgspec.Struct, frozen=True, kw_only=True):
    """An `events` frame with something unknown in it; `events` ends with the first unknown one."""

    seq: int
    at_ms: int
    events: tuple[Event | UnknownEvent, ...]


class _Head(msgspec.Struct):
    type: str


class _RawEvents(msgspec.Struct, tag_field="type", tag="events"):
    seq: int
    at_ms: int
    events: list[msgspec.Raw]


_encoder = msgspec.json.Encoder()
_frame_decoder: msgspec.json.Decoder[ServerFrame] = msgspec.json.Decoder(ServerFrame)
_head_decoder = msgspec.json.Decoder(_Head)
_raw_decoder = msgspec.json.Decoder(_RawEvents)
_event_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def write_frame(frame: ClientFrame) -> str:
    """Give the frame as the text to be sent."""
    return _encoder.encode(frame).decode()


def read_frame(text: str | bytes) -> ServerFrame | EventsInPart | UnknownFrame:
    """Read a server's frame; raises `ProtocolBroken` for what is none.

    An unknown event makes an `EventsInPart`, an unknown kind of frame an `UnknownFrame`.
    """
    try:
        return _frame_decoder.decode(text)
    except msgspec.ValidationError as error:
        return _read_in_part(text, error)
    except msgspec.DecodeError as error:
        raise ProtocolBroken("a frame that is no JSON") from error


def _read_in_part(text: str | bytes, error: msgspec.ValidationError) -> EventsInPart | UnknownFrame:
    try:
        kind = _head_decoder.decode(text).type
        if kind not in _SERVER_TAGS:
            return UnknownFrame(type=kind)
        if kind != "events":
            raise ProtocolBroken(f"a frame of type {kind!r} that cannot be read: {error}") from error
        raw = _raw_decoder.decode(text)
    except msgspec.ValidationError as broken:
        raise ProtocolBroken(f"a frame that cannot be read: {broken}") from broken
    events: list[Event | UnknownEvent] = []
    for one in raw.events:
        try:
            events.append(_event_decoder.decode(one))
        except msgspec.ValidationError:
            events.append(UnknownEvent(type=_type_of(one)))
            break
    return EventsInPart(seq=raw.seq, at_ms=raw.at_ms, events=tuple(events))


def _type_of(event: msgspec.Raw) -> str:
    try:
        return _head_decoder.decode(event).type
    except msgspec.ValidationError:
        return ""
