"""One server for all tests that do not need one of their own."""

from collections.abc import AsyncIterator

import pytest

from tests.app.served import Served, serving


@pytest.fixture(scope="session")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with serving(tmp_path_factory.mktemp("served")) as running:
        yield running
