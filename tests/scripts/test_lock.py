"""A lock that drifted from its source is named, with what to do about it."""

import shutil
from pathlib import Path

import pytest

from scripts import lock
from scripts.setup_env import ROOT


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("pyproject.toml", "uv.lock", *lock.EXPORTS):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_a_clean_checkout_has_no_drift(checkout: Path) -> None:
    assert lock.find_drift(checkout) == []


def test_a_new_dependency_drifts_from_the_lock(checkout: Path) -> None:
    project = checkout / "pyproject.toml"
    project.write_text(project.read_text().replace("dependencies = [\n", 'dependencies = [\n    "hypothesis",\n', 1))
    assert lock.find_drift(checkout) == ["uv.lock is not what pyproject.toml asks for: make lock"]


@pytest.mark.parametrize("name", [*lock.EXPORTS])
def test_an_edited_export_drifts_from_the_lock(checkout: Path, name: str) -> None:
    edited = checkout / name
    edited.write_text(edited.read_text().replace("==", "==9.", 1))
    assert lock.find_drift(checkout) == [f"{name} is not what uv.lock holds: make lock"]
