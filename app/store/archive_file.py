"""Archives as files: hands that left the journal, as lines of JSON, compressed.

    {"type": "archive", "format": 1, …}                 the first line
    {"type": "table", "table": …, "first_seq": …, "last_seq": …}
    {"type": "hand", …}                                 its hands, in their order, with players and wrapped key
    {"type": "event", "seq": …, …}                      its events, in their order, from first_seq to last_seq
    {"type": "end", "sha256": …}                        the last line; the digest is of all lines before it

Each table comes as a whole after the other. An event stands as it stood in the journal: `public` is its JSON and
`sealed` what is sealed, so the file keeps the cards as secret as the database did, and opens with the same keys.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from app.store.codec import join, split
from app.store.errors import BadArchive

FORMAT = 1
"""Goes up when the lines change their meaning."""


class Head(msgspec.Struct, frozen=True, tag="archive"):
    """`before_ms`: every hand in the file ended before."""

    format: int
    made_ms: int
    before_ms: int


class ArchivedTable(msgspec.Struct, frozen=True, tag="table"):
    table: str
    currency: str
    config: str
    first_seq: int
    last_seq: int


class ArchivedPlayer(msgspec.Struct, frozen=True):
    seat: int
    player: str
    start_chips: int
    net_chips: int


class ArchivedHand(msgspec.Struct, frozen=True, tag="hand"):
    """A hand's row. Its events are the table's from `first_seq` to `last_seq`."""

    hand: str
    number: int
    game: str
    rules: int
    started_ms: int
    ended_ms: int
    outcome: str
    cancel_reason: str | None
    first_seq: int
    last_seq: int
    pot_chips: int
    rake_chips: int
    key_id: str | None
    wrapped_key: bytes | None
    players: tuple[ArchivedPlayer, ...]

    def __repr__(self) -> str:
        return f"<ArchivedHand {self.hand}>"


class ArchivedEvent(msgspec.Struct, frozen=True, tag="event", omit_defaults=True):
    """A row of the journal."""

    seq: int
    at_ms: int
    format: int
    kind: str
    public: str
    sealed: bytes = b""

    @property
    def payload(self) -> bytes:
        return join(format=self.format, public=self.public.encode(), sealed=self.sealed)

    def __repr__(self) -> str:
        return f"<ArchivedEvent {self.seq}>"


class End(msgspec.Struct, frozen=True, tag="end"):
    tables: int
    hands: int
    events: int
    sha256: str


Line: TypeAlias = Head | ArchivedTable | ArchivedHand | ArchivedEvent
_decoder: msgspec.json.Decoder[Line | End] = msgspec.json.Decoder(Line | End)


def archived_event(*, seq: int, at_ms: int, format: int, kind: str, payload: bytes) -> ArchivedEvent:
    """A row as a line. Raises `UnreadableEvent` for one of a format that is not known here."""
    public, sealed = split(format=format, payload=payload)
    return ArchivedEvent(seq=seq, at_ms=at_ms, format=format, kind=kind, public=public.decode(), sealed=sealed)


def write_archive(path: Path, lines: Iterable[Line]) -> End:
    """Write a new archive. When this returns it is whole and on the disk; before that there is a draft beside it.

    Raises `FileExistsError` for a path that is taken.
    """
    draft = draft_path(path)
    with _private(draft) as raw:
        # Without a time or a name in it: the same hands give the same file.
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as file:
            end = _write_lines(file, lines)
        raw.flush()
        os.fsync(raw.fileno())
    os.link(draft, path)
    os.unlink(draft)
    _sync_folder(path.parent)
    return end


def read_archive(path: Path) -> Iterator[Line]:
    """Read an archive line by line. Raises `BadArchive` as soon as it is not one, is cut off or was changed.

    What was given before the end is known to be right only at the end.
    """
    digest = hashlib.sha256()
    counted: dict[type, int] = {}
    try:
        with gzip.open(path, "rb") as file:
            for number, text in enumerate(file):
                line = _decoder.decode(text)
                if number == 0 and not (isinstance(line, Head) and line.format == FORMAT):
                    raise BadArchive(reason="unknown_format", file=path.name)
                if isinstance(line, End):
                    _require_end(line, _end(counted, digest.hexdigest()), path)
                    if file.read(1):
                        raise BadArchive(reason="goes_on", file=path.name)
                    return
                digest.update(text)
                counted[type(line)] = counted.get(type(line), 0) + 1
                yield line
    except (gzip.BadGzipFile, EOFError, zlib.error, msgspec.MsgspecError, UnicodeDecodeError):
        raise BadArchive(reason="unreadable", file=path.name) from None
    raise BadArchive(reason="cut_off", file=path.name)


def draft_path(path: Path) -> Path:
    """Where an archive is written until it is whole."""
    return path.with_name(path.name + ".partial")


def _write_lines(file: Any, lines: Iterable[Line]) -> End:
    digest = hashlib.sha256()
    counted: dict[type, int] = {}
    for line in lines:
        text = msgspec.json.encode(line) + b"\n"
        file.write(text)
        digest.update(text)
        counted[type(line)] = counted.get(type(line), 0) + 1
    end = _end(counted, digest.hexdigest())
    file.write(msgspec.json.encode(end) + b"\n")
    return end


def _end(counted: dict[type, int], sha256: str) -> End:
    tables, hands, events = (counted.get(kind, 0) for kind in (ArchivedTable, ArchivedHand, ArchivedEvent))
    return End(tables=tables, hands=hands, events=events, sha256=sha256)


def _require_end(found: End, wanted: End, path: Path) -> None:
    if found != wanted:
        raise BadArchive(reason="changed", file=path.name)


@contextmanager
def _private(path: Path) -> Iterator[Any]:
    """A file for its owner alone; what an earlier try left there is written over."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(fd, "wb") as file:
        yield file


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
