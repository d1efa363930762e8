"""A client's text frame as a struct, or a refusal that says what is wrong with it and nothing of what was sent."""

from __future__ import annotations

import re
from typing import Final, get_args

import msgspec

from app.refusals import BadCommandId, BadFrameField, BadFrameJson, FrameRefused, FrameTooLarge, UnknownFrameType
from app.wire.client import ClientFrame, CommandId
from app.wire.server import ServerFrame
from engine.limits import MAX_COMMAND_ID_CHARS, MAX_FRAME_BYTES


class Unreadable(Exception):
    """A frame that is refused before it is a command. `frame_id` is its id, where it has one that can be read."""

    def __init__(self, refusal: FrameRefused, *, frame_id: str | None = None) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal
        self.frame_id = frame_id


def decode(text: str) -> ClientFrame:
    """Read a frame: every field of its very type, none missing, none too many. Raises `Unreadable`.

    Where a name stands twice in one object, the last one counts.
    """
    if _byte_length(text) > MAX_FRAME_BYTES:
        raise Unreadable(FrameTooLarge(max_bytes=MAX_FRAME_BYTES))
    try:
        return _frames.decode(text)
    except msgspec.ValidationError as error:
        raise _explained(text, error) from None
    except (msgspec.DecodeError, RecursionError):
        raise Unreadable(BadFrameJson()) from None


def encode(frame: ServerFrame) -> str:
    """A frame as the text that goes out."""
    return _encoder.encode(frame).decode()


class _Head(msgspec.Struct):
    """What can be read of a frame that is no valid one."""

    type: msgspec.Raw = msgspec.Raw(b"null")
    id: msgspec.Raw = msgspec.Raw(b"null")


_frames: Final[msgspec.json.Decoder[ClientFrame]] = msgspec.json.Decoder(ClientFrame)
_heads: Final = msgspec.json.Decoder(_Head)
_ids: Final[msgspec.json.Decoder[str]] = msgspec.json.Decoder(CommandId)
_words: Final = msgspec.json.Decoder(str)
_encoder: Final = msgspec.json.Encoder()

_TYPES: Final = frozenset(str(struct.__struct_config__.tag) for struct in get_args(ClientFrame))
_PATH: Final = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")


def _explained(text: str, error: msgspec.ValidationError) -> Unreadable:
    """Look again at a frame that is JSON but not one of ours: which of its parts is to blame?"""
    try:
        head = _heads.decode(text)
    except msgspec.ValidationError:
        return Unreadable(BadFrameField(at=""))
    except (msgspec.DecodeError, RecursionError):
        return Unreadable(BadFrameJson())
    frame_id = _read(_ids, head.id)
    if _read(_words, head.type) not in _TYPES:
        return Unreadable(UnknownFrameType(), frame_id=frame_id)
    if frame_id is None and _read(_words, head.type) != "hello":
        return Unreadable(BadCommandId(max_chars=MAX_COMMAND_ID_CHARS))
    found = _PATH.search(str(error))
    return Unreadable(BadFrameField(at=found["path"] if found else ""), frame_id=frame_id)


def _read(decoder: msgspec.json.Decoder[str], raw: msgspec.Raw) -> str | None:
    try:
        return decoder.decode(raw)
    except msgspec.DecodeError:
        return None


def _byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
