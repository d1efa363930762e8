"""How much of the disk does the journal's writer leave to the tables? `python -m tests.bench.group_commit --help`.

Real hands are decided beforehand. Then, over several rounds, one table commits alone (each commit waits for the disk by
itself), all tables commit at once through the writer (group commits), and the rows that these have left behind go into
an empty database of the same schema by bare inserts in as many transactions: by `executemany` on SQLite, and with
`--postgres` by one prepared statement for each row, all on their way at once, as drivers do for many rows; there once
with foreign keys and guards held and once without. The disk's own fdatasync stands beside. Medians are printed; on a
shared machine trust the ratios.
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
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL

from app.store.opening import Store
from app.store.pipeline import Pipeline
from app.store.postgres_sessions import connect
from app.store.urls import place_of
from app.store.writes import Prepared
from engine.table.ports import TableCommit
from tests.app.store.house import NoJournal, SqlTable, Template, add_player
from tests.app.store.places import Place, PostgresPlace, SqlitePlace
from tests.fakes import VirtualClock
from tests.postgres import PostgresServer, binaries, kept_server

ROWS = (
    ("journal", "seq, table_id"),
    ("answers", "number, table_id"),
    ("transfers", "at_ms, id"),
    ("entries", "number, account_id"),
    ("hands", "number, table_id"),
    ("hand_players", "started_ms, hand_id"),
)
"""What commits insert, in the order in which tables that play at the same pace do."""

BELONGS_TO = {"entries": "transfers", "hand_players": "hands"}

NAMED = (("players", "id"), ("tables", "id"), ("accounts", "id"))
"""What those rows name: it is there before the bare inserts begin."""

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


Rows = dict[str, list[tuple[Any, ...]]]


def parts_of(rows: Rows, batches: int) -> list[Rows]:
    """The rows cut into as many parts as there are batches, each row with the one that it belongs to."""
    parts: list[Rows] = [{table: [] for table in rows} for _ in range(batches)]
    place_of_row: dict[tuple[str, Any], int] = {}
    for table, found in rows.items():
        for number, row in enumerate(found):
            place = place_of_row.get((BELONGS_TO.get(table, ""), row[0]), number * batches // len(found))
            place_of_row.setdefault((table, row[0]), place)
            parts[place][table].append(row)
    return parts


def bare_sqlite(place: SqlitePlace, rows: Rows, *, batches: int) -> float:
    """Seconds to insert rows with sqlite3 alone."""
    with closing(sqlite3.connect(place.path, isolation_level=None)) as target:
        target.execute("PRAGMA journal_mode = WAL")
        target.execute("PRAGMA synchronous = FULL")
        parts = parts_of(rows, batches)
        began = time.perf_counter()
        for part in parts:
            target.execute("BEGIN IMMEDIATE")
            for table, some in part.items():
                target.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[table][0]))})", some)  # noqa: S608
            target.execute("COMMIT")
        return time.perf_counter() - began


def bare_postgres(place: PostgresPlace, rows: Rows, *, batches: int, with_keys: bool) -> float:
    """Seconds to insert rows over one connection; without keys nothing looks whether what they name is there."""
    url = place_of(place.url)
    assert isinstance(url, URL)
    connection = connect(url, autocommit=True)
    if not with_keys:
        connection.execute("SET session_replication_role = replica")
    with closing(Pipeline(connection)) as pipe:
        inserts = {
            table: Prepared(
                f"INSERT INTO {table} VALUES ({', '.join(f'${n + 1}' for n in range(len(found[0])))})",  # noqa: S608
                None,
            )
            for table, found in rows.items()
        }
        parts = parts_of(rows, batches)
        began = time.perf_counter()
        for part in parts:
            pipe.say("BEGIN")
            for table, some in part.items():
                for row in some:
                    pipe.send(inserts[table], row)
            pipe.say("COMMIT")
            assert not any(isinstance(outcome, tuple) for outcome in pipe.collect())
        return time.perf_counter() - began


def rows_in(place: Place, tables: Sequence[tuple[str, str]]) -> Rows:
    return {table: place.sql(f"SELECT * FROM {table} ORDER BY {order}") for table, order in tables}  # noqa: S608


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


class House:
    """Where each round gets new databases."""

    def __init__(self, server: PostgresServer | None) -> None:
        self._server = server

    def place(self, folder: Path, name: str) -> Place:
        if self._server is not None:
            return PostgresPlace(self._server, self._server.database())
        return SqlitePlace(Template(folder / name).copy(folder / f"{name}.db"))

    def tidy(self, *places: Place) -> None:
        for place in places:
            if isinstance(place, PostgresPlace):
                place.server.drop(place.url)


async def one_round(house: House, folder: Path, tables: list[list[TableCommit]]) -> dict[str, float]:
    for name in ("single", "many", "bare"):
        (folder / name).mkdir()
    single, many, bare = (house.place(folder, name) for name in ("single", "many", "bare"))
    clock = VirtualClock()
    found = {"fdatasync": fdatasync_seconds(folder)}

    store = await single.open(clock)
    await fill(store, 1)
    took = await keep_one_by_one(store, tables[0])
    await store.close()
    found["single"] = len(took) / sum(took)
    found["single p50"] = statistics.median(took)

    store = await many.open(clock)
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

    batches = max(map(len, tables))
    rows = rows_in(many, ROWS)
    if isinstance(bare, PostgresPlace):
        again = PostgresPlace(bare.server, bare.server.database())
        for place, with_keys in ((bare, False), (again, True)):
            bare_postgres(place, rows_in(many, NAMED), batches=1, with_keys=False)
            took_s = bare_postgres(place, rows, batches=batches, with_keys=with_keys)
            found["bare with keys" if with_keys else "bare"] = events / took_s
        house.tidy(again)
    elif isinstance(bare, SqlitePlace):
        found["bare"] = events / bare_sqlite(bare, rows, batches=batches)
    house.tidy(single, many, bare)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.group_commit", description=__doc__)
    parser.add_argument("--tables", type=int, default=200, help="tables that commit at once (default 200)")
    parser.add_argument("--hands", type=int, default=3, help="hands that each of them plays (default 3)")
    parser.add_argument("--rounds", type=int, default=9, help="how often everything is measured (default 9)")
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL server, as the tests find it")
    options = parser.parse_args(arguments)
    with server_for(is_wanted=options.postgres) as server:
        asyncio.run(measure(House(server), tables=options.tables, hands=options.hands, rounds=options.rounds))
    return 0


@contextmanager
def server_for(*, is_wanted: bool) -> Iterator[PostgresServer | None]:
    """A server whose files are on the disk: one in memory has nothing to wait for."""
    if not is_wanted:
        yield None
        return
    found = binaries()
    if found is None:
        sys.exit("there is no PostgreSQL here")
    with kept_server(found, on_disk=True) as server:
        yield server


async def measure(house: House, *, tables: int, hands: int, rounds: int) -> None:
    decided = [await commits_of_a_table(number, hands=hands) for number in range(tables)]
    found = []
    for _ in range(rounds):
        # Beside the checkout: a folder in memory has no disk to wait for.
        with tempfile.TemporaryDirectory(dir=".") as folder:
            found.append(await one_round(house, Path(folder), decided))
    median = {name: statistics.median(one[name] for one in found) for name in found[0]}
    lone_syncs = 1 / median["fdatasync"]
    say(f"{tables} tables, {sum(map(len, decided)):,} commits, medians of {rounds} rounds")
    say(f"fdatasync of 4 KiB        {median['fdatasync'] * 1e3:8.2f} ms")
    say(f"one table, lone commits   {median['single']:8,.0f} commits/s, p50 {median['single p50'] * 1e3:.2f} ms")
    say(f"  beside one fdatasync    {lone_syncs / median['single']:8.2f} x its time")
    say(f"{tables} tables at once       {median['many']:8,.0f} commits/s, {median['many events']:,.0f} events/s")
    say(f"  asked to durable        p50 {median['many p50'] * 1e3:.1f} ms, p99 {median['many p99'] * 1e3:.1f} ms")
    for name in ("bare", "bare with keys"):
        if name in median:
            says = "bare insert of the rows" if name == "bare" else "  with keys and guards"
            ratios = [one["many events"] / one[name] for one in found]
            say(f"{says:<25} {median[name]:8,.0f} events/s")
            say(f"  the journal's share     {statistics.median(ratios):8.2f} of it")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
