"""Keeps a new golden journal in the format of this version, or writes down anew what folding the old ones gives.

`python -m tests.golden.make new NAME GAME` plays a table and keeps its journal under a name that is not taken yet: do
it when a format is released. `python -m tests.golden.make expected` is for the day when views are meant to differ:
read what it changes line by line. Journals that stand are never written again.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence

from app.store.codec import EventCodec
from engine.rules.events import HandStarted
from engine.table.events import TableId
from tests.golden.playing import GAMES, play_a_table
from tests.golden.shelf import Folded, GoldenRow, fold, golden_seals, names, read_rows, write_expected, write_rows


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden.make", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    new = commands.add_parser("new")
    new.add_argument("name")
    new.add_argument("game", choices=sorted(GAMES))
    commands.add_parser("expected")
    options = parser.parse_args(arguments)
    if options.command == "new":
        write_rows(options.name, asyncio.run(rows_of(options.game)))
    for name in [options.name] if options.command == "new" else names():
        write_expected(name, fold(events_of(name)))
    return 0


async def rows_of(game: str) -> list[GoldenRow]:
    """A table's journal as this version keeps it."""
    codec, table_seals = EventCodec(), golden_seals()
    rows = []
    for commit in await play_a_table(game, seed=1):
        for seq, event in enumerate(commit.events, start=commit.first_seq):
            key = table_seals.begin(commit.table, event.hand) if isinstance(event, HandStarted) else None
            encoded = codec.encode(event, seq=seq, seal=table_seals.running(commit.table))
            rows.append(GoldenRow(seq, commit.at_ms, *encoded, key))
    return rows


def events_of(name: str) -> list[Folded]:
    """A kept journal read back with its keys, which everybody knows."""
    codec, table_seals, seal, events = EventCodec(), golden_seals(), None, list[Folded]()
    table = TableId(f"golden-{name.rpartition('-')[2]}")
    for row in read_rows(name):
        if row.key is not None:
            started = codec.public(format=row.format, payload=row.payload)
            assert isinstance(started, HandStarted)
            seal = table_seals.of(table, started.hand, row.key)
        event = codec.decode(format=row.format, payload=row.payload, seq=row.seq, seal=seal)
        events.append(Folded(row.seq, row.at_ms, event))
    return events


if __name__ == "__main__":
    sys.exit(main())
