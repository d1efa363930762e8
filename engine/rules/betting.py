"""One limit betting round: who is to act, what is owed, what may be wagered, and what a wager does.

Theory of operation. `base_chips` is the last full level of the round, `price_chips` what every seat's total must reach.
They differ only while the price was set by something that is no full wager: a bring-in below the small bet, or an
all-in of less than half a bet. A full wager goes to `base + unit`; an all-in that falls short of that is still full if
it is at least half a unit over the base, and then it is the new base. Only full wagers count toward the cap.

A seat that has acted remembers the level that it acted at. It may wager again only if the price has since risen by at
least half a unit; a level without a full wager beneath it counts as nothing. So short all-ins add up, and a bring-in
does not close the betting to its poster (`rules.md` A3 and A4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from engine.rules.actions import Bet, BringIn, Call, Check, Chips, Complete, Fold, Option, Options, Raise, SeatNo, Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.rules.events import BringInPosted, Wagered


class Bettor(msgspec.Struct):
    """What a betting round knows of a dealt-in seat. `acted_at_chips` is None until it has acted in the round."""

    seat: SeatNo
    stack_chips: int
    round_chips: int = 0
    folded: bool = False
    acted_at_chips: int | None = None


class BettingRound(msgspec.Struct):
    """The state of the running round.

    `small_chips` and `big_chips` are the sizes of a wager: equal, except on an open pair's street (`rules.md` A5).
    `bring_in_chips` is 0 but on the first round. `pointer` is the index of the bettor after whom the turn is sought.
    `uncapped` is set for good once the round has become heads-up in time, where the house plays it so.
    """

    small_chips: int
    big_chips: int
    bring_in_chips: int
    max_wagers: int
    pointer: int
    forced: bool
    first_round: bool
    price_chips: int = 0
    base_chips: int = 0
    wagers: int = 0
    big_made: bool = False
    uncapped: bool = False
    aggressor: SeatNo | None = None

    @property
    def unit_chips(self) -> int:
        """The size by which half a bet is measured: the small one until a big wager, then the big (`rules.md` A5)."""
        return self.big_chips if self.big_made else self.small_chips


def to_act(round_: BettingRound, bettors: Sequence[Bettor]) -> int | None:
    """The index of the bettor whose turn it is, or None when the round is over.

    The bettors must stand clockwise from the dealer's left. A lone player with chips who owes nothing is not asked
    (`rules.md` A3.8).
    """
    live = with_chips = 0
    for bettor in bettors:
        if not bettor.folded:
            live += 1
            with_chips += bettor.stack_chips > 0
    if live < 2 or with_chips == 0:
        return None
    count = len(bettors)
    index = round_.pointer
    for _ in range(count):
        index = (index + 1) % count
        bettor = bettors[index]
        if bettor.folded or bettor.stack_chips == 0:
            continue
        owes = bettor.round_chips < round_.price_chips
        if owes or (bettor.acted_at_chips is None and with_chips > 1):
            return index
    return None


def options(round_: BettingRound, bettors: Sequence[Bettor], index: int) -> Options:
    """What the bettor at `index`, whose turn it must be, may do; never empty."""
    bettor = bettors[index]
    most = bettor.round_chips + bettor.stack_chips
    unopened = round_.first_round and round_.price_chips == 0
    found: list[Option] = []
    if not (unopened and round_.forced):
        found.append(Option(action=Fold()))
    if unopened:
        found.append(_option(BringIn(to_chips=min(round_.bring_in_chips, most)), bettor))
    elif bettor.round_chips < round_.price_chips:
        found.append(_option(Call(to_chips=min(round_.price_chips, most)), bettor))
    else:
        found.append(Option(action=Check()))
    if _may_wager(round_, bettors, index):
        found.extend(_wagers(round_, bettor))
    return tuple(found)


def is_full(round_: BettingRound, to_chips: Chips) -> bool:
    """Whether a wager to this amount counts: at least half a unit over the base (`rules.md` A4)."""
    return 2 * (to_chips - round_.base_chips) >= round_.unit_chips


def is_big(round_: BettingRound, to_chips: Chips) -> bool:
    """Whether it is a big wager where both sizes are open, whatever word was used for it (`rules.md` A5)."""
    return round_.small_chips < round_.big_chips <= to_chips - round_.base_chips


def fold_bring_in(round_: BettingRound, bettor: Bettor, event: BringInPosted) -> None:
    round_.price_chips = event.price_chips
    if event.full:
        round_.base_chips = event.price_chips
        round_.wagers = 1
        round_.aggressor = event.seat
    mark_acted(round_, bettor)


def fold_wager(round_: BettingRound, bettor: Bettor, event: Wagered) -> None:
    round_.price_chips = event.to_chips
    if event.full:
        round_.base_chips = event.to_chips
        round_.wagers += 1
    if event.big:
        round_.big_made = True
    round_.aggressor = event.seat
    mark_acted(round_, bettor)


def mark_acted(round_: BettingRound, bettor: Bettor) -> None:
    """Remember the level at which the bettor acted; without a full wager beneath it, it counts as nothing."""
    bettor.acted_at_chips = round_.price_chips if round_.base_chips else 0


def _may_wager(round_: BettingRound, bettors: Sequence[Bettor], index: int) -> bool:
    bettor = bettors[index]
    if round_.wagers >= round_.max_wagers and not round_.uncapped:
        return False
    floor_chips = round_.price_chips
    if round_.first_round and round_.price_chips == 0:
        if round_.bring_in_chips == round_.small_chips:
            # The bring-in is the bet itself, so there is nothing to complete.
            return False
        floor_chips = round_.bring_in_chips
    if bettor.round_chips + bettor.stack_chips <= floor_chips:
        return False
    acted_at = bettor.acted_at_chips
    if acted_at is not None and 2 * (round_.price_chips - acted_at) < round_.unit_chips:
        return False
    return any(other is not bettor and not other.folded and other.stack_chips > 0 for other in bettors)


def _wagers(round_: BettingRound, bettor: Bettor) -> list[Option]:
    if round_.wagers:
        verb: type[Complete | Bet | Raise] = Raise
    elif round_.price_chips or round_.first_round:
        verb = Complete
    else:
        verb = Bet
    most = bettor.round_chips + bettor.stack_chips
    sizes: list[tuple[Chips, Size | None]]
    if round_.small_chips == round_.big_chips:
        sizes = [(round_.small_chips, None)]
    elif round_.big_made:
        sizes = [(round_.big_chips, "big")]
    else:
        sizes = [(round_.small_chips, "small"), (round_.big_chips, "big")]
    found: list[Option] = []
    for unit_chips, size in sizes:
        to_chips = min(round_.base_chips + unit_chips, most)
        if not found or found[-1].added_chips != to_chips - bettor.round_chips:
            full = is_full(round_, to_chips)
            found.append(_option(verb(to_chips=to_chips), bettor, size=size, full=full))
    return found


def _option(
    action: BringIn | Call | Complete | Bet | Raise, bettor: Bettor, *, size: Size | None = None, full: bool = True
) -> Option:
    added_chips = action.to_chips - bettor.round_chips
    return Option(
        action=action, added_chips=added_chips, all_in=added_chips == bettor.stack_chips, size=size, full=full
    )
