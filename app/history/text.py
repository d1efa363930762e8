"""A hand as text for people, in English, from its events as some viewer may see them.

It says what happened and works nothing out: amounts, pots and results are those of the events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from engine.rules.cards import Card, format_cards
from engine.rules.events import (
    AntePosted,
    BetMade,
    BetsCollected,
    BringInPosted,
    Called,
    CardBurnt,
    CardDealt,
    Checked,
    CommonCardDealt,
    Completed,
    Folded,
    HandCancelled,
    HandEnded,
    HandEvent,
    HandMucked,
    HandShown,
    HandsTabled,
    HandStarted,
    PotAwarded,
    Raised,
    RakeTaken,
    RoundOpened,
    UncalledReturned,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.rules.actions import SeatNo
    from engine.rules.events import DealtFace, Pot, SeatResult, Share
    from engine.rules.ranking import HandName

GAMES = {"stud5": "Five-Card Stud", "stud7": "Seven-Card Stud"}
STREETS = {2: "Second", 3: "Third", 4: "Fourth", 5: "Fifth", 6: "Sixth", 7: "Seventh"}
RANKS = dict(
    zip(
        "23456789TJQKA",
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"),
        strict=True,
    )
)


def hand_text(events: Iterable[HandEvent]) -> str:
    """Tell a hand, line by line. `events` must be one hand's, in order, the first a `HandStarted`.

    A down card that the viewer may not see stands as `??`; an upright bar parts what a seat holds face down from what
    lies open.
    """
    telling = _Telling()
    for event in events:
        telling.tell(event)
    return "\n".join(telling.lines) + "\n"


def name_text(name: HandName) -> str:  # noqa: C901 - one case a category
    """A hand's name in words: `two pair, aces and kings`."""
    ranks = [RANKS[rank] for rank in name.ranks]
    match name.category:
        case "high_card":
            return f"high card, {ranks[0]}"
        case "pair":
            return f"pair of {_plural(ranks[0])}"
        case "two_pair":
            return f"two pair, {_plural(ranks[0])} and {_plural(ranks[1])}"
        case "three_of_a_kind":
            return f"three of a kind, {_plural(ranks[0])}"
        case "straight":
            return f"straight to the {ranks[0]}"
        case "flush":
            return f"flush, {ranks[0]} high"
        case "full_house":
            return f"full house, {_plural(ranks[0])} full of {_plural(ranks[1])}"
        case "four_of_a_kind":
            return f"four of a kind, {_plural(ranks[0])}"
        case "straight_flush":
            return f"straight flush to the {ranks[0]}"
        case "royal_flush":
            return "royal flush"
        case _:
            assert_never(name.category)


class _Telling:
    """What has been told so far, and what the next lines need of it: names, cards, the street that is being dealt."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[SeatNo, str] = {}
        self._cards: dict[SeatNo, list[tuple[Card, DealtFace]]] = {}
        self._live: list[SeatNo] = []
        self._common: Card | None = None
        self._pots: Sequence[Pot] = ()
        self._antes: dict[int, list[str]] = {}
        self._showing = False

    def tell(self, event: HandEvent) -> None:  # noqa: C901 - one case an event
        match event:
            case HandStarted():
                self._begin(event)
            case AntePosted():
                self._antes.setdefault(event.added_chips, []).append(self._who(event.seat) + _all_in(event.all_in))
            case CardDealt():
                self._cards[event.seat].append((event.card, event.face))
            case CommonCardDealt():
                self._common = event.card
            case CardBurnt():
                pass
            case RoundOpened():
                self._open_street(event)
            case BringInPosted() | Completed() | BetMade() | Raised() | Called():
                self._say(event.seat, _deed(event) + _all_in(event.all_in))
            case Checked():
                self._say(event.seat, "checks")
            case Folded():
                self._live.remove(event.seat)
                self._say(event.seat, "folds")
            case UncalledReturned():
                self._add(f"{event.returned_chips} uncalled goes back to {self._who(event.seat)}")
            case BetsCollected():
                self._pots = event.pots
            case HandsTabled():
                for tabled in event.hands:
                    self._reveal(tabled.seat, tabled.cards)
                self._add("No more betting: all hands are turned up")
            case HandShown():
                self._show(event)
            case HandMucked():
                self._head("Showdown")
                self._say(event.seat, "mucks")
            case RakeTaken():
                self._add(f"Rake {event.amount_chips} from the {self._pot_name(event.pot)}")
            case PotAwarded():
                self._award(event.pot, event.shares)
            case HandEnded():
                self._end("Result", event.results)
            case HandCancelled():
                self._end(f"Cancelled ({event.reason}): every stack is what it was before the ante", event.results)
            case _:
                assert_never(event)

    def _begin(self, event: HandStarted) -> None:
        variant = event.variant
        self._names = {one.seat: one.name for one in event.seats}
        self._live = [one.seat for one in event.seats]
        self._cards = {seat: [] for seat in self._live}
        stakes = f"limit {variant.small_bet_chips}/{variant.big_bet_chips}"
        forced = f"ante {variant.ante_chips}, bring-in {variant.bring_in_chips}"
        self.lines += [f"Hand {event.hand}", f"{GAMES[variant.game]}, {stakes}, {forced}", ""]
        self.lines += [f"Seat {one.seat}: {one.name} with {one.stack_chips}" for one in event.seats]

    def _open_street(self, event: RoundOpened) -> None:
        for chips, names in self._antes.items():
            self._add(f"Ante {chips}: {', '.join(names)}")
        self._antes = {}
        pot = f", pot {sum(pot.amount_chips for pot in self._pots)}" if self._pots else ""
        self.lines += ["", f"{STREETS[event.street]} street{pot}"]
        width = max(len(name) for name in self._names.values())
        self.lines += [f"  {self._who(seat):{width}}  {self._hand(seat)}" for seat in self._live]
        if self._common is not None:
            self._add(f"Common card {self._common}")
        if event.open_pair:
            self._add(f"An open pair: bets of {event.small_chips} or {event.big_chips}")

    def _hand(self, seat: SeatNo) -> str:
        """A seat's cards: those face down, a bar, those that lie open."""
        down = format_cards(card for card, face in self._cards[seat] if face == "down")
        is_open = format_cards(card for card, face in self._cards[seat] if face != "down")
        return " | ".join(part for part in (down, is_open) if part)

    def _reveal(self, seat: SeatNo, cards: Sequence[Card]) -> None:
        faces = [face for _, face in self._cards[seat]]
        self._cards[seat] = list(zip(cards, faces, strict=True))

    def _show(self, event: HandShown) -> None:
        self._head("Showdown")
        self._reveal(event.seat, event.cards)
        self._say(event.seat, f"shows {format_cards(event.cards)}: {name_text(event.name)}")

    def _award(self, number: int, shares: Sequence[Share]) -> None:
        amounts = " and ".join(f"{share.amount_chips} to {self._who(share.seat)}" for share in shares)
        self._add(f"{self._pot_name(number).capitalize()}: {amounts}")

    def _end(self, title: str, results: Sequence[SeatResult]) -> None:
        self.lines += ["", title]
        width = max(len(name) for name in self._names.values())
        self.lines += [f"  {self._who(one.seat):{width}}  {one.stack_chips} ({one.net_chips:+})" for one in results]

    def _pot_name(self, number: int) -> str:
        if len(self._pots) < 2:
            return "pot"
        return "main pot" if number == 0 else f"side pot {number}"

    def _head(self, title: str) -> None:
        if not self._showing:
            self._showing = True
            self.lines += ["", title]

    def _who(self, seat: SeatNo) -> str:
        return self._names[seat]

    def _say(self, seat: SeatNo, deed: str) -> None:
        self._add(f"{self._who(seat)} {deed}")

    def _add(self, line: str) -> None:
        self.lines.append(f"  {line}")


def _deed(event: BringInPosted | Completed | BetMade | Raised | Called) -> str:
    match event:
        case BringInPosted():
            return f"brings in for {event.to_chips}"
        case Completed():
            return f"completes to {event.to_chips}"
        case BetMade():
            return f"bets {event.to_chips}"
        case Raised():
            return f"raises to {event.to_chips}"
        case Called():
            return f"calls {event.added_chips}"
        case _:
            assert_never(event)


def _all_in(all_in: bool) -> str:  # noqa: FBT001 - the event's own field
    return " and is all-in" if all_in else ""


def _plural(rank: str) -> str:
    return f"{rank}es" if rank == "six" else f"{rank}s"
