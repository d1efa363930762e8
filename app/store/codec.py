"""The one door between events and the journal's bytes: whatever is sealed or changed at rest is done here.

Every row carries the number of its format. A format that was released is read for ever (`tests/golden`); a new one gets
a new number and a reader beside the old ones. What is secret in an event is what `engine/rules/views.py` keeps from
the public, and there is no way to write it otherwise than sealed.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple, get_type_hints

import msgspec
from msgspec.structs import replace

from app.store.errors import UnreadableEvent
from app.store.sealing import HandSeal
from engine.rules.errors import LawBroken
from engine.rules.events import Event, PublicEvent
from engine.rules.views import view_event
from engine.table.events import AnyEvent

PLAIN_JSON: Final = 1
"""The event as JSON. The first versions wrote every event so, cards in the open."""

SEALED_JSON: Final = 2
"""The public's view of the event as JSON, a line's end, and sealed the fields that the public does not see."""


class EncodedEvent(NamedTuple):
    """An event at rest."""

    format: int
    type: str
    payload: bytes

    def __repr__(self) -> str:
        return f"<EncodedEvent {self.type}>"


class EventCodec:
    """Turns events into what the journal keeps, and back."""

    def __init__(self) -> None:
        self._encoder = msgspec.json.Encoder()
        self._decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
        self._fields: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])

    def encode(self, event: AnyEvent, *, seq: int, seal: HandSeal | None) -> EncodedEvent:
        """Give what is kept of the event with that number; `seal` is that of the running hand, if one runs.

        Raises `LawBroken` for an event with a secret where no hand's seal is there.
        """
        kind = _kind_of(type(event))
        if isinstance(event, PublicEvent):
            return EncodedEvent(PLAIN_JSON, kind, self._encoder.encode(event))
        seen = view_event(event, None)
        public = self._encoder.encode(seen)
        if seen is event:
            return EncodedEvent(PLAIN_JSON, kind, public)
        if seal is None:
            raise LawBroken(law="what is secret is sealed before it is written", type=kind)
        hidden = {
            name: secret for name in event.__struct_fields__ if (secret := getattr(event, name)) != getattr(seen, name)
        }
        sealed = seal.close(self._encoder.encode(hidden), seq=seq, public=public)
        return EncodedEvent(SEALED_JSON, kind, b"%b\n%b" % (public, sealed))

    def decode(self, *, format: int, payload: bytes, seq: int, seal: HandSeal | None) -> AnyEvent:
        """Read an event back whole. Raises `UnreadableEvent`, which says nothing of what stands there."""
        public, sealed = split(format=format, payload=payload)
        if format == PLAIN_JSON:
            return self._read(public, format)
        if seal is None:
            raise UnreadableEvent(reason="no_key", format=format)
        hidden = seal.open(sealed, seq=seq, public=public)
        event = self._read(public, format)
        types = _types_in(type(event))
        try:
            found = {name: msgspec.convert(value, types[name]) for name, value in self._fields.decode(hidden).items()}
            return replace(event, **found)
        except (msgspec.MsgspecError, UnicodeDecodeError, KeyError):
            raise UnreadableEvent(reason="not_an_event", format=format) from None

    def public(self, *, format: int, payload: bytes) -> AnyEvent:
        """Read what the public may see of an event, which takes no key. Raises `UnreadableEvent`."""
        public, _ = split(format=format, payload=payload)
        return view_event(self._read(public, format), None)

    def _read(self, text: bytes, format: int) -> AnyEvent:
        try:
            return self._decoder.decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise UnreadableEvent(reason="not_an_event", format=format) from None


def split(*, format: int, payload: bytes) -> tuple[bytes, bytes]:
    """A payload's JSON and its sealed part, which is empty in a plain one. Raises `UnreadableEvent`."""
    if not isinstance(payload, bytes):
        # SQLite keeps text in a column of bytes, if somebody puts it there.
        raise UnreadableEvent(reason="not_bytes", format=format)
    if format == PLAIN_JSON:
        return payload, b""
    if format != SEALED_JSON:
        raise UnreadableEvent(reason="unknown_format", format=format)
    # JSON as it is written here holds no line's end.
    public, _, sealed = payload.partition(b"\n")
    return public, sealed


def join(*, format: int, public: bytes, sealed: bytes) -> bytes:
    """The payload that `split` came from."""
    return public if format == PLAIN_JSON else b"%b\n%b" % (public, sealed)


@cache
def _kind_of(event: type[Event]) -> str:
    return str(event.__struct_config__.tag)


@cache
def _types_in(event: type[Event]) -> dict[str, Any]:
    """The types of an event's fields by name."""
    return get_type_hints(event)
