"""What a run of hands came to: counted hand by hand, printed as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from engine.rules.events import (
    AntePosted,
    BetsCollected,
    BringInPosted,
    CardBurnt,
    CardDealt,
    CommonCardDealt,
    Folded,
    HandsTabled,
    PotAwarded,
    RoundOpened,
    UncalledReturned,
    Wagered,
)
from tests.oracle.betting_log import MOST_WAGERS
from tests.oracle.differences import Difference
from tests.oracle.replay import Played

MOST_KEPT = 20
"""Mismatches kept as text; all are counted."""


@dataclass
class Tally:
    """Sums over many hands. `reached` counts hands in which something worth comparing came up."""

    hands: int = 0
    turns: int = 0
    to_the_end: int = 0
    bent_turns: int = 0
    without_difference: int = 0
    mismatches: int = 0
    difference_times: Counter[Difference] = field(default_factory=Counter)
    difference_hands: Counter[Difference] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    mismatched: list[str] = field(default_factory=list)

    def add(self, played: Played) -> None:
        self.hands += 1
        self.turns += played.turns
        self.bent_turns += played.bent
        self.without_difference += not played.differences
        self.difference_times.update(played.differences)
        self.difference_hands.update(played.differences.keys())
        for what, came_up in reached(played).items():
            self.reached[what] += came_up
        if played.mismatch is None:
            self.to_the_end += 1
            return
        self.mismatches += 1
        if len(self.mismatched) < MOST_KEPT:
            self.mismatched.append(describe(played))

    def lines(self) -> Iterator[str]:
        """The table."""
        yield _row("hands", self.hands)
        yield _row("turns compared", self.turns)
        yield _row("hands followed to the end", self.to_the_end)
        yield _row("hands without any difference of rules", self.without_difference)
        yield _row("turns at which PokerKit was bent", self.bent_turns)
        yield "hands with"
        for what, hands in self.reached.items():
            yield _row(f"  {what}", hands)
        yield f"{'differences, each exactly as its rule says':<44}{'times':>12}{'hands':>12}"
        for difference in Difference:
            times, hands = self.difference_times[difference], self.difference_hands[difference]
            yield f"  {difference.name.lower():<42}{times:>12,}{hands:>12,}"
        yield _row("mismatches", self.mismatches)


def describe(played: Played) -> str:
    """A hand as one line in the form of a worked case, what went wrong as its note; `--replay` plays such a file."""
    plan = played.plan
    variant = plan.variant
    case: dict[str, Any] = {
        "id": plan.name,
        "kind": variant.game,
        "note": played.mismatch or "",
        "dealer": plan.dealer,
        "ante": variant.ante_chips,
        "bring_in": variant.bring_in_chips,
        "small": variant.small_bet_chips,
        "big": variant.big_bet_chips,
        "stacks": {int(seat): chips for seat, chips in plan.stacks.items()},
        "deck_order": " ".join(plan.deck),
        "actions": " ".join(played.tokens),
        "expect": {"stacks": {}},
    }
    return "- " + yaml.safe_dump(case, default_flow_style=True, sort_keys=False, width=10**6).strip()


def reached(played: Played) -> dict[str, bool]:
    """What came up in the hand, by the words of the table."""
    events = played.events
    last = played.plan.variant.cards_per_player
    folded = sum(isinstance(event, Folded) for event in events)
    left = len(played.plan.stacks) - folded
    pots = [event.pots for event in events if isinstance(event, BetsCollected)]
    shares = [event.shares for event in events if isinstance(event, PotAwarded)]
    all_in = [event for event in events if getattr(event, "all_in", False)]
    last_street = [event for event in events if getattr(event, "street", None) == last]
    wagers = _wagers_by_street(played)
    return {
        "a wager on the last street": any(street == last for street in wagers),
        "the cap reached": MOST_WAGERS in wagers.values(),
        "an all-in for the ante": any(isinstance(event, AntePosted) for event in all_in),
        "an all-in later": any(not isinstance(event, AntePosted) for event in all_in),
        "a run-out, all hands tabled": any(isinstance(event, HandsTabled) for event in events),
        "side pots": bool(pots) and len(pots[-1]) > 1,
        "an uncalled bet returned": any(isinstance(event, UncalledReturned) for event in events),
        "a fold with a free check": played.free_folds > 0,
        "a showdown": left > 1,
        "a split pot": any(len(split) > 1 for split in shares),
        "an odd chip": any(len({share.amount_chips for share in split}) > 1 for split in shares),
        "a last street dealt without a burn": any(isinstance(event, CardDealt) for event in last_street)
        and not any(isinstance(event, CardBurnt) for event in last_street),
        "a common card": any(isinstance(event, CommonCardDealt) for event in events),
    }


def _wagers_by_street(played: Played) -> Counter[int]:
    """How many full wagers each street saw."""
    counts: Counter[int] = Counter()
    street = 0
    for event in played.events:
        if isinstance(event, RoundOpened):
            street = event.street
        if isinstance(event, Wagered | BringInPosted) and event.full:
            counts[street] += 1
    return counts


def _row(what: str, count: int) -> str:
    return f"{what:<44}{count:>24,}"
