"""A fresh deck for every hand: an unbiased shuffle by the operating system's generator for secrets.

The cards are handed in: this package knows nothing of the games that are dealt from them.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

import msgspec

C = TypeVar("C", bound=str)

Entropy = Callable[[int], bytes]
"""So many random bytes, as `os.urandom` gives them."""

WORDS_PER_BLOCK = 64
"""Random words drawn at once: 51 of them order a deck, the rest stand in for rejected ones."""

WORD_VALUES = 2**32

_BLOCK = struct.Struct(f"<{WORDS_PER_BLOCK}I")


class Deck(msgspec.Struct, Generic[C], frozen=True):
    """All cards in dealing order. `commitment` is for the deal's salted commitment; empty where the deal makes none."""

    cards: tuple[C, ...]
    commitment: str = ""

    def __repr__(self) -> str:
        return "<Deck>"


class SystemDecks(Generic[C]):
    """Shuffles the given cards anew for every hand. Nothing of one deck, nor the clock, tells of the next."""

    def __init__(self, cards: Sequence[C], *, entropy: Entropy = os.urandom) -> None:
        self._cards = tuple(cards)
        self._entropy = entropy

    def deck(self) -> Deck[C]:
        return Deck(cards=shuffled(self._cards, entropy=self._entropy))


def shuffled(cards: Sequence[C], *, entropy: Entropy = os.urandom) -> tuple[C, ...]:
    """Give the cards in an order of which every one is equally likely, as far as `entropy` is uniform.

    Fisher-Yates from the top down. A word is taken modulo the places left only if it lies below the greatest multiple
    of them; otherwise the next word is tried, since the remainder would favour the low places.
    """
    order = list(cards)
    words = _words(entropy)
    for top in range(len(order) - 1, 0, -1):
        places = top + 1
        fair = WORD_VALUES - WORD_VALUES % places
        word = next(words)
        while word >= fair:
            word = next(words)
        chosen = word % places
        order[top], order[chosen] = order[chosen], order[top]
    return tuple(order)


def _words(entropy: Entropy) -> Iterator[int]:
    while True:
        yield from _BLOCK.unpack(entropy(_BLOCK.size))
