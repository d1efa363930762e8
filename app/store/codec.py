"""The one door between events and the journal's bytes: whatever is to be sealed or changed at rest is done here.

Every row carries the number of its format. A format that was released is read for ever; a new one gets a new number and
a reader beside the old ones.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from app.store.errors import UnreadableEvent
from engine.table.events import AnyEvent

PLAIN_JSON: Final = 1
"""The event as JSON, its cards in the open."""


class EncodedEvent(NamedTuple):
    """An event at rest. `payload` may hold hidden cards: it goes into the journal and nowhere else."""

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

    def encode(self, event: AnyEvent) -> EncodedEvent:
        return EncodedEvent(PLAIN_JSON, str(event.__struct_config__.tag), self._encoder.encode(event))

    def decode(self, *, format: int, payload: bytes) -> AnyEvent:
        """Read an event back. Raises `UnreadableEvent`, which says nothing of what stands there."""
        if format != PLAIN_JSON:
            raise UnreadableEvent(reason="unknown_format", format=format)
        try:
            return self._decoder.decode(payload)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise UnreadableEvent(reason="not_an_event", format=format) from None
