"""Makes the checkout's `.venv`: the locked packages, and the project itself as an editable install.

Needs nothing but the standard library and plain pip. A repeat run finds the stamp of the last and returns at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
RUNTIME_FILES = ("requirements.txt", "requirements-build.txt")
DEV_FILES = (*RUNTIME_FILES, "requirements-dev.txt")


def run_command(command: Sequence[str]) -> None:
    """Run a command to its end; a failing one ends this program with a line that names it."""
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        sys.exit(f"avenue: setting up the environment failed at: {' '.join(command)}")


def setup(*, dev: bool, root: Path = ROOT, run: Callable[[Sequence[str]], None] = run_command) -> Path:
    """Bring the checkout's environment to the locked state and return its folder.

    An environment without a stamp is half-made, and one of another Python or of another place is no use: both are built
    again from nothing. One whose stamp tells of other requirements is brought up to date in place, so that a server
    that runs from it keeps its files. `run` carries out one command and does not return when it fails.
    Ends the program with one line when this machine cannot make an environment.
    """
    venv = root / ".venv"
    base, locked = _base_key(root), _locked_key(root)
    if _is_enough(_read_stamp(venv), base=base, locked=locked, dev=dev):
        return venv
    with _one_at_a_time(root):
        found = _read_stamp(venv)
        if _is_enough(found, base=base, locked=locked, dev=dev):
            return venv
        keep = found.get("base") == base
        dev = dev or (keep and bool(found.get("dev")))
        _stamp_path(venv).unlink(missing_ok=True)
        if not keep:
            _create(venv, run)
        _install(root, DEV_FILES if dev else RUNTIME_FILES, run)
        _write_stamp(venv, {"base": base, "locked": locked, "dev": dev})
    return venv


def program(venv: Path, name: str) -> Path:
    """Where the environment keeps the program of that name."""
    return venv / "Scripts" / f"{name}.exe" if os.name == "nt" else venv / "bin" / name


def refuse_missing_modules(names: Sequence[str]) -> None:
    """End the program with one line when this Python came without a module that makes environments."""
    for name in names:
        if importlib.util.find_spec(name) is None:
            sys.exit(f"avenue: this Python came without '{name}': install it (Debian: apt-get install python3-venv).")


def _create(venv: Path, run: Callable[[Sequence[str]], None]) -> None:
    refuse_missing_modules(("venv", "ensurepip"))
    _say("making .venv")
    # `--clear` empties what an interrupted run left.
    run([sys.executable, "-m", "venv", "--clear", str(venv)])


def _install(root: Path, files: Sequence[str], run: Callable[[Sequence[str]], None]) -> None:
    pip = [str(program(root / ".venv", "python")), "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
    _say(f"installing what {', '.join(files)} lock")
    requirements = [part for name in files for part in ("-r", str(root / name))]
    run([*pip, "--require-hashes", *requirements])
    # The build tools are among the locked packages, so the project's own install asks for nothing more.
    run([*pip, "--no-deps", "--no-build-isolation", "--editable", str(root)])


def _say(line: str) -> None:
    print(f"avenue: {line}", file=sys.stderr, flush=True)


def _base_key(root: Path) -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]} {sys.base_prefix} {root}"


def _locked_key(root: Path) -> str:
    digest = hashlib.sha256()
    for name in (*DEV_FILES, "pyproject.toml"):
        content = (root / name).read_bytes()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _is_enough(found: dict[str, object], *, base: str, locked: str, dev: bool) -> bool:
    if found.get("base") != base or found.get("locked") != locked:
        return False
    return bool(found.get("dev")) or not dev


def _stamp_path(venv: Path) -> Path:
    return venv / "avenue-stamp.json"


def _read_stamp(venv: Path) -> dict[str, object]:
    """What the last run left, or nothing: a missing or broken stamp proves nothing."""
    try:
        stamp = json.loads(_stamp_path(venv).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _write_stamp(venv: Path, stamp: dict[str, object]) -> None:
    """Write the stamp whole or not at all: it is the proof that everything before it went well."""
    draft = _stamp_path(venv).with_suffix(".draft")
    draft.write_text(json.dumps(stamp), encoding="utf-8")
    draft.replace(_stamp_path(venv))


@contextlib.contextmanager
def _one_at_a_time(root: Path) -> Iterator[None]:
    """Hold the checkout's folder locked, so that two runs at once do not install over each other."""
    if os.name == "nt":
        yield
        return
    import fcntl  # noqa: PLC0415  (Windows has no such module)

    folder = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
