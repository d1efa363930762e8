"""What a player wishes, in the imperative, and the options that the rules offer him on his turn.

Every amount is what the player's total for the round becomes ("to"), and it must be the very amount that an option
names: a wish is accepted or refused, never bent to fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NewType, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

Chips: TypeAlias = int
"""An amount in the smallest unit of the table's currency."""

SeatNo = NewType("SeatNo", int)
"""The number of a place at the table, from 1. Never an index."""


class _Action(msgspec.Struct, frozen=True, tag_field="verb", forbid_unknown_fields=True):
    """A wish on one's turn."""


class Fold(_Action, tag="fold", frozen=True):
    """Give up the hand. Offered on every turn but the forced bring-in, also when a check is free (`rules.md` A4)."""


class Check(_Action, tag="check", frozen=True):
    """Stay in without putting chips in. Never on the first round (`rules.md` A3)."""


class Call(_Action, tag="call", frozen=True):
    to_chips: int


class BringIn(_Action, tag="bring_in", frozen=True):
    """Post the bring-in; with a shorter stack, all of it (`rules.md` A3)."""

    to_chips: int


class Complete(_Action, tag="complete", frozen=True):
    """Make the first full wager over a bring-in or over an opening under half (`rules.md` A3, A4)."""

    to_chips: int


class Bet(_Action, tag="bet", frozen=True):
    to_chips: int


class Raise(_Action, tag="raise", frozen=True):
    to_chips: int


StudAction: TypeAlias = Fold | Check | Call | BringIn | Complete | Bet | Raise
Action: TypeAlias = StudAction
"""Every wish that a hand of any game may be asked for."""

Wager: TypeAlias = Complete | Bet | Raise

Size = Literal["small", "big"]


class Option(msgspec.Struct, frozen=True):
    """One thing that a seat may do now; a client sends `action` back as it stands.

    `added_chips` leave the stack, `all_in` says that they are the whole of it, `size` tells a small from a big wager,
    and `full` is false for an all-in of less than half a bet, which does not reopen the betting (`rules.md` A4).
    """

    action: Action
    added_chips: int = 0
    all_in: bool = False
    size: Size | None = None
    full: bool = True


Options: TypeAlias = tuple[Option, ...]

Legal: TypeAlias = "Mapping[SeatNo, Options]"
"""What each seat may do now: one seat at a time in stud, several at once at the bank."""
