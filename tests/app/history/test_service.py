"""The history shows everyone what he may see: his own cards and what was shown, for ever."""

from typing import Any

import pytest

from app.history.repository import HandRow, HistoryRepository, PlayedHand
from app.history.service import History
from app.paging import Place
from app.refusals import BadBody, HandArchived, HandRuns, NoSuchHand
from engine.rules import stud
from engine.rules.actions import BringIn, Fold, SeatNo
from engine.rules.cards import DECK, HIDDEN
from engine.rules.events import CardDealt, HandEvent, HandId, HandSeat, HandStarted, PlayerId
from engine.rules.variants import five_card_stud
from engine.table.events import AnyEvent, TurnOpened

ADA, BOB, EVE = PlayerId("ada"), PlayerId("bob"), PlayerId("eve")
HAND = HandId("h1")


class FakeRepository(HistoryRepository):
    def __init__(self, *, over: bool = True, archived: bool = False, rows: int = 0) -> None:
        self.over = over
        self.archived = archived
        self.rows = [played(number) for number in range(rows, 0, -1)]

    async def hand(self, hand: HandId) -> HandRow | None:
        return HandRow("t1", "PLAY", self.over, self.archived) if hand == HAND else None

    async def played(self, player: PlayerId, *, before: Place | None, limit: int) -> list[PlayedHand]:
        return [row for row in self.rows if before is None or (row.started_ms, row.hand) < before][:limit]


class FakeJournal:
    """One hand of two, folded at once, with something of the table's between its events."""

    def __init__(self) -> None:
        seats = [HandSeat(seat=SeatNo(n), player=who, name=who, stack_chips=50) for n, who in ((1, ADA), (2, BOB))]
        variant = five_card_stud(small_bet_chips=4, big_bet_chips=8)
        hand, events = stud.start(hand=HAND, variant=variant, dealer=0, seats=seats, deck=DECK)
        told: list[AnyEvent] = [*events, TurnOpened(turns=())]
        told += stud.apply(hand, SeatNo(1), BringIn(to_chips=4))
        told += stud.apply(hand, SeatNo(2), Fold())
        self.kept = [(seq, 1000 + seq, event) for seq, event in enumerate(told, start=70)]

    async def hand_events(self, hand: HandId) -> list[tuple[int, int, AnyEvent]]:
        return self.kept


def played(number: int) -> PlayedHand:
    return PlayedHand(
        f"h{number}", "t1", "Rue", "stud5", "PLAY", 4, 8, 1, 50, -4, 8, "ended", 10 * number, 10 * number + 5
    )


def history(**fields: Any) -> History:
    return History(FakeRepository(**fields), FakeJournal())


def down_cards(events: list[HandEvent]) -> dict[int, str]:
    return {event.seat: event.card for event in events if isinstance(event, CardDealt) and event.face == "down"}


@pytest.mark.parametrize(
    ("asker", "seat", "seen"),
    [
        (ADA, 1, {1: DECK[0], 2: HIDDEN}),
        (BOB, 2, {1: HIDDEN, 2: DECK[1]}),
        (EVE, None, {1: HIDDEN, 2: HIDDEN}),
        (None, None, {1: HIDDEN, 2: HIDDEN}),
    ],
)
async def test_b188_b218_own_cards_and_no_others(
    asker: PlayerId | None, seat: int | None, seen: dict[int, str]
) -> None:
    told = await history().hand(HAND, asker)
    assert told.seat == seat
    events = [one.event for one in told.events]
    assert down_cards(events) == seen
    (started,) = (event for event in events if isinstance(event, HandStarted))
    assert started.deck == ()


async def test_events_keep_their_numbers_and_times() -> None:
    told = await history().hand(HAND, None)
    kept = [(seq, at_ms) for seq, at_ms, event in FakeJournal().kept if isinstance(event, HandEvent)]
    assert [(one.seq, one.at_ms) for one in told.events] == kept
    assert (told.table, told.currency) == ("t1", "PLAY")


async def test_a_hand_that_runs_is_no_history() -> None:
    with pytest.raises(HandRuns):
        await history(over=False).hand(HAND, ADA)


async def test_a_hand_whose_events_have_left_for_an_archive() -> None:
    with pytest.raises(HandArchived):
        await history(archived=True).hand(HAND, ADA)


async def test_a_hand_that_never_was() -> None:
    with pytest.raises(NoSuchHand):
        await history().hand(HandId("other"), ADA)


async def test_pages_of_ones_own_hands() -> None:
    told = history(rows=5)
    names: list[str] = []
    before = None
    while True:
        page = await told.hands_of(ADA, before=before, limit=2)
        names += [one.hand for one in page.hands]
        if (before := page.next) is None:
            break
    assert names == ["h5", "h4", "h3", "h2", "h1"]
    with pytest.raises(BadBody):
        await told.hands_of(ADA, before="x", limit=2)
