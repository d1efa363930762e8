"""The host of the tables: opening, bringing back, breaking down alone, stopping."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, NoReturn

import pytest

from app.refusals import NoSuchTable, ServerStops, TooManySeats
from app.rooms import service as service_module
from app.rooms.room import Room
from app.rooms.service import Rooms, TablePorts
from app.wire.server import Snapshot
from engine.limits import MAX_TABLE_RESTARTS, MAX_TABLES_PER_PLAYER
from engine.rules import stud
from engine.rules.actions import SeatNo
from engine.rules.errors import BadVariant, Refusal
from engine.rules.events import HandCancelled, PlayerId
from engine.rules.variants import five_card_stud
from engine.table import recovery
from engine.table.commands import Sit, SitOut, StandUp
from engine.table.errors import CommitFailed, CommitUnknown, JournalBroken, TableClosed, TablePaused, TableStopped
from engine.table.events import TableConfig, TableId
from engine.table.ports import LastCommand
from engine.table.standstill import RETRY_PAUSES_MS
from tests.app.rooms.shelf import MemoryShelf, follower
from tests.fakes import RecordingFaults, SeededDecks, VirtualClock, settle

ADA, BOB = PlayerId("ada"), PlayerId("bob")


class Bench:
    def __init__(self, shelf: MemoryShelf | None = None) -> None:
        self.shelf = shelf or MemoryShelf()
        self.clock = VirtualClock()
        self.faults = RecordingFaults()
        ports = TablePorts(shelf=self.shelf, clock=self.clock, decks=SeededDecks(1), faults=self.faults, epoch=1)
        self.rooms = Rooms(ports)

    async def open(self, name: str = "Rue", **fields: Any) -> Room:
        variant = five_card_stud(small_bet_chips=2, big_bet_chips=4)
        config = TableConfig(name=name, variant=variant, currency="PLAY", min_buy_in_chips=40, **fields)
        room = await self.rooms.open(config)
        await settle()
        return room


@pytest.fixture
async def bench(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    monkeypatch.setattr(service_module, "RESTART_PAUSES_S", (0,))
    made = Bench()
    yield made
    await made.rooms.stop()


def sit(player: PlayerId, command_id: str = "s1", chips: int = 100) -> Sit:
    return Sit(player=player, command_id=command_id, name=str(player), seat=None, buy_in_chips=chips)


async def test_an_opened_table_takes_commands(bench: Bench) -> None:
    room = await bench.open()
    seq = await bench.rooms.submit(room, sit(ADA))
    assert seq == 2
    assert room.seat_of(ADA) == SeatNo(1)
    assert [one.table for one in bench.rooms] == [room.table]


async def test_a_table_that_contradicts_itself_is_not_opened(bench: Bench) -> None:
    with pytest.raises(BadVariant):
        await bench.open(max_buy_in_chips=1)
    assert len(bench.rooms) == 0
    assert bench.shelf.journals == {}


async def test_a_table_that_is_not_there(bench: Bench) -> None:
    with pytest.raises(NoSuchTable):
        bench.rooms.room(TableId("nowhere"))


async def test_b172_tables_come_back_as_they_were_left(bench: Bench) -> None:
    room = await bench.open()
    await bench.rooms.submit(room, sit(ADA))
    await bench.rooms.stop()
    again = Bench(bench.shelf)
    await again.rooms.start()
    await settle()
    back = again.rooms.room(room.table)
    assert back.public_view() == room.public_view()
    # The same command gets the same answer from the next process, and is not done twice.
    assert await again.rooms.submit(back, sit(ADA)) == 2
    assert len(back.public_view().seats) == 1
    await again.rooms.stop()


async def test_one_that_cannot_be_read_stays_closed_and_the_others_open(bench: Bench) -> None:
    rooms = [await bench.open(name=name) for name in ("one", "two", "three")]
    await bench.rooms.stop()
    again = Bench(bench.shelf)
    again.shelf.load_fails = [JournalBroken(seq=1, reason="gap")]
    await again.rooms.start()
    assert [one.table for one in again.rooms] == [room.table for room in rooms[1:]]
    with pytest.raises(TableStopped):
        again.rooms.room(rooms[0].table)
    (report,) = again.faults.reports
    assert (report.kind, report.table, report.code) == ("table_stopped", rooms[0].table, "fault/journal_broken")
    await again.rooms.stop()


async def test_b173_a_table_that_breaks_is_brought_back_and_the_others_do_not_notice(bench: Bench) -> None:
    broken, other = await bench.open("broken"), await bench.open("other")
    listener, subscription = follower("ada")
    broken.join(subscription)
    await bench.rooms.submit(broken, sit(ADA))
    bench.shelf.journals[broken.table].lose_next_answer(OSError("the answer was lost"))
    with pytest.raises(Exception, match="commit_unknown"):
        await bench.rooms.submit(broken, sit(BOB, "s2"))
    assert await bench.rooms.submit(other, sit(BOB, "s3")) == 2
    await settle()
    # What was committed stands, and who follows the table was given it anew.
    assert {seat.name for seat in broken.public_view().seats} == {"ada", "bob"}
    snapshots = [frame for frame in listener.frames if isinstance(frame, Snapshot)]
    assert [snapshot.table.seq for snapshot in snapshots] == [1, 3]
    assert await bench.rooms.submit(broken, SitOut(player=ADA, command_id="o1")) == 4
    assert bench.shelf.loads == 3


async def test_a_commit_that_failed_breaks_nothing(bench: Bench) -> None:
    room = await bench.open()
    bench.shelf.journals[room.table].fail_next(CommitFailed())
    with pytest.raises(TablePaused):
        await bench.rooms.submit(room, sit(ADA))
    await bench.clock.advance(RETRY_PAUSES_MS[0])
    assert await bench.rooms.submit(room, sit(ADA)) == 2
    assert bench.shelf.loads == 1


async def test_while_a_table_is_brought_back_it_is_paused(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "RESTART_PAUSES_S", (60,))
    room = await bench.open()
    there, seated = follower("ada")
    room.join(seated)
    bench.shelf.journals[room.table].lose_next_answer(OSError())
    with pytest.raises(Exception, match="commit_unknown"):
        await bench.rooms.submit(room, sit(ADA))
    await settle()
    assert json.loads(there.texts[-1]) == {"type": "paused", "reason": "recovering"}
    with pytest.raises(TablePaused):
        await bench.rooms.submit(room, sit(BOB))
    # A newcomer sees what was committed last, as far as it is known.
    listener, subscription = follower()
    room.join(subscription)
    (snapshot,) = listener.frames
    assert isinstance(snapshot, Snapshot)
    assert snapshot.paused == "recovering"


async def test_a_store_that_does_not_answer_is_asked_again(bench: Bench) -> None:
    room = await bench.open()
    bench.shelf.load_fails = [CommitFailed(), TimeoutError(), OSError()]
    bench.shelf.journals[room.table].lose_next_answer(OSError())
    with pytest.raises(Exception, match="commit_unknown"):
        await bench.rooms.submit(room, sit(ADA))
    await settle()
    assert await bench.rooms.submit(room, StandUp(player=ADA, command_id="u1")) == 3
    assert bench.shelf.loads == 5


async def test_a_journal_that_cannot_be_read_stops_its_table(bench: Bench) -> None:
    room, other = await bench.open("broken"), await bench.open("other")
    listener, subscription = follower()
    room.join(subscription)
    bench.shelf.load_fails = [JournalBroken(seq=2, reason="gap")]
    bench.shelf.journals[room.table].lose_next_answer(OSError())
    with pytest.raises(Exception, match="commit_unknown"):
        await bench.rooms.submit(room, sit(ADA))
    await settle()
    assert isinstance(listener.closed_with, TableStopped)
    with pytest.raises(TableStopped):
        await bench.rooms.submit(room, sit(BOB))
    latecomer, late = follower()
    room.join(late)
    assert isinstance(latecomer.closed_with, TableStopped)
    with pytest.raises(TableStopped):
        bench.rooms.room(room.table)
    assert bench.rooms.stopped == {room.table}
    assert await bench.rooms.submit(other, sit(BOB)) == 2
    assert bench.shelf.journals[room.table].ledger.seat("ada", room.table) == 100, "what lies there is safe"


async def test_one_that_breaks_again_and_again_is_given_up(bench: Bench) -> None:
    room = await bench.open()
    listener, subscription = follower()
    room.join(subscription)
    for number in range(MAX_TABLE_RESTARTS + 1):
        bench.shelf.journals[room.table].fail_next(OSError())
        with pytest.raises(Exception, match="commit_unknown"):
            await bench.rooms.submit(room, sit(ADA, f"s{number}"))
        await settle()
    assert isinstance(listener.closed_with, TableStopped)
    stopped = bench.faults.reports[-1]
    assert (stopped.kind, stopped.table) == ("table_stopped", room.table)
    assert stopped.last == LastCommand("Sit", ADA, f"s{MAX_TABLE_RESTARTS}")


async def test_one_seat_too_many(bench: Bench) -> None:
    rooms = [await bench.open(f"t{number}") for number in range(MAX_TABLES_PER_PLAYER + 1)]
    for room in rooms[:-1]:
        await bench.rooms.submit(room, sit(ADA))
    with pytest.raises(TooManySeats) as caught:
        await bench.rooms.submit(rooms[-1], sit(ADA))
    assert caught.value.fields == {"max_tables": MAX_TABLES_PER_PLAYER}
    # Where he sits already he is told so by the table, and others may sit.
    with pytest.raises(Refusal, match="already_seated"):
        await bench.rooms.submit(rooms[0], sit(ADA, "s2"))
    await bench.rooms.submit(rooms[-1], sit(BOB))
    await bench.rooms.submit(rooms[0], StandUp(player=ADA, command_id="u1"))
    await bench.rooms.submit(rooms[-1], sit(ADA))


async def test_of_many_seats_at_once_no_more_are_taken_than_one_may_have(bench: Bench) -> None:
    rooms = [await bench.open(f"t{number}") for number in range(MAX_TABLES_PER_PLAYER + 3)]

    async def try_at(room: Room) -> bool:
        try:
            await bench.rooms.submit(room, sit(ADA))
        except TooManySeats:
            return False
        return True

    assert sum(await asyncio.gather(*map(try_at, rooms))) == MAX_TABLES_PER_PLAYER


async def test_stopping_lets_the_commit_in_flight_end_and_takes_no_more(bench: Bench) -> None:
    room = await bench.open()
    journal = bench.shelf.journals[room.table]
    journal.hold()
    first = bench.rooms.submit(room, sit(ADA))
    second = bench.rooms.submit(room, sit(BOB, "s2"))
    await settle()
    stopping = asyncio.create_task(bench.rooms.stop())
    await settle()
    assert not stopping.done()
    journal.release()
    await stopping
    assert await first == 2
    with pytest.raises(TableClosed):
        await second
    with pytest.raises(TableClosed):
        await bench.rooms.submit(room, sit(BOB, "s3"))


async def test_stopping_does_not_wait_for_a_table_that_waits_for_the_store(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "RESTART_PAUSES_S", (60,))
    room = await bench.open()
    bench.shelf.journals[room.table].lose_next_answer(OSError())
    with pytest.raises(Exception, match="commit_unknown"):
        await bench.rooms.submit(room, sit(ADA))
    await settle()
    async with asyncio.timeout(5):
        await bench.rooms.stop()


async def test_everybody_is_told_that_the_server_stops(bench: Bench) -> None:
    listeners = []
    for name in ("one", "two"):
        room = await bench.open(name)
        listener, subscription = follower()
        room.join(subscription)
        listeners.append(listener)
    bench.rooms.close_all(ServerStops())
    assert all(isinstance(one.closed_with, ServerStops) for one in listeners)


async def dealt(bench: Bench, name: str = "Rue") -> Room:
    """A table with a hand between Ada and Bob."""
    room = await bench.open(name, pause_ms=0, quiet_pause_ms=0, time_bank_ms=0)
    for player in (ADA, BOB):
        await bench.rooms.submit(room, sit(player, f"s-{player}"))
    await bench.clock.advance(0)
    assert room.public_view().hand is not None
    return room


def breaks(*_: object, **__: object) -> NoReturn:
    raise RuntimeError


async def test_a_hand_that_cannot_be_cancelled_is_cancelled_from_the_journal(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the actor has in memory may be what is wrong; what stands in the journal is read once more."""
    room, other = await dealt(bench), await dealt(bench, "other")
    listener, subscription = follower("ada")
    room.join(subscription)
    hand = room.public_view().hand
    assert hand is not None
    true_timeout, true_cancel, times = stud.on_timeout, stud.cancel, [0]

    def no_timeout(running: stud.StudHand, seat: SeatNo) -> object:
        return breaks() if running.hand == hand.hand else true_timeout(running, seat)

    def cancels_the_second_time(running: stud.StudHand, reason: str) -> object:
        times[0] += 1
        return breaks() if times[0] == 1 else true_cancel(running, reason)

    with monkeypatch.context() as patch:
        patch.setattr(stud, "on_timeout", no_timeout)
        patch.setattr(stud, "cancel", cancels_the_second_time)
        await bench.clock.advance(20_000)
        await settle()
    told = "".join(listener.texts)
    assert '"hand_cancelled","reason":"fault"' in told
    assert [report.kind for report in bench.faults.reports] == ["fault", "fault", "hand_cancelled"]
    assert [bench.shelf.journals[room.table].ledger.seat(player, room.table) for player in (ADA, BOB)] == [100, 100]
    assert HandCancelled not in [type(event) for event in bench.shelf.journals[other.table].events]
    await bench.clock.advance(0)
    await settle()
    after = room.public_view().hand
    assert after is not None, "and the next one is dealt"
    assert after.hand != hand.hand
    assert {seat.start_chips for seat in after.seats} == {100}


async def test_one_that_cannot_even_be_cancelled_so_stops_alone_and_may_be_reopened(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, other = await dealt(bench), await dealt(bench, "other")
    listener, subscription = follower("ada")
    room.join(subscription)
    hand = room.public_view().hand
    assert hand is not None
    true_timeout, true_cancel = stud.on_timeout, stud.cancel
    with monkeypatch.context() as patch:
        patch.setattr(stud, "on_timeout", lambda *at: breaks() if at[0].hand == hand.hand else true_timeout(*at))
        patch.setattr(stud, "cancel", lambda *at: breaks() if at[0].hand == hand.hand else true_cancel(*at))
        await bench.clock.advance(20_000)
        await settle()
    assert isinstance(listener.closed_with, TableStopped)
    stopped = bench.faults.reports[-1]
    assert (stopped.kind, stopped.hand, stopped.last) == (
        "table_stopped",
        hand.hand,
        LastCommand("", BOB, "s-bob"),
    ), "after a restart nobody knows any more what it was, but whose"
    assert bench.rooms.stopped == {room.table}
    await bench.rooms.submit(other, SitOut(player=ADA, command_id="o1"))
    assert bench.rooms.get(room.table) is None
    again = await bench.rooms.reopen(room.table)
    await settle()
    assert bench.rooms.room(room.table) is again
    assert {seat.stack_chips for seat in again.public_view().seats} == {100}
    assert bench.faults.reports[-1].kind == "hand_cancelled"


async def test_a_table_that_cannot_be_salvaged_stays_stopped(bench: Bench) -> None:
    room = await dealt(bench)
    await bench.rooms.stop()
    again = Bench(bench.shelf)
    again.shelf.load_fails = [JournalBroken(seq=5, reason="gap")]
    await again.rooms.start()
    again.shelf.salvage_fails = [JournalBroken(seq=5, reason="gap"), OSError()]
    for error in (JournalBroken, OSError):
        with pytest.raises(error):
            await again.rooms.reopen(room.table)
        assert again.rooms.stopped == {room.table}
    with pytest.raises(NoSuchTable):
        await again.rooms.reopen(TableId("nowhere"))
    await again.rooms.reopen(room.table)
    assert again.rooms.stopped == frozenset()
    await again.rooms.stop()


async def test_a_store_that_is_busy_at_the_start_is_asked_again(bench: Bench) -> None:
    rooms = [await bench.open(name) for name in ("one", "two")]
    await bench.rooms.stop()
    again = Bench(bench.shelf)
    again.shelf.load_fails = [CommitFailed()]
    await again.rooms.start()
    assert [room.table for room in again.rooms] == [room.table for room in rooms]
    assert not again.faults.reports
    await again.rooms.stop()


async def test_a_store_that_stays_busy_lets_no_server_start_without_its_tables(bench: Bench) -> None:
    await bench.open()
    await bench.rooms.stop()
    again = Bench(bench.shelf)
    again.shelf.load_fails = [CommitFailed() for _ in range(10)]
    with pytest.raises(CommitFailed):
        await again.rooms.start()
    assert again.rooms.stopped == frozenset(), "it is not the table's fault"


async def test_stopping_waits_for_a_commit_in_flight_no_longer_than_it_must(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "MAX_STOP_WAIT_MS", 30)
    room = await bench.open()
    bench.shelf.journals[room.table].hold()
    asked = bench.rooms.submit(room, sit(ADA))
    await settle()
    async with asyncio.timeout(5):
        await bench.rooms.stop()
    with pytest.raises(CommitUnknown):
        await asked


async def test_a_table_that_was_away_in_a_living_process_gives_its_clock_the_time_back(bench: Bench) -> None:
    """The process gives signs of life all the while, for the sake of the other tables."""
    room = await dealt(bench)
    journal = bench.shelf.journals[room.table]
    await bench.clock.advance(6_000)
    journal.hold()
    journal.lose_next_answer(OSError())
    asked = bench.rooms.submit(room, SitOut(player=ADA, command_id="o1"))
    await bench.clock.advance(40_000)
    bench.shelf.alive_ms = bench.clock.now_ms()
    journal.release()
    with pytest.raises(CommitUnknown):
        await asked
    await settle()
    (turn,) = room.public_view().turns
    assert turn.deadline_ms == bench.clock.now_ms() + 14_000


async def test_a_mistake_in_bringing_one_table_back_stops_that_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = [await bench.open(name) for name in ("one", "two")]
    await bench.rooms.stop()
    true_bring_back, calls = recovery.bring_back, [0]

    def fails_once(*told: Any, **named: Any) -> Any:
        calls[0] += 1
        return breaks() if calls[0] == 1 else true_bring_back(*told, **named)

    monkeypatch.setattr(service_module, "bring_back", fails_once)
    again = Bench(bench.shelf)
    await again.rooms.start()
    assert [room.table for room in again.rooms] == [rooms[1].table]
    assert again.rooms.stopped == {rooms[0].table}
    calls[0] = 0
    living = again.rooms.room(rooms[1].table)
    bench.shelf.journals[living.table].lose_next_answer(OSError())
    with pytest.raises(CommitUnknown):
        await again.rooms.submit(living, sit(ADA))
    await settle()
    assert again.rooms.stopped == {room.table for room in rooms}
    assert [(report.kind, report.error) for report in again.faults.reports if report.kind != "fault"] == [
        ("table_stopped", "RuntimeError")
    ] * 2
    await again.rooms.stop()
