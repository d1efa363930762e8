"""The checkout's commands are the same with make and without, and the help names each."""

import ast
import os
import re
import shutil
import subprocess
import sys

import pytest

import scripts
from scripts.setup_env import ROOT

NAMES = ["setup", "serve", "test", "check", "fix", "bench", "chaos", "sim", "lock", "clean", "help"]


def test_help_gives_one_line_for_each_command() -> None:
    lines = output_of(sys.executable, "-m", "scripts").splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert all(re.fullmatch(r"\w+ +\w.*\.", line) for line in lines)


def test_make_has_the_same_commands() -> None:
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert targets is not None
    assert targets[1].split() == NAMES


@pytest.mark.skipif(shutil.which("make") is None, reason="make is one of two ways")
def test_make_alone_shows_the_help() -> None:
    assert output_of("make", f"PYTHON={sys.executable}") == output_of(sys.executable, "-m", "scripts", "help")


@pytest.mark.skipif(shutil.which("make") is None, reason="make is one of two ways")
def test_make_says_how_much_chaos_there_is_to_be() -> None:
    told = output_of("make", "-n", "chaos", f"PYTHON={sys.executable}", "N=9", "SEED=7", "DATABASE=postgres")
    assert told.split()[-7:] == ["chaos", "--kills", "9", "--seed", "7", "--database", "postgres"]


@pytest.mark.skipif(shutil.which("make") is None, reason="make is one of two ways")
def test_make_says_which_world_is_to_be_simulated() -> None:
    told = output_of("make", "-n", "sim", f"PYTHON={sys.executable}", "SEED=7", "HANDS=500")
    assert told.split()[-5:] == ["sim", "--seed", "7", "--hands", "500"]


def test_an_unknown_command_is_told_what_there_is() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts", "dance"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("avenue: no command 'dance': there are setup, serve,")


def test_an_old_python_is_told_in_one_line() -> None:
    with pytest.raises(SystemExit, match=r"^avenue: Python 3\.6 is too old, 3\.11 or newer is needed: .*PYTHON=.*$"):
        scripts.refuse_old_python((3, 6))
    scripts.refuse_old_python((3, 11))
    scripts.refuse_old_python((4, 0))


def test_an_old_python_can_read_the_line() -> None:
    source = (ROOT / "scripts" / "__init__.py").read_text()
    tree = ast.parse(source, feature_version=(3, 4))
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr | ast.AnnAssign)]
    assert "__future__" not in source


def output_of(*command: str) -> str:
    """What a command prints; a make that runs these tests keeps its own settings."""
    own = {
        name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "ARGS"}
    }
    return subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, check=True).stdout
