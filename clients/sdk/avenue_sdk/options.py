"""What a seat may do on its turn, easy to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from avenue_sdk.messages import Option

if TYPE_CHECKING:
    from collections.abc import Iterator

Verb: TypeAlias = Literal["fold", "check", "call", "bring_in", "complete", "bet", "raise"]

_WAGERS: tuple[Verb, ...] = ("complete", "bet", "raise")


class Options(msgspec.Struct, frozen=True):
    """A turn's options: each property is an `Option` to give back, or None where it is not offered.

    At least `stay` is always offered, and `passive` too. Iterating gives all options as the server listed them.
    """

    all: tuple[Option, ...]

    def __iter__(self) -> Iterator[Option]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def offered(self, verb: Verb) -> Option | None:
        """The option with this verb, the cheaper one where two have it."""
        for option in self.all:
            if verb_of(option) == verb:
                return option
        return None

    @property
    def fold(self) -> Option | None:
        return self.offered("fold")

    @property
    def check(self) -> Option | None:
        return self.offered("check")

    @property
    def call(self) -> Option | None:
        return self.offered("call")

    @property
    def bring_in(self) -> Option | None:
        return self.offered("bring_in")

    @property
    def wager(self) -> Option | None:
        """To bet, to complete or to raise, whichever it is now; the small size where both are offered."""
        return next((option for option in self.all if verb_of(option) in _WAGERS), None)

    @property
    def big_wager(self) -> Option | None:
        """The largest bet, completion or raise; the same as `wager` where one size is offered."""
        return next((option for option in reversed(self.all) if verb_of(option) in _WAGERS), None)

    @property
    def stay(self) -> Option:
        """The cheapest way to stay in the hand: to check, to call or to bring in."""
        return self._first("check", "call", "bring_in")

    @property
    def passive(self) -> Option:
        """The cheapest thing of all: to check, else to fold; a forced bring-in is posted."""
        return self._first("check", "fold", "bring_in")

    def _first(self, *verbs: Verb) -> Option:
        for verb in verbs:
            option = self.offered(verb)
            if option is not None:
                return option
        return self.all[0]


def verb_of(option: Option) -> Verb:
    verb: Verb = option.action.__struct_config__.tag  # type: ignore[assignment]  # every action is tagged by its verb
    return verb
