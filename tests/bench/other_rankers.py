"""Two rankers by other authors, eval7 and phevaluator, behind one call: an index into `DECK` stands for a card."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from phevaluator import Card as PhCard
from phevaluator import evaluate_cards

from engine.rules.cards import DECK

with warnings.catch_warnings():
    # eval7 builds a parser at import, by a spelling that pyparsing will drop one day; nothing here uses that parser.
    warnings.simplefilter("ignore", DeprecationWarning)
    import eval7

eval7_evaluate = eval7.evaluate
"""Takes a list of `EVAL7_CARDS`; bigger is better."""

EVAL7_CARDS = [eval7.Card(card) for card in DECK]
PH_CARDS = [PhCard.to_id(card) for card in DECK]


def eval7_strength(indexes: Sequence[int]) -> int:
    """Bigger is better, as with our own."""
    strength: int = eval7_evaluate([EVAL7_CARDS[index] for index in indexes])
    return strength


def phevaluator_strength(indexes: Sequence[int]) -> int:
    """Bigger is better: phevaluator counts places from the best hand, so its number is turned round."""
    place: int = evaluate_cards(*[PH_CARDS[index] for index in indexes])
    return -place
