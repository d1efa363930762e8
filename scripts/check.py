"""The fast look at the whole checkout: every check runs, and one that fails is shown with what it said."""

import subprocess
import sys
import time

from scripts.setup_env import ROOT, program

VENV = ROOT / ".venv"
PYTHON = str(program(VENV, "python"))

CHECKS = {
    "lint": [str(program(VENV, "ruff")), "check", "--quiet"],
    "format": [str(program(VENV, "ruff")), "format", "--check", "--quiet"],
    "types": [PYTHON, "-m", "mypy", "--no-error-summary"],
    "imports": [str(program(VENV, "lint-imports")), "--no-logo"],
    "schema": [PYTHON, "-m", "app.wire.export", "--check"],
    "messages": [PYTHON, "clients/sdk/generate.py", "--check"],
    "locks": [PYTHON, "-m", "scripts.lock", "--check"],
    "architecture": [PYTHON, "-m", "pytest", "-q", "--no-header", "--durations=0", "tests/test_architecture.py"],
}


def main() -> None:
    """Run every check; ends with 1 when one failed."""
    failed = []
    for name, command in CHECKS.items():
        begun = time.monotonic()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        took_s = time.monotonic() - begun
        print(f"{name:12} {'ok' if done.returncode == 0 else 'FAILED'} ({took_s:.1f} s)", flush=True)
        if done.returncode != 0:
            failed.append(name)
            print(done.stdout + done.stderr, flush=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)} (`make fix` repairs what ruff can)")


if __name__ == "__main__":
    main()
