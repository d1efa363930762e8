"""How much of the disk does the journal's writer leave to the tables? `python -m tests.bench.group_commit --help`.

Real hands are decided beforehand. Then, over several rounds, one table commits alone (each commit waits for the disk by
itself), all tables commit at once through the writer (group commits), and the rows that these have left behind go into
an empty database by bare `executemany`s in as many transactions. The disk's own fdatasync stands beside. Medians are
printed; on a shared machine trust the ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from app.store.opening import Store, open_store
from engine.table.ports import TableCommit
from tests.app.store.house import NoJournal, SqlTable, Template, add_player, url_of
from tests.fakes import VirtualClock

ROWS = (
    ("journal", "seq, table_id"),
    ("answers", "number, table_id"),
    ("transfers", "at_ms, id"),
    ("entries", "number, account_id"),
    ("hands", "number, table_id"),
    ("hand_players", "started_ms, hand_id"),
)
"""What commits insert, in the order in which tables that play at the same pace do."""

PLAYERS = 6
CHIPS = 100_000


async def commits_of_a_table(number: int, *, hands: int) -> list[TableCommit]:
    """What a table commits while six sit down and play some hands."""
    table = await SqlTable.open(NoJournal(), epoch=1, clock=VirtualClock(), table=f"t{number}", seed=number)
    for seat in range(PLAYERS):
        await table.sit(f"p{number}-{seat}", CHIPS)
    for _ in range(hands):
        await table.play_hand()
    return table.commits


async def fill(store: Store, tables: int) -> None:
    for number in range(tables):
        await asyncio.gather(*(add_player(store, f"p{number}-{seat}", chips=CHIPS) for seat in range(PLAYERS)))


async def keep_one_by_one(store: Store, commits: Sequence[TableCommit]) -> list[float]:
    """Seconds from asking to durable for each commit."""
    took = []
    for commit in commits:
        began = time.perf_counter()
        await store.journal.commit(commit)
        took.append(time.perf_counter() - began)
    return took


async def keep_at_once(store: Store, tables: Sequence[Sequence[TableCommit]]) -> list[float]:
    kept = await asyncio.gather(*(keep_one_by_one(store, commits) for commits in tables))
    return [seconds for one in kept for seconds in one]


def bare_inserts(path: Path, kept: Path, *, batches: int) -> float:
    """Seconds to insert all rows of a database that was filled by commits into an empty one, with sqlite3 alone."""
    source = sqlite3.connect(kept)
    rows = {table: source.execute(f"SELECT * FROM {table} ORDER BY {order}").fetchall() for table, order in ROWS}  # noqa: S608
    source.close()
    target = sqlite3.connect(path, isolation_level=None)
    target.execute("PRAGMA journal_mode = WAL")
    target.execute("PRAGMA synchronous = FULL")
    inserts = {
        table: f"INSERT INTO {table} VALUES ({', '.join('?' * len(found[0]))})"  # noqa: S608
        for table, found in rows.items()
    }
    began = time.perf_counter()
    for batch in range(batches):
        target.execute("BEGIN IMMEDIATE")
        for table, found in rows.items():
            a_batch = slice(len(found) * batch // batches, len(found) * (batch + 1) // batches)
            target.executemany(inserts[table], found[a_batch])
        target.execute("COMMIT")
    seconds = time.perf_counter() - began
    target.close()
    return seconds


def fdatasync_seconds(folder: Path, times: int = 100) -> float:
    """The median of what the disk takes to make 4 KiB durable."""
    took = []
    with (folder / "sync").open("wb") as file:
        for _ in range(times):
            file.write(b"\0" * 4096)
            file.flush()
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - began)
    return statistics.median(took)


async def one_round(folder: Path, tables: list[list[TableCommit]]) -> dict[str, float]:
    template = Template(folder)
    clock = VirtualClock()
    found = {"fdatasync": fdatasync_seconds(folder)}

    store = await open_store(url_of(template.copy(folder / "single.db")), now_ms=clock.now_ms)
    await fill(store, 1)
    took = await keep_one_by_one(store, tables[0])
    await store.close()
    found["single"] = len(took) / sum(took)
    found["single p50"] = statistics.median(took)

    store = await open_store(url_of(template.copy(folder / "many.db")), now_ms=clock.now_ms)
    await fill(store, len(tables))
    began = time.perf_counter()
    took = await keep_at_once(store, tables)
    seconds = time.perf_counter() - began
    await store.close()
    commits = sum(map(len, tables))
    events = sum(len(commit.events) for one in tables for commit in one)
    found["many"] = commits / seconds
    found["many p50"] = statistics.median(took)
    found["many p99"] = statistics.quantiles(took, n=100)[98]
    found["many events"] = events / seconds

    bare = bare_inserts(template.copy(folder / "bare.db"), folder / "many.db", batches=max(map(len, tables)))
    found["bare events"] = events / bare
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.group_commit", description=__doc__)
    parser.add_argument("--tables", type=int, default=200, help="tables that commit at once (default 200)")
    parser.add_argument("--hands", type=int, default=3, help="hands that each of them plays (default 3)")
    parser.add_argument("--rounds", type=int, default=9, help="how often everything is measured (default 9)")
    options = parser.parse_args(arguments)
    asyncio.run(measure(tables=options.tables, hands=options.hands, rounds=options.rounds))
    return 0


async def measure(*, tables: int, hands: int, rounds: int) -> None:
    decided = [await commits_of_a_table(number, hands=hands) for number in range(tables)]
    found = []
    for _ in range(rounds):
        # Beside the checkout: a folder in memory has no disk to wait for.
        with tempfile.TemporaryDirectory(dir=".") as folder:
            found.append(await one_round(Path(folder), decided))
    median = {name: statistics.median(one[name] for one in found) for name in found[0]}
    lone_syncs = 1 / median["fdatasync"]
    say(f"{tables} tables, {sum(map(len, decided)):,} commits, medians of {rounds} rounds")
    say(f"fdatasync of 4 KiB        {median['fdatasync'] * 1e3:8.2f} ms")
    say(f"one table, lone commits   {median['single']:8,.0f} commits/s, p50 {median['single p50'] * 1e3:.2f} ms")
    say(f"  beside one fdatasync    {lone_syncs / median['single']:8.2f} x its time")
    say(f"{tables} tables at once       {median['many']:8,.0f} commits/s, {median['many events']:,.0f} events/s")
    say(f"  asked to durable        p50 {median['many p50'] * 1e3:.1f} ms, p99 {median['many p99'] * 1e3:.1f} ms")
    say(f"bare insert of the rows   {median['bare events']:8,.0f} events/s")
    ratios = [one["many events"] / one["bare events"] for one in found]
    say(f"  the journal's share     {statistics.median(ratios):8.2f} of it")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
