"""The keys that wrap the keys of hands: from the environment, or made beside the SQLite file.

Text holds them as `id:base64`, parted by commas, blanks or lines; each is 32 random bytes. The first one wraps, the
others only unwrap: that is how keys rotate (`docs/operations.md`).
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from app.store.errors import BadSealingKeys, UnreadableEvent
from engine.deal.shuffle import Entropy

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
"""What AES-GCM takes. One key may wrap 2^32 hands with nonces at random, and no hand seals more than some dozens."""

_ID = re.compile(r"[A-Za-z0-9_.-]{1,32}")


class WrappedKey(NamedTuple):
    """A hand's key as it is kept: `wrapped` is of no use without the key named by `key_id`."""

    key_id: str
    wrapped: bytes

    def __repr__(self) -> str:
        return f"<WrappedKey by {self.key_id}>"


class KeyRing:
    """Wraps the keys of hands. Nothing of it ever shows a key."""

    __slots__ = ("_ciphers", "current")

    def __init__(self, keys: Mapping[str, bytes]) -> None:
        """`keys` by their ids, the current one first. Raises `BadSealingKeys`."""
        if not keys:
            raise BadSealingKeys(reason="none")
        if any(len(key) != KEY_BYTES for key in keys.values()):
            raise BadSealingKeys(reason="wrong_length", bytes=KEY_BYTES)
        self._ciphers = {key_id: AESGCM(key) for key_id, key in keys.items()}
        self.current = next(iter(keys))

    def __contains__(self, key_id: object) -> bool:
        return key_id in self._ciphers

    def __repr__(self) -> str:
        return f"<KeyRing of {len(self._ciphers)}>"

    def wrap(self, key: bytes, *, bound_to: bytes, entropy: Entropy) -> WrappedKey:
        """Wrap a hand's key with the current one. It is unwrapped only with the same `bound_to`."""
        nonce = entropy(NONCE_BYTES)
        wrapped = nonce + self._ciphers[self.current].encrypt(nonce, key, bound_to)
        return WrappedKey(self.current, wrapped)

    def unwrap(self, kept: WrappedKey, *, bound_to: bytes) -> bytes:
        """Give a hand's key. Raises `UnreadableEvent`."""
        cipher = self._ciphers.get(kept.key_id)
        if cipher is None:
            raise UnreadableEvent(reason="unknown_key", key=kept.key_id)
        try:
            return cipher.decrypt(kept.wrapped[:NONCE_BYTES], kept.wrapped[NONCE_BYTES:], bound_to)
        except (InvalidTag, ValueError):
            raise UnreadableEvent(reason="key_not_unwrapped", key=kept.key_id) from None


def ring_of(text: str) -> KeyRing:
    """Read a ring from its text. Raises `BadSealingKeys`, which shows nothing of it."""
    keys: dict[str, bytes] = {}
    for word in _words(text.splitlines()):
        key_id, _, encoded = word.partition(":")
        if not _ID.fullmatch(key_id):
            raise BadSealingKeys(reason="unreadable")
        if key_id in keys:
            raise BadSealingKeys(reason="id_twice", key=key_id)
        try:
            keys[key_id] = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            raise BadSealingKeys(reason="not_base64", key=key_id) from None
    return KeyRing(keys)


def new_key(*, entropy: Entropy = os.urandom) -> str:
    """A new key in the form of a ring's text, with an id at random."""
    return f"{entropy(4).hex()}:{base64.b64encode(entropy(KEY_BYTES)).decode()}"


def key_path(database: Path) -> Path:
    """Where a SQLite database's keys lie when none come from the environment."""
    return database.with_name(database.name + ".keys")


def ring_beside(database: Path) -> KeyRing | None:
    """Read the keys beside a SQLite file; None if there are none.

    Raises `BadSealingKeys` if others than its owner could read the file, or if it is unreadable.
    """
    path = key_path(database)
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with open(fd, encoding="utf-8") as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077:
            raise BadSealingKeys(reason="open_to_others", file=str(path))
        try:
            text = file.read()
        except UnicodeDecodeError:
            raise BadSealingKeys(reason="unreadable") from None
    return ring_of(text)


def make_ring_beside(database: Path, *, entropy: Entropy = os.urandom) -> KeyRing:
    """Make a key beside a SQLite file, for its owner alone, and read it back.

    The file is there whole or not at all, and one that is there is never written over: of two that make one at once,
    both get the first one's.
    """
    path = key_path(database)
    fd, draft = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    try:
        with open(fd, "w", encoding="ascii") as file:
            file.write(f"# Opens the cards of {database.name}. Keep a copy apart from the database's backups.\n")
            file.write(f"{new_key(entropy=entropy)}\n")
            file.flush()
            os.fsync(fd)
        # A link, for it fails where a renaming would write over.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)
    _sync_folder(path.parent)
    ring = ring_beside(database)
    if ring is None:
        raise BadSealingKeys(reason="lost", file=str(path))
    return ring


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _words(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if not line.lstrip().startswith("#"):
            yield from line.replace(",", " ").split()
