"""What is handed out: the two wheels, the locks that pin their surroundings, and the container as text."""

import ast
import contextlib
import os
import re
import sqlite3
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from app.settings import Settings
from scripts import lock
from tests.house_rules import imported_packages

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "app": "app",
    "engine": "engine",
    "migrations": "migrations",
    "avenue_sdk": "clients/sdk/avenue_sdk",
    "avenue_bots": "clients/bots/avenue_bots",
}
SDK = ROOT / "clients" / "sdk"


@pytest.fixture(scope="session")
def server_wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return built_wheel(ROOT, tmp_path_factory.mktemp("server"))


@pytest.fixture(scope="session")
def sdk_wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return built_wheel(SDK, tmp_path_factory.mktemp("sdk"))


def test_the_servers_wheel_carries_all_its_packages_and_nothing_else(server_wheel: zipfile.ZipFile) -> None:
    assert contents(server_wheel) == {
        f"{name}/{inner}" for name, folder in PACKAGES.items() for inner in files_below(ROOT / folder)
    }


def test_the_servers_wheel_carries_the_migrations(server_wheel: zipfile.ZipFile) -> None:
    carried = {name for name in contents(server_wheel) if re.fullmatch(r"migrations/versions/\w+\.py", name)}
    assert carried, "an installed server has to bring its database to its version by itself"
    assert "migrations/env.py" in contents(server_wheel)


def test_an_installed_server_migrates_itself(server_wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    server_wheel.extractall(tmp_path / "installed")
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    own |= {"PYTHONPATH": str(tmp_path / "installed"), "AVENUE_DATABASE_URL": f"sqlite:///{tmp_path}/avenue.db"}
    program = "import sys, app.cli; sys.argv = ['avenue', 'migrate']; print(app.__file__); app.cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=own, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path)), "it is the wheel's own code that has to run here"
    with contextlib.closing(sqlite3.connect(tmp_path / "avenue.db")) as database:
        assert len(database.execute("SELECT version_num FROM alembic_version").fetchall()) == 1


def test_the_servers_wheel_brings_the_command(server_wheel: zipfile.ZipFile) -> None:
    [name] = [name for name in server_wheel.namelist() if name.endswith("entry_points.txt")]
    assert "avenue = app.cli:main" in server_wheel.read(name).decode()


def test_the_sdk_installs_by_itself(sdk_wheel: zipfile.ZipFile) -> None:
    assert contents(sdk_wheel) == {f"avenue_sdk/{inner}" for inner in files_below(SDK / "avenue_sdk")}
    assert "avenue_sdk/py.typed" in contents(sdk_wheel)
    assert imports_below(SDK / "avenue_sdk") - {"avenue_sdk"} <= provided_by(project(SDK)["dependencies"])


def test_the_sdk_asks_for_the_servers_own_bounds() -> None:
    assert set(project(SDK)["dependencies"]) <= set(project(ROOT)["dependencies"])
    assert project(SDK)["version"] == project(ROOT)["version"]
    assert project(SDK)["requires-python"] == project(ROOT)["requires-python"]


def test_every_import_is_a_dependency_of_ours_by_name() -> None:
    declared = provided_by(project(ROOT)["dependencies"]) | PACKAGES.keys()
    used = {name: imports_below(ROOT / folder) - declared for name, folder in PACKAGES.items()}
    assert not any(used.values()), f"declare these in pyproject.toml, or do without: {used}"


def test_the_locks_are_up_to_date() -> None:
    assert lock.find_drift() == []


@pytest.mark.parametrize("name", [*lock.EXPORTS])
def test_requirements_are_pinned_with_hashes(name: str) -> None:
    entries = requirement_entries(name)
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9-]+(\[[a-z,]+\])?==\S+ ", entry), entry
        assert "--hash=sha256:" in entry, entry


def test_the_environment_holds_the_locked_versions() -> None:
    wrong = {}
    for name in lock.EXPORTS:
        for entry in requirement_entries(name):
            wanted = Requirement(entry.partition(" --hash")[0])
            if wanted.marker is None or wanted.marker.evaluate():
                have = metadata.version(wanted.name)
                if not wanted.specifier.contains(have, prereleases=True):
                    wrong[wanted.name] = have
    assert not wrong, f"not the locked versions (make setup ARGS=--dev): {wrong}"


def test_the_container_runs_as_nobody_special() -> None:
    users = [arguments for word, arguments in dockerfile() if word == "USER"]
    assert users
    assert users[-1] not in {"root", "0"}


def test_the_container_starts_from_a_named_slim_python_twice() -> None:
    bases = [arguments.split()[0] for word, arguments in dockerfile() if word == "FROM"]
    assert len(bases) == 2
    for base in bases:
        assert re.fullmatch(r"python:3\.\d+-slim", base), f"name the version, latest is another one tomorrow: {base}"
        assert base.removeprefix("python:").removesuffix("-slim") in project(ROOT)["requires-python"]


def test_the_container_installs_only_what_is_locked() -> None:
    installs = [
        part for word, text in dockerfile() if word == "RUN" for part in text.split("&&") if "pip install" in part
    ]
    assert installs
    for install in installs:
        assert "--require-hashes" in install or "--no-deps --no-index" in install, install


def test_the_container_copies_what_is_there_and_not_ignored() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        source
        for word, arguments in dockerfile()
        if word == "COPY" and not arguments.startswith("--from")
        for source in arguments.split()[:-1]
    }
    assert copied == kept
    for source in copied:
        assert (ROOT / source).exists(), source
    assert {Path(folder).parts[0] for folder in PACKAGES.values()} <= copied


def test_the_container_serves_by_default_and_tells_how_to_migrate() -> None:
    last = dict(dockerfile())
    assert last["CMD"] == '["avenue", "serve"]'
    assert last["VOLUME"] == "/data"
    assert "/healthz" in last["HEALTHCHECK"]
    assert "avenue migrate" in (ROOT / "Dockerfile").read_text()


def test_the_container_sets_what_the_server_reads() -> None:
    names = [name for word, text in dockerfile() if word == "ENV" for name in re.findall(r"AVENUE_(\w+)=", text)]
    assert {"HOST", "PORT", "DATABASE_URL"} <= set(names)
    assert {name.lower() for name in names} <= Settings.model_fields.keys()


def built_wheel(project_folder: Path, target: Path) -> zipfile.ZipFile:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target)]
    subprocess.run(command, cwd=project_folder, check=True, capture_output=True)
    [wheel] = target.glob("*.whl")
    return zipfile.ZipFile(wheel)


def contents(wheel: zipfile.ZipFile) -> set[str]:
    return {name for name in wheel.namelist() if ".dist-info/" not in name}


def files_below(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def project(folder: Path) -> dict[str, list[str]]:
    with (folder / "pyproject.toml").open("rb") as file:
        table: dict[str, list[str]] = tomllib.load(file)["project"]
    return table


def imports_below(folder: Path) -> set[str]:
    """The packages that the modules of a folder import, but for the standard library."""
    found = set()
    for path in folder.rglob("*.py"):
        found |= imported_packages(ast.parse(path.read_text(encoding="utf-8")))
    return found - sys.stdlib_module_names


def provided_by(dependencies: list[str]) -> set[str]:
    """The names under which the dependencies are imported."""
    wanted = {canonicalize_name(Requirement(dependency).name) for dependency in dependencies}
    return {
        package
        for package, providers in metadata.packages_distributions().items()
        if wanted & {canonicalize_name(provider) for provider in providers}
    }


def requirement_entries(name: str) -> list[str]:
    """Each requirement with its marker and its hashes, as one line."""
    joined = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    return [re.sub(r"\s+", " ", line) for line in joined.splitlines() if line.strip()]


def dockerfile() -> list[tuple[str, str]]:
    """The Dockerfile's instructions: the word, and what follows it on one line."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\s*\\\n\s*", " ", text).splitlines()
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]
