"""A game as data: its streets, stakes, limits, cap and rake. A house sets any of it; the rules read nothing else.

The two studs are one engine and two values of `Variant` (`rules.md` A1). The stakes are part of the variant, because
they belong to the hand: each hand's first event carries the whole of it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from engine.limits import MAX_CHIPS
from engine.rules.errors import BadVariant

RULES_NUMBER = 1
"""Goes up with every change of the rules that decides some hand otherwise. A hand is replayed under its own."""

Game = Literal["stud5", "stud7"]
Face = Literal["down", "up"]


class Street(msgspec.Struct, frozen=True):
    """One street: `number` is how many cards each player then holds, `deal` the faces of the cards dealt on it."""

    number: int
    deal: tuple[Face, ...]
    big_bet: bool
    burn: bool
    open_pair_doubles: bool = False


class Rake(msgspec.Struct, frozen=True):
    """The house's share of each called pot, in hundredths of a percent, rounded down (`rules.md` A8)."""

    basis_points: int = 0
    cap_chips: int = 0


class Variant(msgspec.Struct, frozen=True, tag_field="kind", tag="stud"):
    """A limit stud with its stakes. Make one by `five_card_stud` or `seven_card_stud`; amounts in chips.

    A bring-in equal to the small bet is the bet itself; a lower one may be completed (`rules.md` A3).
    """

    game: Game
    seats: int
    streets: tuple[Street, ...]
    ante_chips: int
    bring_in_chips: int
    small_bet_chips: int
    big_bet_chips: int
    max_wagers: int = 4
    heads_up_uncapped: bool = False
    rake: Rake = Rake()

    @property
    def bring_in_is_bet(self) -> bool:
        return self.bring_in_chips == self.small_bet_chips

    @property
    def cards_per_player(self) -> int:
        return self.streets[-1].number


FIVE_CARD_STREETS = (
    Street(number=2, deal=("down", "up"), big_bet=False, burn=False),
    Street(number=3, deal=("up",), big_bet=False, burn=True),
    Street(number=4, deal=("up",), big_bet=True, burn=True),
    Street(number=5, deal=("up",), big_bet=True, burn=True),
)

SEVEN_CARD_STREETS = (
    Street(number=3, deal=("down", "down", "up"), big_bet=False, burn=False),
    Street(number=4, deal=("up",), big_bet=False, burn=True, open_pair_doubles=True),
    Street(number=5, deal=("up",), big_bet=True, burn=True),
    Street(number=6, deal=("up",), big_bet=True, burn=True),
    Street(number=7, deal=("down",), big_bet=True, burn=True),
)

MAX_SEATS = 8


def five_card_stud(  # noqa: PLR0913 - a game's sheet of data, every field named
    *,
    small_bet_chips: int,
    big_bet_chips: int,
    ante_chips: int | None = None,
    bring_in_chips: int | None = None,
    heads_up_uncapped: bool = False,
    rake: Rake = Rake(),  # noqa: B008 - frozen
) -> Variant:
    """Limit Five-Card Stud; the bring-in is by default the small bet itself (`rules.md` A1). Raises `BadVariant`."""
    return checked(
        Variant(
            game="stud5",
            seats=MAX_SEATS,
            streets=FIVE_CARD_STREETS,
            ante_chips=default_ante_chips(small_bet_chips) if ante_chips is None else ante_chips,
            bring_in_chips=small_bet_chips if bring_in_chips is None else bring_in_chips,
            small_bet_chips=small_bet_chips,
            big_bet_chips=big_bet_chips,
            heads_up_uncapped=heads_up_uncapped,
            rake=rake,
        )
    )


def seven_card_stud(  # noqa: PLR0913 - a game's sheet of data, every field named
    *,
    small_bet_chips: int,
    big_bet_chips: int,
    ante_chips: int | None = None,
    bring_in_chips: int | None = None,
    heads_up_uncapped: bool = False,
    rake: Rake = Rake(),  # noqa: B008 - frozen
) -> Variant:
    """Limit Seven-Card Stud; the bring-in is by default two fifths of the small bet (`rules.md` A1).

    Raises `BadVariant`, also for a bring-in that is not below the small bet.
    """
    return checked(
        Variant(
            game="stud7",
            seats=MAX_SEATS,
            streets=SEVEN_CARD_STREETS,
            ante_chips=default_ante_chips(small_bet_chips) if ante_chips is None else ante_chips,
            bring_in_chips=-(-2 * small_bet_chips // 5) if bring_in_chips is None else bring_in_chips,
            small_bet_chips=small_bet_chips,
            big_bet_chips=big_bet_chips,
            heads_up_uncapped=heads_up_uncapped,
            rake=rake,
        )
    )


def default_ante_chips(small_bet_chips: int) -> int:
    """A quarter of the small bet, rounded up to a whole chip (`rules.md` A1)."""
    return -(-small_bet_chips // 4)


def checked(variant: Variant) -> Variant:
    """Give the variant back if its data agree with each other; raises `BadVariant` with the field's name."""
    _require(variant.small_bet_chips >= 1, "small_bet_chips", "too_low")
    _require(variant.small_bet_chips <= variant.big_bet_chips, "big_bet_chips", "below_small_bet")
    _require(variant.big_bet_chips <= MAX_CHIPS // 1000, "big_bet_chips", "too_high")
    _require(0 <= variant.ante_chips <= variant.big_bet_chips, "ante_chips", "out_of_range")
    _require(1 <= variant.bring_in_chips <= variant.small_bet_chips, "bring_in_chips", "out_of_range")
    if variant.game == "stud7":
        _require(variant.bring_in_chips < variant.small_bet_chips, "bring_in_chips", "not_below_small_bet")
    _require(2 <= variant.seats <= MAX_SEATS, "seats", "out_of_range")
    _require(variant.max_wagers >= 1, "max_wagers", "too_low")
    _require(0 <= variant.rake.basis_points <= 1000, "rake.basis_points", "out_of_range")
    _require(0 <= variant.rake.cap_chips <= MAX_CHIPS // 1000, "rake.cap_chips", "out_of_range")
    return variant


def _require(holds: bool, field: str, reason: str) -> None:  # noqa: FBT001 - a checked condition, not a flag
    if not holds:
        raise BadVariant(field=field, reason=reason)
