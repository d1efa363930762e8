"""Keeps pyproject.toml, uv.lock and the requirements files of plain pip the same; `--check` only tells.

uv.lock is the one source of versions. The three requirements files are its export with hashes, for all platforms:
what the server runs on, what builds it, and what tests and checks add.
"""

import argparse
import os
import subprocess
import sys

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
    done = _uv("lock", *(["--upgrade"] if options.upgrade else []))
    if done.returncode != 0:
        sys.exit(done.stderr)
    for name in EXPORTS:
        (ROOT / name).write_text(export(name), encoding="utf-8")


def find_drift() -> list[str]:
    """One line for each file that is not what its source asks for; needs no network."""
    if _uv("lock", "--check", "--offline").returncode != 0:
        return ["uv.lock is not what pyproject.toml asks for: make lock"]
    return [
        f"{name} is not what uv.lock holds: make lock"
        for name in EXPORTS
        if (ROOT / name).read_text(encoding="utf-8") != export(name)
    ]


def export(name: str) -> str:
    """The text that the requirements file of that name has to have."""
    done = _uv("export", "--frozen", "--offline", *PLAIN, *EXPORTS[name])
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def _uv(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the environment's uv; a machine's own indexes stay out of the lock."""
    venv = ROOT / ".venv"
    own = {name: value for name, value in os.environ.items() if "INDEX" not in name or not name.startswith("UV_")}
    uv = [str(program(venv, "uv")), "--no-config", "--project", str(ROOT), "--quiet"]
    python = ["--python", str(program(venv, "python"))]
    return subprocess.run([*uv, *arguments, *python], cwd=ROOT, env=own, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    main()
