"""Without the key a database tells of a hand what everybody saw of it: as rows, and as bytes on the disk."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from app.store.codec import SEALED_JSON, EventCodec, split
from app.store.keys import KEY_BYTES, key_path, ring_of
from app.store.opening import Store, open_store
from app.store.reading import JournalReader
from engine.rules import stud
from engine.rules.events import CardBurnt, CardDealt, HandEvent, HandId, HandShown, HandsTabled, HandStarted
from engine.rules.stud_hand import StudHand
from engine.rules.variants import five_card_stud
from engine.rules.views import view_event, view_hand
from engine.table.events import AnyEvent, TableConfig, TableId
from tests.app.store.house import CONFIG, SqlTable, Template, add_player, url_of
from tests.fakes import VirtualClock

HANDS = 40
FIVE = TableConfig(
    name="Five", variant=five_card_stud(small_bet_chips=10, big_bet_chips=20), currency="PLAY", min_buy_in_chips=100
)


class Source:
    """Random bytes that it remembers."""

    def __init__(self) -> None:
        self._random = random.Random(11)
        self.given: list[bytes] = []

    def __call__(self, size: int) -> bytes:
        self.given.append(self._random.randbytes(size))
        return self.given[-1]


@dataclass
class Room:
    store: Store
    path: Path
    source: Source
    tables: list[SqlTable]

    def events(self, table: SqlTable) -> list[AnyEvent]:
        return [event for commit in table.commits for event in commit.events]

    def raw(self) -> bytes:
        """All bytes that lie on the disk, but for the keys."""
        beside = [file for file in self.path.parent.iterdir() if file != key_path(self.path)]
        return b"\n".join(file.read_bytes() for file in sorted(beside))


@pytest.fixture(scope="module")
async def room(template: Template, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Room]:
    """Two tables that played; the last hand of each still runs, and the WAL is as it was left."""
    path = template.copy(tmp_path_factory.mktemp("secrets") / "avenue.db")
    clock, source = VirtualClock(), Source()
    store = await open_store(url_of(path), now_ms=clock.now_ms, entropy=source)
    tables = []
    for number, config in enumerate((CONFIG, FIVE), start=1):
        table = await SqlTable.open(
            store.journal, epoch=store.writer.epoch, clock=clock, table=f"t{number}", config=config, seed=number
        )
        for seat in range(6):
            await table.sit(await add_player(store, f"p{number}-{seat}", chips=100_000), 10_000)
        for _ in range(HANDS):
            await table.play_hand()
        await table.deal()
        tables.append(table)
    yield Room(store=store, path=path, source=source, tables=tables)
    await store.close()


async def test_every_hand_rebuilt_without_the_key_is_the_public_s_view(room: Room) -> None:
    blind = JournalReader(EventCodec(), None)
    rebuilt = 0
    for table in room.tables:
        async with room.store.database.read() as connection:
            kept = await blind.events(connection, table.state.table, after_seq=0)
        played = room.events(table)
        assert [one.event for one in kept] == [view_event(event, None) for event in played]
        whole: StudHand | None = None
        public: StudHand | None = None
        for one, event in zip(kept, played, strict=True):
            if isinstance(event, HandEvent) and isinstance(one.event, HandEvent):
                rebuilt += isinstance(event, HandStarted)
                whole = stud.evolve(None if isinstance(event, HandStarted) else whole, event)
                public = stud.evolve(None if isinstance(event, HandStarted) else public, one.event)
                assert public.deck == ()
                if not isinstance(event, HandShown | HandsTabled) and not any(p.shown for p in whole.players):
                    # What is shown stands in the event that shows it; the cards dealt face down stay what they were.
                    assert view_hand(public, None) == view_hand(whole, None)
    assert rebuilt == 2 * (HANDS + 1)


async def test_with_the_key_it_is_the_whole_hand(room: Room) -> None:
    for table in room.tables:
        assert [one.event for one in await room.store.journal.events_after(table.state.table, 0, limit=10**6)] == (
            room.events(table)
        )
        hand = table.state.hand
        assert hand is not None
        kept = await room.store.journal.hand_events(HandId(hand.hand))
        assert next(one.event for one in kept if isinstance(one.event, HandStarted)).deck == hand.deck


def test_a_row_s_bytes_are_those_of_the_public_view_and_a_seal(room: Room) -> None:
    sealed_rows = 0
    rows = sqlite3.connect(room.path).execute("SELECT table_id, seq, format, payload FROM journal").fetchall()
    events = {table.state.table: room.events(table) for table in room.tables}
    for table, seq, format, payload in rows:
        event = events[table][seq - 1]
        public, sealed = split(format=format, payload=payload)
        assert public == msgspec.json.encode(view_event(event, None))
        assert (format == SEALED_JSON) == bool(sealed) == (view_event(event, None) != event)
        sealed_rows += bool(sealed)
    assert sealed_rows > 500


def test_no_byte_on_the_disk_tells_a_card_that_was_never_public(room: Room) -> None:
    events = [event for table in room.tables for event in room.events(table)]
    assert leaks(room.raw(), events) == []


@pytest.mark.parametrize("how", ["row", "deck", "blanks", "together", "field"])
def test_the_search_finds_what_lies_in_the_open(room: Room, how: str) -> None:
    events = [event for table in room.tables for event in room.events(table)]
    down = next(event for event in events if isinstance(event, CardDealt) and event.face == "down")
    deck = next(event for event in reversed(events) if isinstance(event, HandStarted)).deck
    planted = {
        "row": msgspec.json.encode(down),
        "deck": msgspec.json.encode(deck),
        "blanks": " ".join(deck).encode(),
        "together": "".join(deck).encode(),
        "field": msgspec.json.encode({"card": down.card}),
    }
    raw = room.raw()
    assert leaks(raw[:4_000] + planted[how] + raw[4_000:], events) != []


def test_no_key_lies_in_the_database(room: Room) -> None:
    raw = room.raw()
    keys = [given for given in room.source.given if len(given) == KEY_BYTES]
    assert len(keys) == 1 + 2 * (HANDS + 1), "one that wraps, and one for each hand"
    for key in keys:
        assert key not in raw
        assert key.hex().encode() not in raw
    text = key_path(room.path).read_text()
    assert text.split(":")[1].strip().encode() not in raw


async def test_a_sealed_card_moved_to_another_row_does_not_open(room: Room, tmp_path: Path) -> None:
    table = room.tables[0].state.table
    copy = tmp_path / "moved.db"
    source = sqlite3.connect(room.path)
    with sqlite3.connect(copy) as target:
        source.backup(target)
    source.close()
    connection = sqlite3.connect(copy)
    for verb in ("update", "delete"):
        connection.execute(f"DROP TRIGGER journal_refuse_{verb}")
    query = "SELECT seq FROM journal WHERE type = 'card_burnt' AND table_id = ? ORDER BY seq LIMIT 2"
    first, second = (seq for (seq,) in connection.execute(query, (table,)))
    connection.execute(
        "UPDATE journal SET payload = (SELECT payload FROM journal WHERE table_id = ?1 AND seq = ?2) "
        "WHERE table_id = ?1 AND seq = ?3",
        (table, first, second),
    )
    connection.commit()
    connection.close()
    store = await open_store(url_of(copy), now_ms=VirtualClock().now_ms, sealing_keys=key_path(room.path).read_text())
    try:
        with pytest.raises(Exception, match="unreadable") as caught:
            await store.journal.events_after(TableId(table), 0, limit=second)
        assert caught.value.fields == {"reason": "seal_broken", "hand": f"{table}-1", "table": table, "seq": second}  # type: ignore[attr-defined]
    finally:
        await store.close()


def test_the_key_beside_the_database_is_a_ring(room: Room) -> None:
    assert ring_of(key_path(room.path).read_text()).current


def leaks(raw: bytes, events: Iterable[AnyEvent]) -> list[str]:
    """Where cards that were never public stand in bytes; names of forms, never of cards.

    Two characters stand anywhere by chance. So this looks for cards in the forms in which they are written: in an
    event, as a field, and as three of a deck that follow each other.
    """
    found = []
    for event in re.findall(rb'\{"type":"card_(?:dealt|burnt)"[^{}]*\}', raw):
        decoded = msgspec.json.decode(event, type=AnyEvent)
        hides = isinstance(decoded, CardBurnt) or (isinstance(decoded, CardDealt) and decoded.face == "down")
        if hides and decoded != view_event(decoded, None):
            found.append("an event in the open")
    if re.search(rb'"deck":\[(?!\])', raw):
        found.append("a deck in the open")
    if re.search(rb'\{"card":"[2-9TJQKA][cdhs]"\}', raw):
        found.append("a field in the open")
    public = b"".join(msgspec.json.encode(view_event(event, None)) for event in events)
    decks = [event.deck for event in events if isinstance(event, HandStarted)]
    for between in ('","', " ", "", ","):
        told = {between.join(deck[at : at + 3]).encode() for deck in decks for at in range(len(deck) - 2)}
        found += [f"cards in a row, parted by {between!r}" for cards in _in(told, raw) if cards not in public]
    return found


def _in(wanted: set[bytes], raw: bytes) -> Sequence[bytes]:
    """Those of the wanted texts, all of one length, that stand somewhere in the bytes."""
    (size,) = {len(text) for text in wanted}
    rank = rb"[2-9TJQKA]"
    starts = (match.start() for match in re.finditer(rb"(?=%b[cdhs])" % rank, raw))
    return [text for at in starts if (text := raw[at : at + size]) in wanted]
