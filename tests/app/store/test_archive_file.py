from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from app.store.archive_file import (
    FORMAT,
    ArchivedEvent,
    ArchivedHand,
    ArchivedPlayer,
    ArchivedTable,
    End,
    Head,
    Line,
    archived_event,
    draft_path,
    read_archive,
    write_archive,
)
from app.store.errors import BadArchive, UnreadableEvent

EVENTS = (
    ArchivedEvent(seq=1, at_ms=10, format=1, kind="folded", public='{"type":"folded","seat":1}'),
    ArchivedEvent(seq=2, at_ms=11, format=2, kind="card_burnt", public='{"type":"card_burnt"}', sealed=b"\x00\n\xff"),
)
HAND = ArchivedHand(
    hand="t1-1",
    number=1,
    game="stud5",
    rules=1,
    started_ms=10,
    ended_ms=11,
    outcome="ended",
    cancel_reason=None,
    first_seq=1,
    last_seq=2,
    pot_chips=8,
    rake_chips=0,
    key_id="k",
    wrapped_key=b"\x01\x02",
    players=(ArchivedPlayer(1, "ann", 100, 4), ArchivedPlayer(2, "bob", 100, -4)),
)
LINES: tuple[Line, ...] = (
    Head(format=FORMAT, made_ms=5, before_ms=4),
    ArchivedTable(table="t1", currency="PLAY", config="{}", first_seq=1, last_seq=2),
    HAND,
    *EVENTS,
)


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl.gz"
    end = write_archive(path, LINES)
    assert (end.tables, end.hands, end.events) == (1, 1, 2)
    assert tuple(read_archive(path)) == LINES
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_hands_give_the_same_file(tmp_path: Path) -> None:
    write_archive(tmp_path / "a.gz", LINES)
    write_archive(tmp_path / "b.gz", LINES)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


@pytest.mark.parametrize("payload", [b'{"a":1}\nsealed\n\x00\xff', b'{"a":1}\n'])
def test_a_row_comes_back_byte_for_byte(payload: bytes) -> None:
    line = archived_event(seq=3, at_ms=4, format=2, kind="x", payload=payload)
    assert (line.public, line.payload) == ('{"a":1}', payload)
    plain = archived_event(seq=3, at_ms=4, format=1, kind="x", payload=b'{"a":1}')
    assert (plain.sealed, plain.payload) == (b"", b'{"a":1}')
    with pytest.raises(UnreadableEvent):
        archived_event(seq=3, at_ms=4, format=9, kind="x", payload=b"{}")


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "hands.gz"
    path.write_bytes(b"precious")
    with pytest.raises(FileExistsError):
        write_archive(path, LINES)
    assert path.read_bytes() == b"precious"


def test_a_writing_that_breaks_off_leaves_a_draft_that_the_next_one_writes_over(tmp_path: Path) -> None:
    path = tmp_path / "hands.gz"

    def broken() -> object:
        yield from LINES[:3]
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        write_archive(path, broken())  # type: ignore[arg-type]
    assert not path.exists()
    assert draft_path(path).exists()
    write_archive(path, LINES)
    assert tuple(read_archive(path)) == LINES
    assert not draft_path(path).exists()


def edited(edit: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], bytes]:
    return lambda data: gzip.compress(b"".join(edit(gzip.decompress(data).splitlines(keepends=True))))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: b"", "cut_off"),
        (lambda data: b"nothing of the kind", "unreadable"),
        (lambda data: data[: len(data) // 2], "unreadable"),
        (lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:], "unreadable"),
        (edited(lambda lines: lines[:-1]), "cut_off"),
        (edited(lambda lines: [*lines[:-2], lines[-1]]), "changed"),
        (edited(lambda lines: [lines[0], lines[1], lines[3], lines[2], *lines[4:]]), "changed"),
        (edited(lambda lines: [*lines[:3], lines[3].replace(b'\\"seat\\":1', b'\\"seat\\":2'), *lines[4:]]), "changed"),
        (edited(lambda lines: [*lines, lines[1]]), "goes_on"),
        (edited(lambda lines: [lines[0].replace(b'"format":1', b'"format":2'), *lines[1:]]), "unknown_format"),
        (edited(lambda lines: lines[1:]), "unknown_format"),
        (edited(lambda lines: [*lines[:2], b"[]\n", *lines[2:]]), "unreadable"),
    ],
)
def test_what_is_not_whole_is_refused(tmp_path: Path, change: Callable[[bytes], bytes], reason: str) -> None:
    path = tmp_path / "hands.gz"
    write_archive(path, LINES)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(BadArchive) as caught:
        list(read_archive(path))
    assert caught.value.fields["file"] == "hands.gz"
    assert caught.value.fields["reason"] == reason


def test_nothing_shows_what_is_sealed() -> None:
    assert repr(HAND) == "<ArchivedHand t1-1>"
    assert repr(EVENTS[1]) == "<ArchivedEvent 2>"
    assert End(tables=1, hands=1, events=1, sha256="x").tables == 1
