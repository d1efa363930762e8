"""Hands of stud in a line or two, for tests of the rules: tokens as in the worked cases, and cards that are known.

`seven("3:bring 1:call ?2=fold,call(2),complete(10)", stacks={1: 300, 2: 300, 3: 300})` deals, follows the tokens and
gives the hand with its events. A token that the engine does not agree with fails the test with a line that tells both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from engine.rules import stud
from engine.rules.events import HandEvent
from engine.rules.stud_hand import StudHand
from tests.cases.case import HandCase, HandExpected
from tests.cases.play import Followed, follow, priced, words

EventT = TypeVar("EventT", bound=HandEvent)

SEVEN = {
    1: "Ah Kd Qc Ad 9h 8s 3h",
    2: "7h 7d 7c 4d 5s Td Jh",
    3: "6h 6d 2c 3c 4h 8d 9s",
    4: "Kh Jd 3d 5h 6c 8c Qs",
    5: "Th Tc 4s 2d Js 9d Kc",
}
"""Seat 3 has the low card; then seat 1 opens every street, and no pair shows. Best to worst: 2, 1, 5, 3, 4."""

FIVE = {
    1: "Ah 2c 5d 9c Qd",
    2: "Kh Ks 7d 8c 3s",
    3: "Qh Jh Td 4s 6h",
    4: "Qc Th 4d 2h 8h",
}
"""Seat 1 has the low card; then seat 2 opens every street. Best to worst: 2, 1, 3, 4."""

STAKES7 = {"ante": 1, "bring_in": 2, "small": 10, "big": 20}
STAKES5 = {"ante": 1, "bring_in": 10, "small": 10, "big": 20}


def seven(
    actions: str = "", *, stacks: Mapping[int, int], cards: Mapping[int, str] | None = None, **fields: Any
) -> Followed:
    """Seven-card stud at 10/20 with an ante of 1 and a bring-in of 2. `cards` and `fields` go over what is usual."""
    return follow(_case("stud7", actions, stacks, SEVEN | dict(cards or {}), STAKES7 | fields))


def five(
    actions: str = "", *, stacks: Mapping[int, int], cards: Mapping[int, str] | None = None, **fields: Any
) -> Followed:
    """Five-card stud at 10/20 with an ante of 1, the bring-in the small bet. `cards` and `fields` as with `seven`."""
    return follow(_case("stud5", actions, stacks, FIVE | dict(cards or {}), STAKES5 | fields))


def told(events: list[HandEvent], kind: type[EventT]) -> list[EventT]:
    """The events of one kind, in their order."""
    return [event for event in events if isinstance(event, kind)]


def choices(hand: StudHand) -> str:
    """Who is to act and what he may do, as a token says it; empty when nobody is."""
    return " ".join(
        f"?{seat}={','.join(priced(word, action) for word, action in words(options).items())}"
        for seat, options in stud.legal(hand).items()
    )


def stacks(hand: StudHand) -> dict[int, int]:
    return {player.seat: player.stack_chips for player in sorted(hand.players, key=lambda one: one.seat)}


def even(chips: int, *, seats: int) -> dict[int, int]:
    """So many seats with as many chips each."""
    return dict.fromkeys(range(1, seats + 1), chips)


def _case(
    kind: Literal["stud7", "stud5"],
    actions: str,
    stacks: Mapping[int, int],
    cards: dict[int, str],
    fields: dict[str, Any],
) -> HandCase:
    seated = {seat: text for seat, text in cards.items() if seat in stacks}
    return HandCase(
        id="hand", kind=kind, stacks=dict(stacks), cards=seated, actions=actions, expect=HandExpected({}), **fields
    )
