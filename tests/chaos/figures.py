"""What a run counted and measured, as JSON that adds up with other runs'."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec


class Run(msgspec.Struct, kw_only=True):
    """One seed's run. Durations are seconds, each list in the order of the kills."""

    seed: int
    database: str
    tables: int
    kills: int = 0
    in_flight: int = 0
    """Kills that fell while the server's commit was in flight, those that looked for one among them."""
    sought: int = 0
    """Kills that waited a moment for the next commit; the rest fell where the dice said."""
    sought_in_flight: int = 0
    ready_s: list[float] = []
    """From each process's start until all tables stood and it said that it is ready."""
    ready_cpu_s: list[float] = []
    """What of that the process spent on a processor."""
    first_act_s: list[float] = []
    """From ready until a table's first acknowledged action, in the lives in which every table is played."""
    hands: int = 0
    hands_over_a_kill: int = 0
    """Hands that ran at the moment of a kill; each of them was played on."""
    shown: int = 0
    acked: int = 0
    resent: int = 0
    kept: int = 0
    """Commands that were sent again and got the answer which was kept for them."""
    timed_out: int = 0
    histories: int = 0
    audits: int = 0
    refused: dict[str, int] = {}
    """Commands that were not accepted, by code."""
    sent_away: dict[str, int] = {}
    """Connections that a living server ended, by the code that it gave."""
    seconds: float = 0
    faults: list[str] = []


def total(runs: Sequence[Run]) -> list[str]:
    """The figures of several runs together, for people."""
    kills = sum(run.kills for run in runs)
    in_flight = sum(run.in_flight for run in runs)
    sought = sum(run.sought for run in runs)
    sought_in_flight = sum(run.sought_in_flight for run in runs)
    by_chance = f"{in_flight - sought_in_flight} of {kills - sought} where the dice said"
    ready = [seconds for run in runs for seconds in run.ready_s]
    cpu = [seconds for run in runs for seconds in run.ready_cpu_s]
    first = [seconds for run in runs for seconds in run.first_act_s]
    refused = sum((Counter(run.refused) for run in runs), Counter[str]())
    away = sum((Counter(run.sent_away) for run in runs), Counter[str]())
    faults = [f"seed {run.seed}: {fault}" for run in runs for fault in run.faults]
    databases = ", ".join(sorted({f"{run.database} with {run.tables} tables" for run in runs}))
    return [
        f"{kills} kills on {databases}; seeds {', '.join(str(run.seed) for run in runs)}",
        f"{in_flight} kills with a commit in flight ({by_chance}, {sought_in_flight} of {sought} that looked for one)",
        f"from the process's start to ready: {_spread(ready)}, over {len(ready)} starts",
        f"of which on a processor: {_spread(cpu)}",
        f"from ready to each table's first acknowledged action: {_spread(first)}, over {len(first)} tables",
        f"{sum(run.hands for run in runs)} hands, {sum(run.hands_over_a_kill for run in runs)} of them ran at a kill",
        f"{sum(run.shown for run in runs)} events shown, {sum(run.acked for run in runs)} commands acknowledged,"
        f" {sum(run.resent for run in runs)} sent again, {sum(run.kept for run in runs)} of these answered as kept",
        f"{sum(run.timed_out for run in runs)} turns ran out; {sum(run.histories for run in runs)} histories read"
        f" through players' logins; {sum(run.audits for run in runs)} audits; {sum(run.seconds for run in runs):.0f} s",
        f"refused: {dict(refused) or 'nothing'}; sent away by a living server: {dict(away) or 'nobody'}",
        f"{len(faults)} faults" + "".join(f"\n  {fault}" for fault in faults[:20]),
    ]


def read(files: Sequence[Path]) -> list[Run]:
    return [msgspec.json.decode(file.read_bytes(), type=Run) for file in files]


def write(run: Run, file: Path) -> None:
    file.write_bytes(msgspec.json.encode(run))


def _spread(seconds: Sequence[float]) -> str:
    if not seconds:
        return "nothing measured"
    ordered = sorted(seconds)

    def at(share: float) -> float:
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    return f"p50 {at(0.5):.2f} s, p99 {at(0.99):.2f} s, max {ordered[-1]:.2f} s"
