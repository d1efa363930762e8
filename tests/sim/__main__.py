"""`python -m tests.sim --seed N --hands M [--worlds K]`: simulated worlds from one number each."""

from __future__ import annotations

import argparse
import sys

from tests.sim.run import Broken, Report, run_world


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first world's number; the others follow it")
    parser.add_argument("--hands", type=int, default=1_000, help="how many hands in all")
    parser.add_argument("--worlds", type=int, help="how many worlds share them; one for every 500 hands by default")
    wanted = parser.parse_args(arguments)
    worlds = wanted.worlds or max(1, wanted.hands // 500)
    total = Report()
    for number in range(worlds):
        hands = wanted.hands // worlds + (number < wanted.hands % worlds)
        try:
            total.add(run_world(wanted.seed + number, hands=hands))
        except Broken as broken:
            print(broken, flush=True)
            total.broken += 1
        if (number + 1) % 10 == 0 or number + 1 == worlds:
            print(total.line(), flush=True)
    print(total)
    return 1 if total.broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
