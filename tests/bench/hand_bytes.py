"""How many bytes does a hand take, and what does sealing its cards cost? `python -m tests.bench.hand_bytes --help`.

Bots play over sockets against a real server, at two tables of each stud; then the database is asked how much each of
its tables and their indexes have grown, and that is parted by the hands. On SQLite the pages count as they are, half
filled ones too. Beside it the events of hands are encoded in the open, sealed, and read back, with a clock on it.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import psycopg

from app.store.archive import archive
from app.store.codec import SEALED_JSON, EventCodec
from app.store.keys import new_key, ring_of
from app.store.maintenance import upkeep
from app.store.sealing import HandSeal, Seals
from avenue_bots.load import Order, run_bots
from engine.rules.events import HandId, HandStarted
from engine.rules.variants import five_card_stud, seven_card_stud
from engine.table.events import AnyEvent, TableId
from tests.app.served import serving
from tests.app.store.house import NoJournal, SqlTable
from tests.fakes import VirtualClock

GROUPS = {
    "journal": ("journal",),
    "hands": ("hands", "hand_players"),
    "ledger": ("transfers", "entries"),
    "answers": ("answers",),
}
BOTS_PER_TABLE = 5
Sizes = dict[str, tuple[int, int]]
"""Bytes of each table's rows and of its indexes."""


def sizes_of_file(path: Path) -> Sizes:
    """The pages of a SQLite file by table. A table without row ids is an index by itself, and counts as rows."""
    with closing(sqlite3.connect(path)) as connection:
        owner = dict(connection.execute("SELECT name, tbl_name FROM sqlite_master WHERE type IN ('table', 'index')"))
        found: dict[str, list[int]] = {}
        for name, size in connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
            table = owner.get(name, name)
            found.setdefault(table, [0, 0])[0 if name == table else 1] += size
    return {table: (rows, indexes) for table, (rows, indexes) in found.items()}


def sizes_in_postgres(url: str) -> Sizes:
    query = "SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class WHERE relkind = 'r'"
    with psycopg.connect(url) as connection:
        return {name: (rows, indexes) for name, rows, indexes in connection.execute(query)}


async def play(folder: Path, url: str, sizes: Callable[[], Sizes], *, hands: int) -> tuple[int, Sizes, Sizes]:
    """Let bots play at least so many hands; gives how many, and the sizes before and after."""
    keys = new_key()
    async with serving(
        folder, database_url=url, commands_per_second=100_000, commands_burst=100_000, sealing_keys=keys
    ) as served:
        rooms = []
        for number in range(2):
            rooms.append(await served.table(five_card_stud(small_bet_chips=2, big_bet_chips=4), name=f"Five {number}"))
            rooms.append(
                await served.table(seven_card_stud(small_bet_chips=5, big_bet_chips=10), name=f"Seven {number}")
            )
        before = sizes()
        order = Order(url=served.url, count=len(rooms) * BOTS_PER_TABLE, strategy="cautious")
        enough = asyncio.Event()
        playing = asyncio.create_task(run_bots(order, stop=enough))
        while (played := sum(room.public_view().hands for room in rooms)) < hands and not playing.done():
            await asyncio.wait({playing}, timeout=0.1)
        after = sizes()
        enough.set()
        summary = await playing
        if summary.errors:
            say(f"bots that ended early: {dict(summary.errors)}")
    return played, before, after


def print_sizes(before: Sizes, after: Sizes, *, hands: int) -> None:
    say(f"{hands} hands, {BOTS_PER_TABLE} bots at a table; bytes for each hand:")
    say(f"  {'':10}{'rows':>8}{'indexes':>10}{'together':>10}")
    total = 0
    for group, tables in GROUPS.items():
        grown = [
            sum(after.get(table, (0, 0))[part] - before.get(table, (0, 0))[part] for table in tables) / hands
            for part in (0, 1)
        ]
        total += round(sum(grown))
        say(f"  {group:10}{grown[0]:>8,.0f}{grown[1]:>10,.0f}{sum(grown):>10,.0f}")
    say(f"  {'all':10}{'':>18}{total:>10,}")


def print_archive(url: str, path: Path) -> None:
    """Archive everything that may be, and say what a hand takes then."""
    now_ms = time.time_ns() // 1_000_000
    began = time.perf_counter()
    with upkeep(url) as opened:
        done = archive(opened, path, before_ms=now_ms, now_ms=now_ms)
    if done is not None:
        seconds = time.perf_counter() - began
        say(f"archived {done.hands} hands in {seconds:.1f} s: {path.stat().st_size / done.hands:,.0f} bytes each")


async def events_of_hands(hands: int) -> list[AnyEvent]:
    table = await SqlTable.open(NoJournal(), epoch=1, clock=VirtualClock())
    for player in range(6):
        await table.sit(f"p{player}", 100_000)
    for _ in range(hands):
        await table.play_hand()
    return [event for commit in table.commits for event in commit.events]


def print_cost(events: Sequence[AnyEvent], *, rounds: int) -> None:
    """Medians over rounds, of the whole list each."""
    codec, encoder = EventCodec(), msgspec.json.Encoder()
    seals = Seals(ring_of(new_key()))
    hands = sum(isinstance(event, HandStarted) for event in events)

    def begin() -> HandSeal | None:
        seals.begin(TableId("t"), HandId("t-1"))
        return seals.running(TableId("t"))

    seal = begin()
    encoded = [codec.encode(event, seq=seq, seal=seal) for seq, event in enumerate(events)]
    sealed = [event for event, row in zip(events, encoded, strict=True) if row.format == SEALED_JSON]

    def decode_all() -> None:
        for seq, row in enumerate(encoded):
            codec.decode(format=row.format, payload=row.payload, seq=seq, seal=seal)

    took = {
        "open": lambda: [encoder.encode(event) for event in events],
        "kept": lambda: [codec.encode(event, seq=seq, seal=seal) for seq, event in enumerate(events)],
        "sealed": lambda: [codec.encode(event, seq=seq, seal=seal) for seq, event in enumerate(sealed)],
        "key": lambda: [begin() for _ in range(hands)],
        "read": decode_all,
    }
    seconds = {name: statistics.median(timed(work) for _ in range(rounds)) for name, work in took.items()}
    bare = Counter(row.format for row in encoded)
    say(f"{len(events)} events of {hands} hands, {bare[SEALED_JSON]} of them with something to seal; microseconds:")
    say(f"  an event as JSON in the open      {seconds['open'] / len(events) * 1e6:8.2f}")
    say(f"  an event as it is kept, mean      {seconds['kept'] / len(events) * 1e6:8.2f}")
    say(f"  one with something to seal        {seconds['sealed'] / len(sealed) * 1e6:8.2f}")
    say(f"  an event read back, mean          {seconds['read'] / len(events) * 1e6:8.2f}")
    say(f"  a hand's key, made and wrapped    {seconds['key'] / hands * 1e6:8.2f}")
    more = (seconds["kept"] + seconds["key"] - seconds["open"]) / hands
    say(f"  sealing a hand, all together      {more * 1e6:8.2f}")


def timed(work: Callable[[], object]) -> float:
    """Seconds of this thread's own work: what else runs on the machine does not count."""
    began = time.thread_time()
    work()
    return time.thread_time() - began


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.hand_bytes", description=__doc__)
    parser.add_argument("--hands", type=int, default=500, help="hands that the bots play at least (default 500)")
    parser.add_argument("--postgres", metavar="URL", help="measure an empty PostgreSQL database instead of SQLite")
    parser.add_argument("--rounds", type=int, default=9, help="how often the sealing is timed (default 9)")
    options = parser.parse_args(arguments)
    print_cost(asyncio.run(events_of_hands(50)), rounds=options.rounds)
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / "avenue.db"
        url = options.postgres or f"sqlite:///{path}"

        def sizes() -> Sizes:
            return sizes_in_postgres(url) if options.postgres else sizes_of_file(path)

        hands, before, after = asyncio.run(play(folder, url, sizes, hands=options.hands))
        print_sizes(before, after, hands=hands)
        print_archive(url, folder / "hands.jsonl.gz")
    finally:
        shutil.rmtree(folder)
    return 0


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
