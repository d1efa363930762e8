"""A betting round as a list of acts, and what two rulebooks make of that list.

`house_terms` and `house_wagers` read `rules.md` A3 to A5 from the list alone, as a second opinion on
`engine/rules/betting.py`, whose state they never look at. `PokerKitMemory` says what a rulebook of full wagers, as
PokerKit is one, keeps of the same list. So where the two engines differ, each is held to what its own rule says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import msgspec

from engine.rules.actions import Bet, Complete, Raise, Wager
from engine.rules.stud_hand import HandPlayer
from engine.rules.variants import Street, Variant
from tests.oracle.differences import Difference, Mismatch, Terms

MOST_WAGERS = 4
"""One bet and three raises (A4): written here once more, so that neither engine is asked."""


class Act(msgspec.Struct, frozen=True):
    """Something done in the round by the player at `index`; `all_in` says that nothing is left behind.

    `known` is false for a wager that PokerKit was not told of, since there nobody can call it.
    """

    index: int
    kind: Literal["pass", "bring_in", "wager"]
    to_chips: int
    all_in: bool
    known: bool = True


class HouseWager(NamedTuple):
    """A wager by the house's rules: its word, its amount, and whether it counts as a full one."""

    verb: type[Wager]
    to_chips: int
    full: bool


@dataclass
class BettingLog:
    """The round so far. `forced` is the house's word on whether the opener must bring in."""

    variant: Variant
    street: Street
    open_pair: bool
    forced: bool
    acts: list[Act] = field(default_factory=list)
    untold: dict[int, int] = field(default_factory=dict)
    """By index, the chips of an uncalled wager that PokerKit was not told of."""

    @property
    def first_round(self) -> bool:
        return self.street is self.variant.streets[0]

    @property
    def unopened(self) -> bool:
        """Nobody has brought in or wagered on the first round, and somebody has to."""
        return self.first_round and all(act.kind == "pass" for act in self.acts)

    @property
    def small_chips(self) -> int:
        return self.variant.big_bet_chips if self.street.big_bet else self.variant.small_bet_chips

    @property
    def big_chips(self) -> int:
        return self.variant.big_bet_chips if self.open_pair else self.small_chips

    def price_chips(self) -> int:
        """What everybody's total must reach by the house's rules."""
        house = _House(self)
        for act in self.acts:
            house.takes(act)
        return house.price

    def has_short_all_in(self) -> bool:
        """Whether some wager of the round, the bring-in at five-card among them, was less than a full unit."""
        house = _House(self)
        for act in self.acts:
            if house.takes(act) and act.all_in and act.to_chips < house.base_before + house.unit_before:
                return True
        return False


class _House:
    """The list walked through by the house's rules: each `takes` adds one act; gives whether it was a wager."""

    def __init__(self, log: BettingLog) -> None:
        self.log = log
        self.price = self.base = self.count = 0
        self.base_before = self.unit_before = 0
        self.big_made = False
        self.acted_at: dict[int, int] = {}

    @property
    def unit(self) -> int:
        return self.log.big_chips if self.big_made else self.log.small_chips

    def takes(self, act: Act) -> bool:
        variant = self.log.variant
        self.base_before, self.unit_before = self.base, self.unit
        wagered = act.kind == "wager"
        if act.kind == "bring_in":
            self.price = variant.bring_in_chips
            if variant.bring_in_chips == variant.small_bet_chips:
                self.base, self.count, wagered = self.price, 1, True
        elif wagered:
            risen = act.to_chips - self.base
            if 2 * risen >= self.unit:
                self.base = act.to_chips
                self.count += 1
            if self.log.open_pair and risen >= self.log.big_chips:
                self.big_made = True
            self.price = act.to_chips
        # A level without a full wager beneath it counts as nothing.
        self.acted_at[act.index] = self.price if self.base else 0
        return wagered


def house_wagers(log: BettingLog, players: Sequence[HandPlayer], index: int) -> tuple[HouseWager, ...]:
    """The wagers that `rules.md` gives the player at `index`, whose turn it is, smaller first."""
    house = _House(log)
    for act in log.acts:
        house.takes(act)
    player = players[index]
    total = player.round_chips + player.stack_chips
    price = house.price
    if log.unopened:
        if log.variant.bring_in_chips == log.variant.small_bet_chips:
            return ()
        price = log.variant.bring_in_chips
    acted_at = house.acted_at.get(index)
    if (
        house.count == MOST_WAGERS
        or total <= price
        or (acted_at is not None and 2 * (house.price - acted_at) < house.unit)
        or not any(other.stack_chips for place, other in enumerate(players) if place != index and not other.folded)
    ):
        return ()
    verb: type[Wager] = Raise if house.count else Complete if log.first_round or house.price else Bet
    units = dict.fromkeys([house.unit, log.big_chips])
    amounts = dict.fromkeys(min(house.base + unit, total) for unit in units)
    return tuple(HouseWager(verb, to, full=2 * (to - house.base) >= house.unit) for to in amounts)


def house_terms(log: BettingLog, players: Sequence[HandPlayer], index: int) -> Terms:
    """All that `rules.md` gives the player at `index`, whose turn it is."""
    player = players[index]
    total, price_chips = player.round_chips + player.stack_chips, log.price_chips()
    owes = player.round_chips < price_chips
    return Terms(
        fold=not (log.unopened and log.forced),
        check=not (log.unopened or owes),
        call_to=min(total, price_chips) if owes else None,
        bring_in_to=min(total, log.variant.bring_in_chips) if log.unopened else None,
        wagers_to=tuple(wager.to_chips for wager in house_wagers(log, players, index)),
    )


class PokerKitMemory:
    """What PokerKit keeps of a round: the largest rise, how many wagers, who acted since a full one, the short ones."""

    def __init__(self, log: BettingLog) -> None:
        self.largest_chips = 0
        self.count = 0
        self.acted: dict[int, None] = {}
        self.short_chips: list[int] = []
        self.level_chips = 0
        bet_by_bring_in = log.variant.bring_in_is_bet
        for act in log.acts:
            if act.known and (act.kind == "wager" or (act.kind == "bring_in" and bet_by_bring_in)):
                self._wager(act)
            else:
                self.acted[act.index] = None
            if act.known:
                self.level_chips = max(self.level_chips, act.to_chips)

    def _wager(self, act: Act) -> None:
        risen = act.to_chips - self.level_chips
        if risen >= self.largest_chips:
            self.acted = {}
        self.acted[act.index] = None
        self.largest_chips = max(self.largest_chips, risen)
        self.count = min(self.count + 1, MOST_WAGERS)
        self.short_chips = [*self.short_chips, risen] if act.all_in else []
        if sum(self.short_chips) >= self.largest_chips:
            self.short_chips = []

    def wagers_to(self, log: BettingLog, players: Sequence[HandPlayer], index: int) -> tuple[int, ...]:
        """The wager of full size that PokerKit gives the player at `index`, or none."""
        player = players[index]
        total = player.round_chips + player.stack_chips
        owed = min(player.stack_chips, self.level_chips - player.round_chips)
        barred = self.short_chips and sum(self.short_chips) < self.largest_chips and index in self.acted
        if (
            owed < self.largest_chips
            or self.count == MOST_WAGERS
            or barred
            or total <= self.level_chips
            or not covered(players, index, self.level_chips)
        ):
            return ()
        size = max(self.largest_chips, log.small_chips)
        return (min(total, size if self.count == 0 and log.first_round else size + self.level_chips),)


def covered(players: Sequence[HandPlayer], index: int, level_chips: int) -> bool:
    """Whether another player can put in more than this level, which is what PokerKit wants for a wager."""
    return any(
        other.round_chips + other.stack_chips > level_chips
        for place, other in enumerate(players)
        if place != index and not other.folded
    )


def pokerkit_terms(
    ours: Terms, log: BettingLog, players: Sequence[HandPlayer], index: int
) -> tuple[Terms, list[Difference]]:
    """What PokerKit must offer where we offer `ours`, and the rules that make it differ; mostly none.

    Raises `Mismatch` if the rulebooks differ here and no rule of the list says why.
    """
    memory = PokerKitMemory(log)
    player = players[index]
    total = player.round_chips + player.stack_chips
    level_chips = memory.level_chips
    found: list[Difference] = []
    theirs = ours
    if log.unopened and not log.forced:
        theirs = theirs._replace(fold=False)
        found.append(Difference.OPENER_MAY_FOLD)
    if ours.call_to is not None and min(total, level_chips) != ours.call_to:
        theirs = theirs._replace(call_to=min(total, level_chips))
        found.append(Difference.SHORT_BRING_IN)
    if log.unopened and log.variant.bring_in_is_bet:
        # There the bring-in itself is the wager.
        return theirs, found
    wagers_to = memory.wagers_to(log, players, index)
    if wagers_to != ours.wagers_to:
        theirs = theirs._replace(wagers_to=wagers_to)
        found.append(_why_wagers_differ(ours, wagers_to, log, players, index, memory))
    return theirs, found


def _why_wagers_differ(  # noqa: PLR0913 - the two offers and the whole of the situation
    ours: Terms,
    wagers_to: tuple[int, ...],
    log: BettingLog,
    players: Sequence[HandPlayer],
    index: int,
    memory: PokerKitMemory,
) -> Difference:
    player = players[index]
    if log.unopened and player.stack_chips <= log.variant.bring_in_chips:
        return Difference.SHORT_OPENER
    if ours.wagers_to and not covered(players, index, memory.level_chips):
        return Difference.COVERED
    if log.first_round and memory.level_chips < log.variant.bring_in_chips and not log.unopened:
        return Difference.SHORT_BRING_IN
    if log.has_short_all_in():
        return Difference.HALF_BET
    if log.open_pair:
        return Difference.OPEN_PAIR
    raise Mismatch(f"wagers are {ours.wagers_to} and {wagers_to}, and no rule says why")
