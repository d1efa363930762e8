"""Makes the checkout's `.venv`: the locked packages, and the project itself as an editable install.

Needs nothing but the standard library and plain pip. `python3 scripts/setup_env.py` installs what the server runs on,
`--dev` adds what tests and checks need. A repeat run finds the stamp of the run before and returns at once.
"""

from __future__ import annotations

import argparse
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
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
OLDEST_PYTHON = (3, 11)
RUNTIME_FILES = ("requirements.txt", "requirements-build.txt")
DEV_FILES = (*RUNTIME_FILES, "requirements-dev.txt")


def main() -> None:
    """Make the environment that the command line asks for."""
    parser = argparse.ArgumentParser(description="Make the checkout's .venv from the locked requirements.")
    parser.add_argument("--dev", action="store_true", help="add what tests and checks need")
    setup(dev=parser.parse_args().dev)


def setup(*, dev: bool, venv: Path = VENV) -> Path:
    """Bring the environment to the locked state and return its folder.

    An environment without a stamp is half-made and is built again from nothing; one whose stamp is of other
    requirements is brought up to date in place, so that a running server keeps its files.
    Ends the program with one line when this machine cannot make one.
    """
    _refuse_old_python()
    wanted = {"base": _base_key(), "locked": _locked_key(), "dev": dev}
    if _is_enough(_read_stamp(venv), wanted):
        return venv
    with _one_at_a_time():
        found = _read_stamp(venv)
        if _is_enough(found, wanted):
            return venv
        whole = found is not None and found.get("base") == wanted["base"]
        dev = dev or (whole and found is not None and bool(found.get("dev")))
        _stamp_path(venv).unlink(missing_ok=True)
        if not whole:
            _create(venv)
        _install(venv, DEV_FILES if dev else RUNTIME_FILES)
        _write_stamp(venv, {**wanted, "dev": dev})
    return venv


def program(name: str, *, venv: Path = VENV) -> Path:
    """Where the environment keeps the program of that name."""
    return venv / "Scripts" / f"{name}.exe" if os.name == "nt" else venv / "bin" / name


def _refuse_old_python() -> None:
    if sys.version_info < OLDEST_PYTHON:
        have = ".".join(map(str, sys.version_info[:2]))
        sys.exit(f"Avenue needs Python 3.11 or newer and this is {have}: name a newer one (make PYTHON=python3.12 serve).")


def _create(venv: Path) -> None:
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            sys.exit(f"This Python has no module '{module}': install it first (Debian: apt-get install python3-venv).")
    _say("making .venv")
    # `--clear` empties what an interrupted run left.
    _run([sys.executable, "-m", "venv", "--clear", str(venv)])


def _install(venv: Path, files: tuple[str, ...]) -> None:
    pip = [str(program("python", venv=venv)), "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
    _say(f"installing the locked packages ({', '.join(files)})")
    requirements = [part for name in files for part in ("-r", str(ROOT / name))]
    _run([*pip, "--require-hashes", *requirements])
    # The build tools are among the locked packages, so the project's own install asks for no other.
    _run([*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)])


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        sys.exit(f"setting up the environment failed at: {' '.join(command)}")


def _say(line: str) -> None:
    sys.stderr.write(f"avenue: {line}\n")
    sys.stderr.flush()


def _base_key() -> str:
    """The interpreter and the place: an environment that was moved or whose Python changed is no use."""
    return f"{sys.version_info[0]}.{sys.version_info[1]} {sys.base_prefix} {ROOT}"


def _locked_key() -> str:
    digest = hashlib.sha256()
    for name in (*DEV_FILES, "pyproject.toml"):
        content = (ROOT / name).read_bytes()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _is_enough(found: dict[str, object] | None, wanted: dict[str, object]) -> bool:
    if found is None or found.get("base") != wanted["base"] or found.get("locked") != wanted["locked"]:
        return False
    return bool(found.get("dev")) or not wanted["dev"]


def _stamp_path(venv: Path) -> Path:
    return venv / "avenue-stamp.json"


def _read_stamp(venv: Path) -> dict[str, object] | None:
    try:
        stamp = json.loads(_stamp_path(venv).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return stamp if isinstance(stamp, dict) else None


def _write_stamp(venv: Path, stamp: dict[str, object]) -> None:
    """Write the stamp whole or not at all: it is the proof that everything before it went well."""
    draft = _stamp_path(venv).with_suffix(".draft")
    draft.write_text(json.dumps(stamp), encoding="utf-8")
    draft.replace(_stamp_path(venv))


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Hold the checkout's folder locked, so that two runs at once do not install over each other."""
    if os.name == "nt":
        yield
        return
    import fcntl  # noqa: PLC0415  (Windows has no such module)

    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


if __name__ == "__main__":
    main()
