"""The checkout's commands are the same with make and without, and the help names each."""

import re
import shutil
import subprocess
import sys

import pytest

from scripts.setup_env import ROOT

NAMES = ["serve", "test", "check", "fix", "bench", "lock", "clean"]


def test_help_gives_one_line_for_each_command() -> None:
    lines = output_of(sys.executable, "-m", "scripts").splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert all(re.fullmatch(r"\w+ +\w.*[.)]", line) for line in lines)


def test_make_has_the_same_commands() -> None:
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert targets is not None
    assert targets[1].split() == [*NAMES, "help"]


@pytest.mark.skipif(shutil.which("make") is None, reason="make is one of two ways")
def test_make_alone_shows_the_help() -> None:
    assert output_of("make", f"PYTHON={sys.executable}") == output_of(sys.executable, "-m", "scripts", "help")


def test_an_unknown_command_is_told_what_there_is() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts", "dance"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("avenue: no command 'dance': there are serve, test,")


def output_of(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
