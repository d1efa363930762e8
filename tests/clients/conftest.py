"""One real server for all tests of clients that do not need one of their own."""

from collections.abc import AsyncIterator

import pytest

from tests.app.served import Served, serving


@pytest.fixture(scope="session")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with serving(tmp_path_factory.mktemp("clients")) as running:
        yield running
