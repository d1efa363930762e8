from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from app.history.repository import HistoryRepository
from app.store import archive as archiving
from app.store import archive_file
from app.store.archive import Archived, archive
from app.store.archive_file import ArchivedEvent, ArchivedHand, read_archive
from app.store.audit import audit
from app.store.codec import EventCodec
from app.store.errors import BadArchive, StoreInUse, UnreadableEvent
from app.store.keys import WrappedKey, ring_of
from app.store.maintenance import upkeep
from app.store.opening import Store
from app.store.sealing import Seals
from engine.rules.events import HandId
from engine.table.events import AnyEvent, TableId
from engine.table.recovery import recover
from tests.app.store.house import SqlTable, add_player
from tests.app.store.journal_contract import fingerprint
from tests.app.store.places import KEYS, Place, SqlitePlace
from tests.fakes import VirtualClock

DAY_MS = 86_400_000
OLD, NEW = 6, 3
"""Hands of each table before and after the line that the tests draw."""


class Room:
    """Two tables: hands of long ago, then later ones, and one of them in the middle of a hand."""

    def __init__(self, place: Place, clock: VirtualClock, file: Path) -> None:
        self.place = place
        self.clock = clock
        self.file = file
        self.tables: list[SqlTable] = []
        self.line_ms = 0

    async def play(self) -> None:
        store = await self.place.open(self.clock)
        for number in (1, 2):
            table = await SqlTable.open(
                store.journal, epoch=store.writer.epoch, clock=self.clock, table=f"t{number}", seed=number
            )
            for name in ("ann", "bob", "cid"):
                await table.sit(await add_player(store, f"{name}{number}", chips=90_000), 9_000)
            for _ in range(OLD):
                await table.play_hand()
            self.tables.append(table)
        self.clock.pass_over(40 * DAY_MS)
        self.line_ms = self.clock.now_ms() - 30 * DAY_MS
        for table in self.tables:
            for _ in range(NEW):
                await table.play_hand()
        await self.tables[1].deal()
        await store.close()

    def archive(self, *, before_ms: int | None = None) -> Archived | None:
        with upkeep(self.place.url) as opened:
            before_ms = self.line_ms if before_ms is None else before_ms
            return archive(opened, self.file, before_ms=before_ms, now_ms=self.clock.now_ms())

    def events(self, table: SqlTable) -> list[AnyEvent]:
        return [event for commit in table.commits for event in commit.events]

    def kept_seqs(self, table: str) -> list[int]:
        return [seq for (seq,) in self.place.sql("SELECT seq FROM journal WHERE table_id = ? ORDER BY seq", table)]

    def archived_seqs(self, table: str) -> list[int]:
        return list(range(1, self.first_kept(table)))

    def first_kept(self, table: str) -> int:
        """The number after the last old hand of a table."""
        ends = "SELECT last_seq FROM hands WHERE table_id = ? AND number = ?"
        return int(self.place.sql(ends, table, OLD)[0][0]) + 1

    async def check(self) -> None:
        """Nothing is lost: what the journal keeps goes on where the archive ends, and everything adds up."""
        store = await self.place.open(self.clock)
        report = await audit(store.database, Seals(ring_of(KEYS)), page_rows=7)
        assert report.differences == ()
        for table in self.tables:
            kept = await store.journal.load(table.state.table)
            assert fingerprint(recover(kept.checkpoint, kept.events)) == fingerprint(table.state)
        await store.close()


@pytest.fixture
async def room(place: Place, clock: VirtualClock, tmp_path: Path) -> Room:
    made = Room(place, clock, tmp_path / "hands.jsonl.gz")
    await made.play()
    return made


async def test_old_hands_leave_and_nothing_else(room: Room) -> None:
    money = room.place.sql("SELECT * FROM entries ORDER BY transfer_id, line")
    lists = room.place.sql("SELECT * FROM hand_players ORDER BY hand_id, seat")
    before = {table: room.kept_seqs(table) for table in ("t1", "t2")}
    done = room.archive()
    gone = sum(len(room.archived_seqs(table)) for table in ("t1", "t2"))
    assert done == Archived(tables=2, hands=2 * OLD, events=gone, removed_events=gone, resumed=False)
    for table in ("t1", "t2"):
        assert room.archived_seqs(table) + room.kept_seqs(table) == before[table]
    assert room.place.sql("SELECT * FROM entries ORDER BY transfer_id, line") == money
    assert room.place.sql("SELECT * FROM hand_players ORDER BY hand_id, seat") == lists
    await room.check()
    assert room.archive() == Archived(tables=2, hands=2 * OLD, events=gone, removed_events=0, resumed=True)


async def test_the_file_holds_the_hands_as_they_were_and_opens_with_the_same_keys(room: Room) -> None:
    room.archive()
    codec, seals = EventCodec(), Seals(ring_of(KEYS))
    read: dict[str, list[AnyEvent]] = {}
    hands: list[ArchivedHand] = []
    table, begun = "", dict[int, Any]()
    for line in read_archive(room.file):
        match line:
            case archive_file.ArchivedTable():
                table, begun = line.table, {}
            case ArchivedHand():
                hands.append(line)
                assert line.key_id is not None
                assert line.wrapped_key is not None
                key = WrappedKey(line.key_id, line.wrapped_key)
                begun[line.first_seq] = seals.of(TableId(table), HandId(line.hand), key)
            case ArchivedEvent():
                seal = begun[max((seq for seq in begun if seq <= line.seq), default=min(begun))]
                event = codec.decode(format=line.format, payload=line.payload, seq=line.seq, seal=seal)
                read.setdefault(table, []).append(event)
            case _:
                pass
    for one in room.tables:
        name = one.state.table
        assert read[name] == room.events(one)[: room.first_kept(name) - 1]
    assert [hand.hand for hand in hands] == [f"t{t}-{n}" for t in (1, 2) for n in range(1, OLD + 1)]
    assert all(sum(player.net_chips for player in hand.players) + hand.rake_chips == 0 for hand in hands)
    assert room.place.sql("SELECT count(*) FROM hands WHERE wrapped_key IS NOT NULL") == [(2 * NEW + 1,)]


async def test_the_history_tells_that_a_hand_was_archived(room: Room) -> None:
    room.archive()
    store = await room.place.open(room.clock)
    repository = HistoryRepository(store.database)
    for hand, archived in (("t1-1", True), (f"t1-{OLD}", True), (f"t1-{OLD + 1}", False)):
        row = await repository.hand(HandId(hand))
        assert row is not None
        assert (row.over, row.archived) == (True, archived)
    assert await store.journal.hand_events(HandId("t1-1")) == ()
    assert len(await store.journal.hand_events(HandId(f"t1-{OLD + 1}"))) > 10
    with pytest.raises(UnreadableEvent):
        await store.journal.events_after(TableId("t1"), 3, limit=10)
    await store.close()


async def test_without_old_hands_there_is_no_file(room: Room) -> None:
    assert room.archive(before_ms=1) is None
    assert not room.file.exists()


async def test_a_hand_that_runs_and_what_is_after_the_checkpoint_stays(room: Room) -> None:
    room.archive(before_ms=room.clock.now_ms() + DAY_MS)
    for table, hands in (("t1", OLD + NEW), ("t2", OLD + NEW)):
        (last,) = room.place.sql("SELECT last_seq FROM hands WHERE table_id = ? AND number = ?", table, hands)[0]
        kept = room.kept_seqs(table)
        assert kept == list(range(last + 1, last + 1 + len(kept)))
    assert len(room.kept_seqs("t2")) > 10
    await room.check()


async def test_rows_beyond_a_checkpoint_are_never_removed_whatever_a_file_says(room: Room) -> None:
    room.place.tamper("UPDATE checkpoints SET seq = 5 WHERE table_id = 't1'")
    before = room.kept_seqs("t1")
    room.archive()
    assert room.kept_seqs("t1") == before, "no hand of that table ended before its checkpoint"
    room.place.tamper("DELETE FROM archives", "UPDATE checkpoints SET seq = 100000 WHERE table_id = 't1'")
    room.file.unlink()
    other = room.file.with_name("other.gz")
    with upkeep(room.place.url) as opened:
        ranges = archiving._ranges(opened, room.line_ms)  # noqa: SLF001 - a file made while the checkpoint was wrong
        head = archive_file.Head(format=1, made_ms=1, before_ms=room.line_ms)
        archive_file.write_archive(other, archiving._lines(opened, head, ranges[:1]))  # noqa: SLF001
        room.place.tamper("UPDATE checkpoints SET seq = 5 WHERE table_id = 't1'")
        with pytest.raises(BadArchive) as caught:
            archive(opened, other, before_ms=room.line_ms, now_ms=1)
    assert caught.value.fields["reason"] == "beyond_the_checkpoint"
    assert room.kept_seqs("t1") == before


async def test_later_hands_go_into_another_file_and_so_on_without_a_hole(room: Room) -> None:
    room.archive()
    first = room.file
    room.file = first.with_name("later.jsonl.gz")
    done = room.archive(before_ms=room.clock.now_ms() + DAY_MS)
    assert done is not None
    assert done.hands == 2 * NEW
    rows = room.place.sql("SELECT table_id, first_seq, last_seq, file FROM archives ORDER BY table_id, first_seq")
    for earlier, later in zip(rows[::2], rows[1::2], strict=True):
        assert (earlier[1], later[1], earlier[3], later[3]) == (1, earlier[2] + 1, first.name, "later.jsonl.gz")
    await room.check()


@pytest.mark.parametrize("rows", [1, 40, 100_000])
async def test_lots_end_with_a_hand(room: Room, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(archiving, "ARCHIVE_BATCH_ROWS", rows if rows > 10 else 10)
    ends = {last for (last,) in room.place.sql("SELECT last_seq FROM hands WHERE table_id = 't1'")}
    seen: list[int] = []

    def watched(change: Callable[[Connection], int]) -> Any:
        seen.append(change.keywords["last_seq"])  # type: ignore[attr-defined]

    with upkeep(room.place.url) as opened:
        write = opened.write
        monkeypatch.setattr(opened, "write", lambda change: (watched(change), write(change))[1])
        done = archive(opened, room.file, before_ms=room.line_ms, now_ms=room.clock.now_ms())
    assert done is not None
    assert done.hands == 2 * OLD
    if rows == 1:
        assert len(seen) > 4
        assert set(seen[: len(seen) // 2]) <= ends
    await room.check()


class Crash(Exception):
    """The process ended here."""


@contextmanager
def crashing_at(step: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """End the process at the so-and-so-manieth step of an archiving, each a moment at which power may fail."""
    steps: list[str] = []

    def note(name: str) -> None:
        steps.append(name)
        if len(steps) == step:
            raise Crash

    def around(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def wrapped(*arguments: Any, **named: Any) -> Any:
            note(f"before {name}")
            result = real(*arguments, **named)
            note(f"after {name}")
            return result

        monkeypatch.setattr(owner, name, wrapped)

    around(os, "link")
    around(os, "unlink")
    around(archiving, "_compared")
    around(archiving, "_remove_to")
    yield steps


async def test_broken_off_anywhere_it_loses_nothing_and_goes_on(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted at each step in turn, on and on over the same room, until one run gets through."""
    monkeypatch.setattr(archiving, "ARCHIVE_BATCH_ROWS", 40)
    broken_off = 0
    for step in range(1, 200):
        with monkeypatch.context() as patch:
            try:
                with crashing_at(step, patch) as steps:
                    done = room.archive()
            except Crash:
                broken_off += 1
                for table in ("t1", "t2"):
                    kept = room.kept_seqs(table)
                    in_file = room.archived_seqs(table) if room.file.exists() else []
                    last = next(one.state.seq for one in room.tables if one.state.table == table)
                    assert sorted({*kept, *in_file}) == list(range(1, last + 1))
                continue
        assert len(steps) < step
        break
    else:
        raise AssertionError("it never got through")
    assert broken_off >= 8
    assert done is not None
    for table in ("t1", "t2"):
        assert room.kept_seqs(table)[0] == room.first_kept(table)
    await room.check()


async def test_after_a_break_another_file_takes_the_rest(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archiving, "ARCHIVE_BATCH_ROWS", 40)
    with monkeypatch.context() as patch, pytest.raises(Crash), crashing_at(9, patch):
        room.archive()
    first, began = room.file, room.kept_seqs("t1")[0]
    assert 1 < began < room.first_kept("t1")
    room.file = first.with_name("rest.gz")
    room.archive()
    assert room.kept_seqs("t1")[0] == room.first_kept("t1")
    await room.check()
    room.file = first
    done = room.archive()
    assert done is not None
    assert (done.removed_events, done.resumed) == (0, True)
    await room.check()


async def test_a_file_of_other_hands_removes_nothing(room: Room) -> None:
    room.archive()
    fresh = room.place.copy()
    before = fresh.sql("SELECT count(*) FROM journal")
    fresh.tamper(
        "DELETE FROM archives",
        "INSERT INTO journal SELECT table_id, seq - 50, at_ms, format, type, payload FROM journal "
        "WHERE table_id = 't1' AND seq - 50 >= 1 AND seq - 50 NOT IN (SELECT seq FROM journal WHERE table_id = 't1')",
    )
    with upkeep(fresh.url) as opened, pytest.raises(BadArchive) as caught:
        archive(opened, room.file, before_ms=room.line_ms, now_ms=1)
    assert caught.value.fields["reason"] == "unlike_the_database"
    assert str(caught.value).startswith("hands.jsonl.gz is no use as an archive: unlike_the_database (table t1, event ")
    assert fresh.sql("SELECT count(*) FROM journal") >= before, "nothing was removed"


async def test_what_is_no_archive_is_left_alone(room: Room) -> None:
    room.file.write_bytes(b"my diary")
    with pytest.raises(BadArchive):
        room.archive()
    assert room.file.read_bytes() == b"my diary"
    assert room.kept_seqs("t1")[0] == 1


async def test_the_journal_is_guarded_again_afterwards(room: Room) -> None:
    room.archive()
    for statement in ("DELETE FROM journal", "UPDATE journal SET at_ms = 1"):
        with pytest.raises(Exception, match="journal is append-only"):
            room.place.sql(statement)


async def test_on_sqlite_no_server_may_run(path: Path, clock: VirtualClock, tmp_path: Path) -> None:
    room = Room(SqlitePlace(path), clock, tmp_path / "hands.gz")
    await room.play()
    store: Store = await room.place.open(clock)
    with pytest.raises(StoreInUse):
        room.archive()
    await store.close()
    assert not room.file.exists()


async def test_on_postgres_a_server_plays_on_meanwhile(on_postgres: Place, clock: VirtualClock, tmp_path: Path) -> None:
    room = Room(on_postgres, clock, tmp_path / "hands.gz")
    await room.play()
    store = await room.place.open(clock)
    table = room.tables[0]
    await store.journal.load(table.state.table)
    table.journal, table.epoch = store.journal, store.writer.epoch
    archived = asyncio.create_task(asyncio.to_thread(room.archive))
    hands = 0
    while not archived.done() or hands < 3:
        await table.play_hand()
        hands += 1
    done = await archived
    assert done is not None
    assert done.removed_events > 100
    await store.close()
    room.tables = [table]
    await room.check()
