"""What holds for every test: how hypothesis searches, and what a run says at its end."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.postgres import PostgresServer, postgres_server
from tests.programs import pytest_terminal_summary

__all__ = ["pytest_terminal_summary"]

# A failure prints what replays it. Time limits stay out: a busy machine is no fault of the code.
settings.register_profile("here", deadline=None, print_blob=True)
settings.register_profile(
    "ci", deadline=None, print_blob=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "here")


def pytest_configure() -> None:
    """Forget this machine's own settings of Avenue, so that no test ever opens somebody's real room."""
    for name in [name for name in os.environ if name.startswith("AVENUE_") and not name.startswith("AVENUE_TEST_")]:
        del os.environ[name]


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real PostgreSQL server, for all tests together."""
    with postgres_server() as server:
        yield server


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow tests out unless they are asked for; pytest's closing line counts them as deselected."""
    if config.getoption("--slow"):
        return
    slow = [item for item in items if item.get_closest_marker("slow") is not None]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item.get_closest_marker("slow") is None]
