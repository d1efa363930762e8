from __future__ import annotations

import base64
import os
import random
from pathlib import Path

import pytest

from app.store.errors import BadSealingKeys, UnreadableEvent
from app.store.keys import KEY_BYTES, KeyRing, key_path, make_ring_beside, new_key, ring_beside, ring_of

A, B = (base64.b64encode(letter * KEY_BYTES).decode() for letter in (b"a", b"b"))
SOURCE = random.Random(3).randbytes


def test_the_first_key_wraps_and_the_others_only_unwrap() -> None:
    old = ring_of(f"2026:{A}").wrap(b"hand", bound_to=b"x", entropy=SOURCE)
    ring = ring_of(f"2027:{B},2026:{A}")
    assert (ring.current, "2026" in ring, "2025" in ring) == ("2027", True, False)
    assert ring.unwrap(old, bound_to=b"x") == b"hand"
    assert ring.wrap(b"hand", bound_to=b"x", entropy=SOURCE).key_id == "2027"
    with pytest.raises(UnreadableEvent):
        ring.unwrap(old, bound_to=b"y")


@pytest.mark.parametrize("text", [f"a:{A},b:{B}", f" a:{A} \n# b is older\n b:{B}\n", f"a:{A}, b:{B},"])
def test_keys_are_parted_by_commas_blanks_or_lines(text: str) -> None:
    ring = ring_of(text)
    assert (ring.current, "b" in ring) == ("a", True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "none"),
        (" , \n", "none"),
        (f"{A}", "unreadable"),
        (f":{A}", "unreadable"),
        (f"a/b:{A}", "unreadable"),
        (f"{'a' * 33}:{A}", "unreadable"),
        (f"a:{A},a:{B}", "id_twice"),
        (f"a:{A[:-1]}!", "not_base64"),
        ("a:", "wrong_length"),
        ("a:" + base64.b64encode(b"a" * 16).decode(), "wrong_length"),
        ("a:" + base64.b64encode(b"a" * 33).decode(), "wrong_length"),
    ],
)
def test_bad_keys_are_refused_without_being_shown(text: str, reason: str) -> None:
    with pytest.raises(BadSealingKeys) as caught:
        ring_of(text)
    assert caught.value.fields["reason"] == reason
    told = f"{caught.value} {caught.value!r} {caught.value.fields}"
    assert A[:20] not in told
    assert "{" not in str(caught.value), "the line is filled in"


def test_a_new_key_is_one() -> None:
    made = [new_key() for _ in range(20)]
    assert len(set(made)) == 20
    for text in made:
        ring_of(text)


def test_a_key_is_made_beside_the_database_for_its_owner_alone(tmp_path: Path) -> None:
    database = tmp_path / "avenue.db"
    assert ring_beside(database) is None
    old_mask = os.umask(0)
    try:
        made = make_ring_beside(database)
    finally:
        os.umask(old_mask)
    path = key_path(database)
    assert path.stat().st_mode & 0o777 == 0o600
    found = ring_beside(database)
    assert found is not None
    assert found.unwrap(made.wrap(b"hand", bound_to=b"", entropy=SOURCE), bound_to=b"") == b"hand"
    assert sorted(tmp_path.iterdir()) == [path], "no draft stays behind"


def test_a_key_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    database = tmp_path / "avenue.db"
    first = make_ring_beside(database)
    text = key_path(database).read_text()
    second = make_ring_beside(database)
    assert key_path(database).read_text() == text
    assert second.current == first.current


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o610])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    database = tmp_path / "avenue.db"
    make_ring_beside(database)
    key_path(database).chmod(mode)
    with pytest.raises(BadSealingKeys) as caught:
        ring_beside(database)
    assert caught.value.fields["reason"] == "open_to_others"
    assert str(key_path(database)) in str(caught.value)


def test_what_is_no_file_or_no_text_is_refused(tmp_path: Path) -> None:
    database = tmp_path / "avenue.db"
    key_path(database).write_bytes(b"\xff\xfe")
    key_path(database).chmod(0o600)
    with pytest.raises(BadSealingKeys):
        ring_beside(database)
    os.mkfifo(key_path(tmp_path / "other.db"), 0o600)
    fd = os.open(key_path(tmp_path / "other.db"), os.O_RDWR)
    with pytest.raises(BadSealingKeys):
        ring_beside(tmp_path / "other.db")
    os.close(fd)


def test_an_interrupted_making_leaves_no_half_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "avenue.db"

    def broken(fd: int) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        with pytest.raises(OSError, match="full"):
            make_ring_beside(database)
    assert list(tmp_path.iterdir()) == []


def test_a_ring_shows_no_key() -> None:
    assert repr(KeyRing({"a": b"a" * KEY_BYTES})) == "<KeyRing of 1>"
