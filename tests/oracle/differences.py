"""Where PokerKit's rules are not the house's, each by its rule, and the options that two parties offer on a turn."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Difference(Enum):
    """A rule of the house that PokerKit does not have. The value says both sides."""

    OPENER_MAY_FOLD = "A3: who opens in the place of an all-in low card may fold; PokerKit forces the bring-in on him"
    SHORT_OPENER = "A3: who has no more than the bring-in can only post it; PokerKit lets him complete with it too"
    SHORT_BRING_IN = "A3: after a short bring-in the price is the full one; PokerKit's is what was posted"
    LAST_NOT_ASKED = "A3: the last player with chips who owes nothing is not asked; PokerKit asks him to check"
    HALF_BET = "A4: an all-in of half a bet counts as a wager, a shorter one does not; PokerKit knows full wagers only"
    COVERED = "A4: a wager needs another player with chips; PokerKit wants one who can put in more than the price"
    OPEN_PAIR = "A5: a pair on 4th street opens the big bet too; PokerKit has the small one only"
    COMMON_CARD_SPEAKS = "A6: the common card counts for who opens; PokerKit leaves it out"
    POTS_MERGED = "A8: each pot is split by itself; PokerKit first merges pots that only beaten hands keep apart"
    SHORT_DECK = "A7: stub, then burns, else a common card; PokerKit deals folded cards again, and always burns"


class Terms(NamedTuple):
    """What a seat may do: all amounts are its total for the round after the action, None and () where there is none."""

    fold: bool
    check: bool
    call_to: int | None
    bring_in_to: int | None
    wagers_to: tuple[int, ...]

    def __str__(self) -> str:
        words = ["fold"] * self.fold + ["check"] * self.check
        words += [f"call({self.call_to})"] * (self.call_to is not None)
        words += [f"bring({self.bring_in_to})"] * (self.bring_in_to is not None)
        return ",".join([*words, *(f"wager({to_chips})" for to_chips in self.wagers_to)]) or "nothing"


class Mismatch(AssertionError):
    """The two engines part where no rule of the list says that they do, or not as it says."""
