"""One fault at each of the first writes of a run: `python -m tests.sim.injection --writes 500 [--stride N]`.

For every transaction that writes, from the very first at the server's first start on, and for every kind of fault, a
calm world is run again from the same seed with that one fault in it, and on for a while; all laws are looked at.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import Final, NamedTuple

from tests.sim.chaos import Chaos, PlannedFlaw
from tests.sim.disk import Flaw, FlawKind
from tests.sim.run import Broken, run_world

KINDS: Final[tuple[FlawKind, ...]] = (
    "io_error",
    "disk_full",
    "lost_before",
    "lost_after",
    "dies_before",
    "dies_after",
)

SEED: Final = 35
WRITES_AFTER: Final = 60
"""How many transactions more each world lives on for."""


class Injection(NamedTuple):
    """A fault of one kind at one transaction of the run."""

    write: int
    kind: FlawKind

    @property
    def flaw(self) -> Flaw:
        """Every other time it falls between two statements, else at the commit."""
        early = self.kind in {"io_error", "dies_before"} or (self.write % 2 == 0 and self.kind != "lost_after")
        return Flaw(self.kind, at=2 + self.write % 12 if early else None, times=1 + self.write % 3)


def inject(injection: Injection, *, seed: int = SEED) -> Counter[str]:
    """Run a world with this fault in it, and give what happened. Raises `Broken`."""
    flaws = PlannedFlaw(injection.write, injection.flaw)
    report = run_world(
        seed, until_write=injection.write + WRITES_AFTER, chaos=Chaos(), flaws=flaws, care=0.2, audits=0.005
    )
    return report.happened


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim.injection", description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--writes", type=int, default=500)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    wanted = parser.parse_args(arguments)
    begun, broken, happened = time.monotonic(), 0, Counter[str]()
    worlds = 0
    for write in range(wanted.first, wanted.writes + 1, wanted.stride):
        for kind in KINDS:
            worlds += 1
            try:
                happened += inject(Injection(write, kind), seed=wanted.seed)
            except Broken as fault:
                broken += 1
                print(f"write {write}, {kind}: {fault}", flush=True)
        if write % 20 < wanted.stride:
            print(
                f"up to write {write}: {worlds} worlds, {broken} broken; {time.monotonic() - begun:.0f} s", flush=True
            )
    print(f"{worlds} worlds, each with one fault, {broken} broken; {time.monotonic() - begun:.0f} s")
    for what, times in sorted(happened.items()):
        print(f"  {times:7} {what}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
