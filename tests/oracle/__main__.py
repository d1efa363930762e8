"""`python -m tests.oracle`: random hands through our rules and through PokerKit, and whether they agree."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from engine.rules.variants import Game
from tests.cases.case import HandCase, load, read
from tests.oracle.run import replay_case, run


def main(arguments: Sequence[str] | None = None) -> int:
    """Play as the command line asks and print what came of it; 0 without a mismatch, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--hands", type=int, default=1000, help="hands of each game (default 1,000)")
    parser.add_argument("--seed", type=int, default=None, help="seed of the hands (default: a new one, printed)")
    parser.add_argument("--game", choices=get_args(Game), help="one game only (default: both)")
    parser.add_argument("--first", type=int, default=0, help="number of the first hand (default 0)")
    parser.add_argument("--replay", type=Path, help="play the hands of this file instead, as a mismatch is printed")
    options = parser.parse_args(arguments)
    if options.replay is not None:
        return _replay(options.replay)
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    mismatches = 0
    for game in [options.game] if options.game else get_args(Game):
        began = time.perf_counter()
        tally = run(game=game, seed=seed, hands=options.hands, first=options.first)
        seconds = time.perf_counter() - began
        _say(f"{game}, seed {seed}, hands {options.first} to {options.first + options.hands - 1}, {seconds:.0f} s")
        for line in tally.lines():
            _say(line)
        for line in tally.mismatched:
            _say(line)
        mismatches += tally.mismatches
    return 1 if mismatches else 0


def _replay(path: Path) -> int:
    failed = 0
    hands = [case for raw in load(path) if isinstance(case := read(raw), HandCase)]
    for case in hands:
        mismatch = replay_case(case)
        failed += mismatch is not None
        _say(f"{case.id} {mismatch or 'agrees'}")
    return 1 if failed else 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
