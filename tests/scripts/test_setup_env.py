"""The environment is made whole, brought up to date, or made again: never half-made and taken for whole."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts import setup_env


class Shell:
    """Stands for the commands: writes down what was asked, makes the folder that venv would, and fails when told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fails_at: str | None = None

    def __call__(self, command: Sequence[str]) -> None:
        words = " ".join(command)
        self.asked.append(words)
        if self.fails_at is not None and self.fails_at in words:
            sys.exit("it failed")
        if "venv" in command:
            Path(command[-1]).mkdir(exist_ok=True)

    def take(self) -> list[str]:
        """What was asked since the last look, by its kind."""
        kinds = {"--clear": "make", "--require-hashes": "install", "--editable": "project"}
        asked, self.asked = self.asked, []
        return [kind for words in asked for mark, kind in kinds.items() if mark in words]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "a room with blanks"
    root.mkdir()
    for name in (*setup_env.DEV_FILES, "pyproject.toml"):
        (root / name).write_text(f"{name}\n")
    return root


@pytest.fixture
def shell() -> Shell:
    return Shell()


def test_a_first_run_makes_it_and_a_second_has_nothing_to_do(checkout: Path, shell: Shell) -> None:
    venv = setup_env.setup(dev=False, root=checkout, run=shell)
    assert venv == checkout / ".venv"
    assert not any("requirements-dev.txt" in words for words in shell.asked)
    assert shell.take() == ["make", "install", "project"]
    setup_env.setup(dev=False, root=checkout, run=shell)
    assert shell.take() == []


def test_the_test_packages_are_added_once_and_stay(checkout: Path, shell: Shell) -> None:
    setup_env.setup(dev=False, root=checkout, run=shell)
    shell.take()
    setup_env.setup(dev=True, root=checkout, run=shell)
    assert any("requirements-dev.txt" in words for words in shell.asked)
    assert shell.take() == ["install", "project"]
    setup_env.setup(dev=False, root=checkout, run=shell)
    setup_env.setup(dev=True, root=checkout, run=shell)
    assert shell.take() == []


@pytest.mark.parametrize("changed", [*setup_env.DEV_FILES, "pyproject.toml"])
def test_other_requirements_are_installed_in_place(checkout: Path, shell: Shell, changed: str) -> None:
    setup_env.setup(dev=True, root=checkout, run=shell)
    shell.take()
    (checkout / changed).write_text("something newer\n")
    setup_env.setup(dev=False, root=checkout, run=shell)
    assert any("requirements-dev.txt" in words for words in shell.asked), "what was there for tests has to stay right"
    assert shell.take() == ["install", "project"]


@pytest.mark.parametrize("step", ["--clear", "--require-hashes", "--editable"])
def test_a_half_made_environment_is_made_again(checkout: Path, shell: Shell, step: str) -> None:
    shell.fails_at = step
    with pytest.raises(SystemExit):
        setup_env.setup(dev=False, root=checkout, run=shell)
    shell.fails_at = None
    shell.take()
    setup_env.setup(dev=False, root=checkout, run=shell)
    assert shell.take() == ["make", "install", "project"]


def test_a_failed_update_is_not_taken_for_whole(checkout: Path, shell: Shell) -> None:
    setup_env.setup(dev=False, root=checkout, run=shell)
    (checkout / "requirements.txt").write_text("something newer\n")
    shell.fails_at = "--require-hashes"
    with pytest.raises(SystemExit):
        setup_env.setup(dev=False, root=checkout, run=shell)
    (checkout / "requirements.txt").write_text("requirements.txt\n")
    shell.fails_at = None
    shell.take()
    setup_env.setup(dev=False, root=checkout, run=shell)
    assert shell.take() == ["make", "install", "project"]


def test_a_moved_checkout_makes_its_own(checkout: Path, shell: Shell) -> None:
    setup_env.setup(dev=False, root=checkout, run=shell)
    shell.take()
    moved = checkout.rename(checkout.with_name("elsewhere"))
    setup_env.setup(dev=False, root=moved, run=shell)
    assert shell.take() == ["make", "install", "project"]


@pytest.mark.parametrize("stamp", ["", "{", "[]", "null", '{"base": 1}'])
def test_a_broken_stamp_proves_nothing(checkout: Path, shell: Shell, stamp: str) -> None:
    venv = setup_env.setup(dev=False, root=checkout, run=shell)
    shell.take()
    (venv / "avenue-stamp.json").write_text(stamp)
    setup_env.setup(dev=False, root=checkout, run=shell)
    assert shell.take() == ["make", "install", "project"]


def test_a_missing_module_is_told_with_its_cure() -> None:
    with pytest.raises(SystemExit, match=r"^avenue: .*'no_such_module'.*apt-get install python3-venv.*$"):
        setup_env.refuse_missing_modules(["venv", "no_such_module"])


def test_a_failing_command_is_named() -> None:
    with pytest.raises(SystemExit, match=r"failed at: .*--no-such-option"):
        setup_env.run_command([sys.executable, "--no-such-option"])
