"""Seals what is secret in a hand's events: a fresh key for every hand, which is kept wrapped beside the hand.

A sealed part is bound to its table, hand, `seq` and the public part of its event, so one that was moved or whose event
was changed does not open. Keys and nonces come from a source that is handed in.
"""

from __future__ import annotations

import os
from collections import OrderedDict

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from app.store.errors import UnreadableEvent
from app.store.keys import KEY_BYTES, NONCE_BYTES, KeyRing, WrappedKey
from engine.deal.shuffle import Entropy
from engine.limits import MAX_HAND_KEYS
from engine.rules.events import HandId
from engine.table.events import TableId


class HandSeal:
    """Seals and opens the secret parts of one hand's events. It shows nothing of its key."""

    __slots__ = ("_about", "_cipher", "_entropy", "hand")

    def __init__(self, key: bytes, *, table: TableId, hand: HandId, entropy: Entropy) -> None:
        self._cipher = AESGCM(key)
        # A list in JSON that still wants its last part: no two places come to the same bytes.
        self._about = b"avenue event 1\n" + msgspec.json.encode((table, hand)).removesuffix(b"]") + b","
        self._entropy = entropy
        self.hand = hand

    def close(self, secret: bytes, *, seq: int, public: bytes) -> bytes:
        """Seal the secret part of an event whose number and public part are given."""
        nonce = self._entropy(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, secret, self._bound_to(seq, public))

    def open(self, sealed: bytes, *, seq: int, public: bytes) -> bytes:
        """Give the secret part back. Raises `UnreadableEvent`, which says nothing of it."""
        try:
            return self._cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], self._bound_to(seq, public))
        except (InvalidTag, ValueError):
            raise UnreadableEvent(reason="seal_broken", hand=self.hand) from None

    def _bound_to(self, seq: int, public: bytes) -> bytes:
        return b"%b%d]\n%b" % (self._about, seq, public)

    def __repr__(self) -> str:
        return f"<HandSeal of {self.hand}>"


class Seals:
    """The seals of all tables. Those of running hands stay at hand, `MAX_HAND_KEYS` of them.

    For one loop. What is remembered of a table is that of the hand which it plays as this process knows it: `begin` and
    `resume` set it, and a table that is read anew is set anew.
    """

    def __init__(self, ring: KeyRing, *, entropy: Entropy = os.urandom, max_kept: int = MAX_HAND_KEYS) -> None:
        self._ring = ring
        self._entropy = entropy
        self._max_kept = max_kept
        self._running: OrderedDict[TableId, HandSeal] = OrderedDict()

    def begin(self, table: TableId, hand: HandId) -> WrappedKey:
        """Make a key for a hand that begins. Keep what is given in the commit in which the hand does."""
        key = self._entropy(KEY_BYTES)
        self._remember(table, HandSeal(key, table=table, hand=hand, entropy=self._entropy))
        return self._ring.wrap(key, bound_to=_wrapping(table, hand), entropy=self._entropy)

    def running(self, table: TableId) -> HandSeal | None:
        """The seal of the hand that the table plays, if it is at hand."""
        seal = self._running.get(table)
        if seal is not None:
            self._running.move_to_end(table)
        return seal

    def resume(self, table: TableId, hand: HandId, kept: WrappedKey) -> HandSeal:
        """Take up the seal of the hand that the table plays. Raises `UnreadableEvent`."""
        seal = self.of(table, hand, kept)
        self._remember(table, seal)
        return seal

    def forget(self, table: TableId) -> None:
        self._running.pop(table, None)

    def of(self, table: TableId, hand: HandId, kept: WrappedKey) -> HandSeal:
        """The seal of any hand, for reading. Raises `UnreadableEvent`."""
        key = self._ring.unwrap(kept, bound_to=_wrapping(table, hand))
        return HandSeal(key, table=table, hand=hand, entropy=self._entropy)

    def rewrap(self, table: TableId, hand: HandId, kept: WrappedKey) -> WrappedKey | None:
        """Wrap a hand's key with the current key of the ring; None if it is already. Raises `UnreadableEvent`."""
        if kept.key_id == self._ring.current:
            return None
        bound_to = _wrapping(table, hand)
        key = self._ring.unwrap(kept, bound_to=bound_to)
        return self._ring.wrap(key, bound_to=bound_to, entropy=self._entropy)

    def _remember(self, table: TableId, seal: HandSeal) -> None:
        self._running[table] = seal
        self._running.move_to_end(table)
        if len(self._running) > self._max_kept:
            self._running.popitem(last=False)

    def __repr__(self) -> str:
        return f"<Seals of {len(self._running)} running hands>"


def _wrapping(table: TableId, hand: HandId) -> bytes:
    return b"avenue hand key 1\n" + msgspec.json.encode((table, hand))
