"""Keeps pyproject.toml, uv.lock and the requirements files of plain pip the same; `--check` only tells.

uv.lock is the one source of versions. The three requirements files are its export with hashes, for all platforms:
what the server runs on, what builds it, and what tests and checks add.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from scripts.setup_env import ROOT, program

EXPORTS = {
    "requirements.txt": ["--no-default-groups"],
    "requirements-build.txt": ["--only-group", "build"],
    "requirements-dev.txt": ["--only-group", "dev"],
}
"""Each requirements file and the part of the lock that it holds."""

PLAIN = ["--no-header", "--no-annotate", "--no-emit-project"]


def main() -> None:
    """Lock again and write the exports, or check them; ends with 1 when a check finds drift."""
    parser = argparse.ArgumentParser(prog="python3 -m scripts lock")
    parser.add_argument("--check", action="store_true", help="change nothing, tell what drifted")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that pyproject.toml allows")
    options = parser.parse_args()
    if options.check:
        drifts = find_drift()
        for drift in drifts:
            print(drift)
        sys.exit(1 if drifts else 0)
    done = _uv(ROOT, "lock", *(["--upgrade"] if options.upgrade else []))
    if done.returncode != 0:
        sys.exit(done.stderr)
    for name in EXPORTS:
        (ROOT / name).write_text(export(name), encoding="utf-8")


def find_drift(root: Path = ROOT) -> list[str]:
    """One line for each file of a checkout that is not what its source asks for; needs no network."""
    if _uv(root, "lock", "--check", "--offline").returncode != 0:
        return ["uv.lock is not what pyproject.toml asks for: make lock"]
    return [
        f"{name} is not what uv.lock holds: make lock"
        for name in EXPORTS
        if (root / name).read_text(encoding="utf-8") != export(name, root=root)
    ]


def export(name: str, *, root: Path = ROOT) -> str:
    """The text that the requirements file of that name has to have."""
    done = _uv(root, "export", "--frozen", "--offline", *PLAIN, *EXPORTS[name])
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def _uv(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the environment's uv on a checkout; a machine's own indexes stay out of the lock."""
    own = {name: value for name, value in os.environ.items() if not (name.startswith("UV_") and "INDEX" in name)}
    venv = ROOT / ".venv"
    uv = [str(program(venv, "uv")), "--no-config", "--quiet", "--project", str(root)]
    python = ["--python", str(program(venv, "python"))]
    return subprocess.run([*uv, *arguments, *python], cwd=root, env=own, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    main()
