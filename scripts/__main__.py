"""The checkout's commands: `python3 -m scripts NAME [ARGUMENTS]` from its folder; `make NAME` is the same.

Each makes the environment first, as far as the command needs it, then becomes the program that does the work.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from scripts.setup_env import ROOT, program, setup

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LITTER = (
    ".venv",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    ".import_linter_cache",
    "dist",
    "build",
)


def main(arguments: Sequence[str]) -> None:
    """Carry out the command named by the first argument, with the rest as its own arguments."""
    os.chdir(ROOT)
    name, rest = (arguments[0], arguments[1:]) if arguments else ("help", [])
    command = COMMANDS.get(name)
    if command is None:
        sys.exit(f"avenue: no command '{name}': there are {', '.join(COMMANDS)}.")
    command(rest)


def set_up(rest: Sequence[str]) -> None:
    """Make the environment `.venv` and no more (`--dev`: with what tests and checks need)."""
    setup(dev="--dev" in rest)


def serve(rest: Sequence[str]) -> None:
    """Set up and start a room to play in."""
    _become(program(setup(dev=False), "avenue"), "serve", *rest)


def test(rest: Sequence[str]) -> None:
    """Set up and run the tests; what follows goes to pytest."""
    _become(program(setup(dev=True), "python"), "-m", "pytest", *rest)


def check(rest: Sequence[str]) -> None:
    """The fast look: format, lint, types, architecture, locks."""
    _become(program(setup(dev=True), "python"), "-m", "scripts.check", *rest)


def fix(rest: Sequence[str]) -> None:
    """Repair what ruff can repair by itself, and format."""
    ruff = str(program(setup(dev=True), "ruff"))
    lint = subprocess.run([ruff, "check", "--fix", *rest], check=False)
    form = subprocess.run([ruff, "format", *rest], check=False)
    sys.exit(lint.returncode or form.returncode)


def bench(rest: Sequence[str]) -> None:
    """Run every benchmark (tests/bench/*_speed.py), or the modules named, such as `rank_speed`."""
    python = str(program(setup(dev=True), "python"))
    there = sorted(path.stem for path in (ROOT / "tests" / "bench").glob("*.py") if path.stem != "__init__")
    for name in rest or [name for name in there if name.endswith("_speed")]:
        if name not in there:
            sys.exit(f"avenue: no benchmark '{name}': there are {', '.join(there)}.")
        print(f"== {name}", flush=True)
        done = subprocess.run([python, "-m", f"tests.bench.{name}"], check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)


def chaos(rest: Sequence[str]) -> None:
    """Kill a server again and again under bot load, and look whether anything was lost (`--kills`, `--seed`, …)."""
    _become(program(setup(dev=True), "python"), "-m", "tests.chaos", *rest)


def sim(rest: Sequence[str]) -> None:
    """Run simulated worlds, each from one number, with every law looked at (`--seed`, `--hands`, `--worlds`)."""
    _become(program(setup(dev=True), "python"), "-m", "tests.sim", *rest)


def lock(rest: Sequence[str]) -> None:
    """Lock the packages again after a change in pyproject.toml (`--upgrade`: to the newest)."""
    _become(program(setup(dev=True), "python"), "-m", "scripts.lock", *rest)


def clean(rest: Sequence[str]) -> None:
    """Remove the environment and all caches; the data in var/ stay."""
    for name in LITTER:
        shutil.rmtree(ROOT / name, ignore_errors=True)


def show_help(rest: Sequence[str]) -> None:
    """Print this list."""
    for name, command in COMMANDS.items():
        print(f"{name:6} {(command.__doc__ or '').strip()}")


def _become(executable: os.PathLike[str], *arguments: str) -> None:
    """Turn into that program, so that a Ctrl-C reaches it alone and its exit code is ours."""
    path = os.fspath(executable)
    if os.name == "nt":
        # Windows has no exec: it would give the prompt back while the program still runs.
        sys.exit(subprocess.run([path, *arguments], check=False).returncode)
    sys.stdout.flush()
    os.execv(path, [path, *arguments])  # noqa: S606  (the program is our own, and no shell is wanted)


COMMANDS: dict[str, Callable[[Sequence[str]], None]] = {
    "setup": set_up,
    "serve": serve,
    "test": test,
    "check": check,
    "fix": fix,
    "bench": bench,
    "chaos": chaos,
    "sim": sim,
    "lock": lock,
    "clean": clean,
    "help": show_help,
}

if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
