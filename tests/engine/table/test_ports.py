"""The ports: what passes through them tells no card, and the fakes have their shape."""

import pytest

from engine.deal.shuffle import Deck, SystemDecks
from engine.rules.cards import DECK, Card
from engine.rules.events import HandStarted
from engine.table.errors import CommitRefused
from engine.table.ports import (
    AccountRef,
    Clock,
    DeckSource,
    Entry,
    FaultLog,
    Journal,
    Outbox,
    Published,
    TableCommit,
    Timer,
    Transfer,
)
from tests.engine.table.desk import ANN, TABLE, Desk
from tests.fakes import (
    FixedDecks,
    Ledger,
    MemoryJournal,
    RecordingFaults,
    RecordingOutbox,
    SeededDecks,
    VirtualClock,
)


def test_a_commit_and_what_is_published_tell_no_card() -> None:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    events = tuple(desk.deal())
    assert isinstance(events[0], HandStarted)
    commit = TableCommit(table=TABLE, epoch=1, first_seq=4, at_ms=5, events=events)
    published = Published(table=TABLE, first_seq=4, at_ms=5, events=events, cast={1: ANN})
    assert (repr(commit), repr(published)) == ("<TableCommit t1 from 4>", "<Published t1 from 4>")
    assert repr(Deck(cards=events[0].deck)) == "<Deck>"


def test_the_fakes_are_what_the_ports_ask_for() -> None:
    clock: Clock = VirtualClock()
    timer: Timer = clock.call_at(0, lambda: None)
    timer.cancel()
    sources: list[DeckSource] = [FixedDecks(DECK), SeededDecks(1), SystemDecks(DECK)]
    for source in sources:
        assert sorted(source.deck().cards) == sorted(DECK)
    journal: Journal = MemoryJournal()
    outbox: Outbox = RecordingOutbox()
    faults: FaultLog = RecordingFaults()
    for port in (journal, outbox, faults):
        assert port is not None


def test_the_ledger_of_the_tests_books_all_or_nothing() -> None:
    ledger = Ledger({"ann": 100})
    wallet, seat = AccountRef(kind="wallet", player=ANN), AccountRef(kind="seat", player=ANN, table=TABLE)

    def transfer(name: str, chips: int) -> Transfer:
        entries = (Entry(account=wallet, amount_chips=-chips), Entry(account=seat, amount_chips=chips))
        return Transfer(id=name, reason="buy_in", currency="play", entries=entries)

    with pytest.raises(CommitRefused):
        ledger.book([transfer("a", 60), transfer("b", 60)])
    assert (ledger.wallet("ann"), ledger.seat("ann")) == (100, 0)
    ledger.book([transfer("a", 60)])
    assert (ledger.wallet("ann"), ledger.seat("ann")) == (40, 60)
    with pytest.raises(AssertionError, match="unique"):
        ledger.book([transfer("a", 10)])


async def test_the_clock_of_the_tests_rings_in_order_and_never_at_once() -> None:
    clock = VirtualClock(now_ms=0)
    rung: list[tuple[str, int]] = []
    clock.call_at(0, lambda: rung.append(("past", clock.now_ms())))
    clock.call_at(20, lambda: rung.append(("later", clock.now_ms())))

    def chain() -> None:
        clock.call_at(15, lambda: rung.append(("chained", clock.now_ms())))

    clock.call_at(10, chain)
    dropped = clock.call_at(12, lambda: rung.append(("dropped", clock.now_ms())))
    dropped.cancel()
    assert rung == []
    await clock.advance(30)
    assert rung == [("past", 0), ("chained", 15), ("later", 20)]
    assert clock.now_ms() == 30


def test_a_card_is_still_a_plain_string() -> None:
    assert isinstance(SeededDecks(1).deck().cards[0], str)
    assert SeededDecks(1).deck().cards == SeededDecks(1).deck().cards
    assert Card("As") in SeededDecks(2).deck().cards
