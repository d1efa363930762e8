"""Kills a server at random instants under bot load and holds what stands against what its players were told.

    python -m tests.chaos --kills 100 --seed 7 --database sqlite --out run-7.json
    python -m tests.chaos --sum run-*.json

`--database` is `sqlite`, `postgres` (a server of our own, see `tests/postgres.py`), or the URL of an empty database.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom

from app import logs
from tests.chaos import figures
from tests.chaos.house import settings_of
from tests.chaos.run import chaos
from tests.postgres import postgres_server


def main(arguments: list[str] | None = None) -> int:
    """Run it, print the figures, and give 1 when something did not hold."""
    options = _parser().parse_args(arguments)
    # Whoever ends this run ends its server too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if options.sum:
        runs = figures.read(options.sum)
    else:
        seed = SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
        say(f"seed {seed}, {options.kills} kills, {options.tables} tables, {options.database}")
        with _database(options.database) as url:
            logs.configure(settings_of(url))
            run = asyncio.run(chaos(url, kills=options.kills, seed=seed, tables=options.tables, say=say))
        run.database = options.database if options.database in ("sqlite", "postgres") else run.database
        if options.out is not None:
            figures.write(run, options.out)
        runs = [run]
    for line in figures.total(runs):
        say(line)
    return 1 if any(run.faults for run in runs) else 0


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@contextmanager
def _database(named: str) -> Iterator[str]:
    """The URL of an empty database of that kind, which ends with the run unless it was named by its URL."""
    if named == "sqlite":
        with tempfile.TemporaryDirectory(prefix="avenue-chaos-") as folder:
            yield f"sqlite:///{folder}/avenue.db"
    elif named == "postgres":
        with postgres_server() as server:
            url = server.empty_database()
            yield url
            server.drop(url)
    else:
        yield named


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--kills", type=int, default=20, help="how often the server is killed (%(default)s)")
    parser.add_argument("--seed", type=int, help="of the kills and of the bots; the deck is the server's own")
    parser.add_argument("--database", default="sqlite", help="sqlite, postgres, or a URL (%(default)s)")
    parser.add_argument("--tables", type=int, default=200, help="(%(default)s)")
    parser.add_argument("--out", type=Path, help="write the figures there as JSON")
    parser.add_argument("--sum", type=Path, nargs="+", help="add up such files instead of running")
    return parser


if __name__ == "__main__":
    sys.exit(main())
