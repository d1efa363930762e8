"""One room: snapshot and events without a gap, and whether people are there at all."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from app.rooms.room import Room
from app.rooms.viewer import Viewer
from app.wire.server import Snapshot
from engine.rules.actions import SeatNo
from engine.rules.events import PlayerId
from engine.rules.variants import five_card_stud
from engine.table.commands import Sit, SitOut, StandUp
from engine.table.errors import CommitFailed, TablePaused
from engine.table.events import TableConfig
from engine.table.standstill import RETRY_PAUSES_MS
from tests.app.rooms.shelf import follower
from tests.app.rooms.test_service import Bench
from tests.fakes import settle

ADA = PlayerId("ada")


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    await made.rooms.stop()


def sit(name: str, *, house_bot: bool = False) -> Sit:
    player = PlayerId(name)
    return Sit(player=player, command_id=f"sit-{name}", name=name, seat=None, buy_in_chips=100, house_bot=house_bot)


async def test_b112_snapshot_and_events_meet_without_a_gap_or_a_repeat(bench: Bench) -> None:
    """Somebody joins at every possible moment of a commit, and what he gets is one unbroken count."""
    room = await bench.open(pause_ms=0, quiet_pause_ms=0)
    journal = bench.shelf.journals[room.table]
    listeners = []
    for number in range(6):
        journal.hold()
        answers = [
            bench.rooms.submit(room, sit(f"p{number}")),
            bench.rooms.submit(room, SitOut(player=PlayerId(f"p{number}"), command_id=f"o{number}")),
        ]
        for _ in range(number):
            await asyncio.sleep(0)
        listener, subscription = follower()
        room.join(subscription)
        listeners.append(listener)
        journal.release()
        await asyncio.gather(*answers)
        await bench.clock.advance(0)
    for listener in listeners:
        (snapshot,) = listener.frames
        assert isinstance(snapshot, Snapshot)
        numbers = [
            frame["seq"] + offset for frame in map(json.loads, listener.texts) for offset in range(len(frame["events"]))
        ]
        assert numbers == list(range(snapshot.table.seq + 1, room.public_view().seq + 1))


async def test_a_snapshot_says_who_one_is(bench: Bench) -> None:
    room = await bench.open()
    await bench.rooms.submit(room, sit("ada"))
    for name, seat in (("ada", SeatNo(1)), ("eve", None)):
        listener, subscription = follower(name)
        room.join(subscription)
        (snapshot,) = listener.frames
        assert isinstance(snapshot, Snapshot)
        assert snapshot.you is not None
        assert (snapshot.you.name, snapshot.you.seat) == (name, seat)
        assert snapshot.now_ms == bench.clock.now_ms()
    stranger, subscription = follower()
    room.join(subscription)
    (snapshot,) = stranger.frames
    assert isinstance(snapshot, Snapshot)
    assert snapshot.you is None


async def test_hands_come_seldom_while_only_house_bots_are_there(bench: Bench) -> None:
    room = await bench.open(pause_ms=1_000, quiet_pause_ms=60_000)
    for name in ("bot1", "bot2"):
        await bench.rooms.submit(room, sit(name, house_bot=True))
    _, subscription = follower("bot1", house_bot=True)
    room.join(subscription)
    await bench.clock.advance(59_000)
    assert room.public_view().hands == 0
    await bench.clock.advance(1_000)
    assert room.public_view().hands == 1


@pytest.mark.parametrize("how", ["stranger", "player", "seat"])
async def test_hands_come_soon_when_somebody_is_there(bench: Bench, how: str) -> None:
    room = await bench.open(pause_ms=1_000, quiet_pause_ms=60_000)
    for name in ("bot1", "bot2"):
        await bench.rooms.submit(room, sit(name, house_bot=True))
    await bench.clock.advance(5_000)
    assert room.public_view().hands == 0
    subscription = None
    if how == "seat":
        await bench.rooms.submit(room, sit("ada"))
    else:
        _, subscription = follower("ada" if how == "player" else None)
        room.join(subscription)
    await bench.clock.advance(1_000)
    assert room.public_view().hands == 1


async def test_when_the_last_one_has_gone_it_is_quiet_again(bench: Bench) -> None:
    room = await bench.open(pause_ms=1_000, quiet_pause_ms=60_000)
    for name in ("bot1", "bot2"):
        await bench.rooms.submit(room, sit(name, house_bot=True))
    _, subscription = follower()
    room.join(subscription)
    await bench.rooms.submit(room, sit("ada"))
    room.leave(subscription)
    await bench.rooms.submit(room, StandUp(player=ADA, command_id="u1"))
    await bench.clock.advance(20_000)
    assert room.public_view().hands == 0
    assert room.watching == 0


async def test_a_room_keeps_who_follows_it_by_viewer(bench: Bench) -> None:
    room = await bench.open()
    assert isinstance(room, Room)
    viewer = Viewer(player=ADA, name="ada", house_bot=False)
    listener, subscription = follower("ada")
    assert subscription.viewer == viewer
    room.join(subscription)
    await settle()
    assert room.watching == 1
    room.leave(subscription)
    await bench.rooms.submit(room, sit("eve"))
    assert listener.texts == []


async def test_everyone_is_told_of_a_pause_and_of_its_end_and_it_takes_no_number(bench: Bench) -> None:
    room = await bench.open()
    listeners = []
    for name in ("ada", None):
        listener, subscription = follower(name)
        room.join(subscription)
        listeners.append(listener)
    seq = room.public_view().seq
    bench.shelf.journals[room.table].fail_next(CommitFailed(), CommitFailed())
    with pytest.raises(TablePaused):
        await bench.rooms.submit(room, sit("ada"))
    latecomer, late = follower("eve")
    room.join(late)
    (snapshot,) = latecomer.frames
    assert isinstance(snapshot, Snapshot)
    assert snapshot.paused == "storage_failed"
    await bench.clock.advance(sum(RETRY_PAUSES_MS[:2]))
    paused, going_on = '{"type":"paused","reason":"storage_failed"}', '{"type":"going_on"}'
    assert [listener.texts for listener in listeners] == [[paused, going_on]] * 2
    assert listeners[0].texts[0] is listeners[1].texts[0], "it is encoded once"
    assert latecomer.texts == [going_on]
    assert room.public_view().seq == seq
    again, subscription = follower()
    room.join(subscription)
    (snapshot,) = again.frames
    assert isinstance(snapshot, Snapshot)
    assert snapshot.paused is None


async def test_one_table_pauses_and_the_next_goes_on(bench: Bench) -> None:
    room, other = await bench.open("one"), await bench.open("other")
    listener, subscription = follower()
    other.join(subscription)
    bench.shelf.journals[room.table].fail_next(*[CommitFailed() for _ in range(100)])
    with pytest.raises(TablePaused):
        await bench.rooms.submit(room, sit("ada"))
    await bench.clock.advance(10_000)
    assert await bench.rooms.submit(other, sit("ada")) == 2
    assert [json.loads(text)["type"] for text in listener.texts] == ["events"]


async def test_the_log_says_when_a_table_stands_still_and_when_it_goes_on(bench: Bench) -> None:
    room = await bench.open()
    bench.shelf.journals[room.table].fail_next(*[CommitFailed() for _ in range(5)])
    with capture_logs() as lines:
        with pytest.raises(TablePaused):
            await bench.rooms.submit(room, sit("ada"))
        await bench.clock.advance(60_000)
    assert [(line["event"], line["log_level"], line.get("reason")) for line in lines] == [
        ("table paused", "warning", "storage_failed"),
        ("table goes on", "info", None),
    ]


def test_a_table_is_what_its_config_says() -> None:
    variant = five_card_stud(small_bet_chips=2, big_bet_chips=4)
    config = TableConfig(name="Rue", variant=variant, currency="PLAY", min_buy_in_chips=40)
    assert config.quiet_pause_ms == 60_000
