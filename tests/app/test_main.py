"""The application as a whole: what it describes of itself, and what it leaves out."""

import re
from pathlib import Path
from typing import Any

import pytest
import structlog

from app.main import create_app
from app.settings import Settings
from tests.app.served import Served

CODE = re.compile(r"`([a-z]+/[a-z_]+)`")


@pytest.fixture
def described(tmp_path: Path) -> dict[str, Any]:
    return create_app(Settings(database_url=f"sqlite:///{tmp_path}/avenue.db")).openapi()


def test_every_operation_says_what_it_refuses(described: dict[str, Any]) -> None:
    for path, operations in described["paths"].items():
        for operation in operations.values():
            if path.startswith("/api/"):
                told = [CODE.findall(answer["description"]) for answer in operation["responses"].values()]
                codes = {code for codes in told for code in codes}
                assert "request/bad_body" in codes, path


def test_a_refusal_is_described_by_our_body_and_not_by_the_frameworks(described: dict[str, Any]) -> None:
    assert "HTTPValidationError" not in described["components"]["schemas"]
    assert set(described["components"]["schemas"]["ErrorBody"]["properties"]) == {"code", "fields"}


def test_bodies_from_clients_allow_nothing_more(described: dict[str, Any]) -> None:
    for name in ("RegisterBody", "LoginBody", "RefillBody"):
        assert described["components"]["schemas"][name]["additionalProperties"] is False


def test_amounts_are_integers_everywhere(described: dict[str, Any]) -> None:
    found = 0
    for schema in described["components"]["schemas"].values():
        for name, field in schema.get("properties", {}).items():
            if name.endswith(("_chips", "_ms")):
                found += 1
                kinds = {one["type"] for one in field.get("anyOf", [field])}
                assert kinds <= {"integer", "null"}, name
    assert found > 20


@pytest.mark.parametrize("path", ["/docs", "/redoc"])
async def test_there_is_no_page_that_loads_scripts_from_elsewhere(served: Served, path: str) -> None:
    assert (await served.http.get(path)).status_code == 404


async def test_the_description_is_served(served: Served) -> None:
    assert (await served.http.get("/openapi.json")).json()["info"]["title"] == "Avenue"


def test_logs_are_ours_whoever_makes_the_application(tmp_path: Path) -> None:
    """A library's own way of logging would show what the failing code held."""
    structlog.reset_defaults()
    create_app(Settings(database_url=f"sqlite:///{tmp_path}/avenue.db"))
    assert structlog.is_configured()
