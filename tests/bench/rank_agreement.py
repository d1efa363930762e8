"""Does our ranking order hands as eval7 and phevaluator do? `python -m tests.bench.rank_agreement --help`.

Each ranker has numbers of its own, so the numbers are not compared: over all hands looked at, each of our numbers must
always meet the same number of the other ranker, and as ours rise the others' must rise too. Then all three find the
same winners and the same ties among these hands.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from engine.rules.cards import DECK, Card
from engine.rules.ranking import name_of, strength
from tests.bench.other_rankers import eval7_strength, phevaluator_strength

ALL_FIVE_CARD_HANDS = 2_598_960

FIVE_CARD_COUNTS = {
    "high_card": 1_302_540,
    "pair": 1_098_240,
    "two_pair": 123_552,
    "three_of_a_kind": 54_912,
    "straight": 10_200,
    "flush": 5_108,
    "full_house": 3_744,
    "four_of_a_kind": 624,
    "straight_flush": 36,
    "royal_flush": 4,
}
"""How many of all five-card hands there are of each category: plain combinatorics, found in any textbook."""

OTHERS: dict[str, Callable[[Sequence[int]], int]] = {"eval7": eval7_strength, "phevaluator": phevaluator_strength}


@dataclass
class Agreement:
    """What a comparison found. `disagreements` counts hands, and breaks of order between neighbouring numbers."""

    hands: int = 0
    strengths: int = 0
    categories: Counter[str] = field(default_factory=Counter)
    disagreements: dict[str, int] = field(default_factory=dict)

    @property
    def agreed(self) -> bool:
        return not any(self.disagreements.values())


def all_five_card_hands() -> Iterator[tuple[int, ...]]:
    """Every five-card hand once, as indexes into `DECK`."""
    return itertools.combinations(range(52), 5)


def random_hands(*, size: int, count: int, seed: int) -> Iterator[list[int]]:
    """`count` hands of `size` cards, as indexes into `DECK`; the same for the same seed."""
    rng = random.Random(seed)
    deck = range(52)
    for _ in range(count):
        yield rng.sample(deck, size)


def compare(hands: Iterable[Sequence[int]], *, ours: Callable[[Sequence[Card]], int] = strength) -> Agreement:
    """Rank each hand three ways and say whether the three orders are one; `ours` is the ranking under test."""
    met: dict[str, dict[int, int]] = {name: {} for name in OTHERS}
    strays: Counter[str] = Counter()
    times_seen: Counter[int] = Counter()
    for hand in hands:
        value = ours([DECK[index] for index in hand])
        times_seen[value] += 1
        for name, other_strength in OTHERS.items():
            theirs = other_strength(hand)
            if met[name].setdefault(value, theirs) != theirs:
                strays[name] += 1
    categories: Counter[str] = Counter()
    for value, times in times_seen.items():
        categories[name_of(value).category] += times
    return Agreement(
        hands=times_seen.total(),
        strengths=len(times_seen),
        categories=categories,
        disagreements={name: strays[name] + _breaks_of_order(theirs_of) for name, theirs_of in met.items()},
    )


def _breaks_of_order(theirs_of: dict[int, int]) -> int:
    in_our_order = [theirs_of[value] for value in sorted(theirs_of)]
    return sum(lower >= higher for lower, higher in itertools.pairwise(in_our_order))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare as the command line asks, print what was found; 0 if everything agrees, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.rank_agreement",
        description="Rank the same hands by our ranking, eval7 and phevaluator, and say whether the orders are one.",
    )
    parser.add_argument("--five", default="all", help="five-card hands: a number of random ones, or 'all' (default)")
    parser.add_argument("--seven", type=int, default=10_000_000, help="random seven-card hands (default 10,000,000)")
    parser.add_argument("--seed", type=int, default=None, help="seed of the random hands (default: a new one, printed)")
    options = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed

    every_five = options.five == "all"
    fives = all_five_card_hands() if every_five else random_hands(size=5, count=int(options.five), seed=seed)
    five_counts = FIVE_CARD_COUNTS if every_five else None
    sevens = random_hands(size=7, count=options.seven, seed=seed)
    _say(f"seed {seed}")
    fives_good = _report("all five-card hands" if every_five else "random five-card hands", fives, five_counts)
    sevens_good = _report("random seven-card hands", sevens, None)
    return 0 if fives_good and sevens_good else 1


def _report(title: str, hands: Iterable[Sequence[int]], expected: dict[str, int] | None) -> bool:
    began = time.perf_counter()
    found = compare(hands)
    seconds = time.perf_counter() - began
    _say(f"{title}: {found.hands:,} hands, {found.strengths:,} different strengths, {seconds:.1f} s")
    for category in FIVE_CARD_COUNTS:
        _say(f"  {category:<16}{found.categories[category]:>12,}")
    for name, disagreements in found.disagreements.items():
        _say(f"  disagreements with {name}: {disagreements}")
    counted_right = expected is None or found.categories == expected
    if expected is not None:
        _say(f"  counts of each category are {'the known ones' if counted_right else f'WRONG, known are {expected}'}")
    return found.agreed and counted_right


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
