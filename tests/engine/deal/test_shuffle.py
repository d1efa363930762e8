"""The shuffle: every order equally likely, nothing to guess it from."""

import ast
import os
import struct
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

import engine.deal
from engine.deal.shuffle import WORD_VALUES, SystemDecks, shuffled
from engine.rules.cards import DECK, Card

# Limits that a chi-square statistic leaves once in a million runs; they do not depend on the number of decks.
ALL_PLACES = (2264, 2969)
"""51 × 51 degrees of freedom."""
ONE_PLACE = (14, 122)
"""51 degrees of freedom; a millionth in all for five places and two sides."""


def test_a_deck_is_the_52_cards_in_another_order() -> None:
    deck = SystemDecks(DECK).deck()
    assert sorted(deck.cards) == sorted(DECK)
    assert deck.cards != DECK
    assert deck.commitment == ""


def test_a_deck_tells_nothing_of_itself() -> None:
    deck = SystemDecks(DECK).deck()
    assert repr(deck) == str(deck) == f"{deck}" == "<Deck>"


def test_b193_no_guessable_generator_in_dealing_code() -> None:
    for path in Path(engine.deal.__file__).parent.rglob("*.py"):
        imported = {
            name.partition(".")[0]
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        }
        assert imported.isdisjoint({"random", "time", "datetime", "numpy"}), f"{path.name}: deal from os.urandom"


def test_b193_a_deck_draws_at_least_256_bits_from_the_system() -> None:
    drawn: list[int] = []

    def counted(size: int) -> bytes:
        drawn.append(size)
        return bytes(range(256))[:size]

    SystemDecks(DECK, entropy=counted).deck()
    assert drawn == [256], "one block of 64 words for a deck"


def test_b196_decks_differ_with_a_frozen_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    for clock in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter"):
        monkeypatch.setattr(time, clock, lambda: 0)
    decks = SystemDecks(DECK)
    assert len({decks.deck().cards for _ in range(200)} | {SystemDecks(DECK).deck().cards for _ in range(200)}) == 400


def test_same_entropy_gives_the_same_deck() -> None:
    block = bytes((7 * place + 3) % 256 for place in range(256))
    assert shuffled(DECK, entropy=lambda size: block[:size]) == shuffled(DECK, entropy=lambda size: block[:size])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        # Of three cards the last place is drawn first: word mod 3, then word mod 2 for the middle one.
        ([0, 0], ("b", "c", "a")),
        ([2, 1], ("a", "b", "c")),
        ([1, 0], ("c", "a", "b")),
        # 2^32 = 3 · 1431655765 + 1: the highest word would give place 0 once too often, so the next word counts.
        ([WORD_VALUES - 1, 2, 1], ("a", "b", "c")),
        ([WORD_VALUES - 1, WORD_VALUES - 1, 1, 0], ("c", "a", "b")),
        # One below it is fair: (2^32 - 2) mod 3 = 2.
        ([WORD_VALUES - 2, 1], ("a", "b", "c")),
    ],
)
def test_a_word_that_would_favour_low_places_is_rejected(words: list[int], expected: tuple[str, ...]) -> None:
    block = struct.pack("<64I", *words, *[0] * (64 - len(words)))
    assert shuffled(("a", "b", "c"), entropy=lambda _: block) == expected


def test_rejections_beyond_a_block_draw_another_one() -> None:
    blocks = [struct.pack("<64I", *[WORD_VALUES - 1] * 64), struct.pack("<64I", *[2, 1] + [0] * 62)]
    assert shuffled(("a", "b", "c"), entropy=lambda _: blocks.pop(0)) == ("a", "b", "c")
    assert not blocks


def test_b194_every_card_comes_equally_often_to_every_place() -> None:
    source = SystemDecks(DECK)
    assert ALL_PLACES[0] < statistic_of_places(source.deck().cards for _ in range(4_000)) < ALL_PLACES[1]


def test_b197_the_first_five_places_are_uniform() -> None:
    decks = 4_000
    counts = [dict.fromkeys(DECK, 0) for _ in range(5)]
    source = SystemDecks(DECK)
    for _ in range(decks):
        for place, card in enumerate(source.deck().cards[:5]):
            counts[place][card] += 1
    for count in counts:
        assert ONE_PLACE[0] < chi_square(count.values(), expected=decks / 52) < ONE_PLACE[1]


@pytest.mark.slow
def test_b194_a_million_decks_are_uniform() -> None:
    assert ALL_PLACES[0] < statistic_of_places(shuffled(DECK) for _ in range(1_000_000)) < ALL_PLACES[1]


def test_the_statistic_catches_a_naive_shuffle() -> None:
    """Swapping each place with any place is the classic fault: the limits must not let it through."""

    def naive() -> Sequence[str]:
        order = list(DECK)
        for place, word in enumerate(struct.unpack("<52I", os.urandom(4 * 52))):
            other = word % 52
            order[place], order[other] = order[other], order[place]
        return order

    assert statistic_of_places(naive() for _ in range(4_000)) > ALL_PLACES[1]


def statistic_of_places(decks: Iterable[Sequence[str]]) -> float:
    """How far the counts of each card at each place are from even. Their fixed sums call for the factor."""
    seen = {card: [0] * 52 for card in DECK}
    for deck in decks:
        for place, card in enumerate(deck):
            seen[Card(card)][place] += 1
    dealt = sum(seen[DECK[0]])
    return chi_square([count for row in seen.values() for count in row], expected=dealt / 52) * 51 / 52


def chi_square(counts: Iterable[int], *, expected: float) -> float:
    return sum((count - expected) ** 2 for count in counts) / expected
