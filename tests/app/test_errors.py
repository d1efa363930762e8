"""Every failure of a REST request is a code with fields, and tells nothing of what was sent."""

import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, SecretStr

from app import errors, refusals
from engine.limits import MAX_BODY_BYTES
from engine.rules.errors import AvenueError, Fault, LawBroken
from engine.table.errors import CommitFailed, CommitRefused, SeatTaken, TableBusy

MARKER = "s3cret-Marker"


class Login(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    name: str
    password: SecretStr
    chips: int = 0


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    app = FastAPI(docs_url=None, redoc_url=None)
    errors.install(app)

    @app.post("/login")
    async def login(body: Login) -> dict[str, int]:
        return {"chips": body.chips}

    @app.post("/raise/{kind}")
    async def fail(kind: str, body: Login) -> None:
        password = body.password.get_secret_value()
        raise {"refused": SeatTaken(seat=3), "fault": LawBroken(law="chips"), "bug": ValueError(len(password))}[kind]

    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (refusals.NotFound(), 404),
        (refusals.NotLoggedIn(), 401),
        (refusals.NotOfAge(min_age=18), 403),
        (CommitRefused("wallet/refill_not_needed"), 409),
        (CommitRefused("wallet/refill_too_soon"), 429),
        (CommitRefused("account/name_taken"), 409),
        (SeatTaken(seat=1), 409),
        (TableBusy(), 503),
        (CommitRefused("wallet/insufficient"), 409),
        (CommitFailed(), 503),
        (LawBroken(), 500),
        (Fault(), 500),
    ],
)
def test_status_of(error: AvenueError, status: int) -> None:
    assert errors.status_of(error) == status


@pytest.mark.parametrize(
    ("error", "code", "may_reconnect"),
    [
        (refusals.HelloExpected(), 4400, False),
        (refusals.NotLoggedIn(), 4401, False),
        (refusals.NoSuchTable(), 4404, False),
        (refusals.FrameTooLarge(), 1009, False),
        (refusals.HelloTooLate(), 4508, True),
        (refusals.SlowReader(), 4529, True),
        (refusals.ServerStops(), 1012, True),
        (refusals.ServerFull(), 1013, True),
        (CommitFailed(), 1011, True),
    ],
)
def test_close_of(error: AvenueError, code: int, *, may_reconnect: bool) -> None:
    assert errors.close_of(error) == (code, may_reconnect)


def test_close_codes_say_by_their_number_whether_to_come_back() -> None:
    codes = [close.code for close in errors.CLOSES.values()]
    assert len(set(codes)) == len(codes)
    for close in errors.CLOSES.values():
        assert close.may_reconnect == (4500 <= close.code < 4600 or close.code in (1011, 1012, 1013))


async def test_refusals_and_faults_and_mistakes(client: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture) -> None:
    body = {"name": "ada", "password": MARKER}
    refused = await client.post("/raise/refused", json=body)
    assert (refused.status_code, refused.json()) == (409, {"code": "table/seat_taken", "fields": {"seat": 3}})
    fault = await client.post("/raise/fault", json=body)
    assert (fault.status_code, fault.json()) == (500, {"code": "fault/law_broken", "fields": {"law": "chips"}})
    with caplog.at_level(logging.DEBUG):
        bug = await client.post("/raise/bug", json=body)
    assert (bug.status_code, bug.json()) == (500, {"code": "fault/internal", "fields": {}})
    assert MARKER not in caplog.text


@pytest.mark.parametrize(
    ("sent", "at", "reason"),
    [
        ({"name": "ada"}, "body.password", "missing"),
        ({"name": 7, "password": MARKER}, "body.name", "string_type"),
        ({"name": "ada", "password": MARKER, "chips": "100"}, "body.chips", "int_type"),
        ({"name": "ada", "password": MARKER, "chips": True}, "body.chips", "int_type"),
        ({"name": "ada", "password": MARKER, "chips": 1.0}, "body.chips", "int_type"),
        ({"name": "ada", "password": MARKER, MARKER: 1}, "body", "unknown_field"),
        ([MARKER], "body", "model_attributes_type"),
    ],
)
async def test_a_wrong_body_is_told_by_place_and_word(
    client: httpx2.AsyncClient, sent: Any, at: str, reason: str
) -> None:
    answer = await client.post("/login", json=sent)
    assert answer.status_code == 422
    assert answer.json() == {"code": "request/bad_body", "fields": {"errors": [{"at": at, "reason": reason}]}}
    assert MARKER not in answer.text


@pytest.mark.parametrize("text", ['{"name": "s3cret-Marker', "", "[" * 8000, '{"name": "a", "password": "b"} x'])
async def test_what_is_no_json(client: httpx2.AsyncClient, text: str) -> None:
    answer = await client.post("/login", content=text, headers={"content-type": "application/json"})
    assert answer.status_code == (422 if not text else 400)
    assert answer.json()["code"] == ("request/bad_body" if not text else "request/bad_json")
    assert MARKER not in answer.text


async def test_unknown_paths_and_methods(client: httpx2.AsyncClient) -> None:
    missing = await client.get(f"/{MARKER}")
    assert (missing.status_code, missing.json()) == (404, {"code": "request/not_found", "fields": {}})
    wrong = await client.get("/login")
    assert (wrong.status_code, wrong.json()) == (405, {"code": "request/method_not_allowed", "fields": {}})
    assert wrong.headers["allow"] == "POST"


async def test_a_body_beyond_the_bound_is_refused_by_its_length(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/login", json={"name": "a" * MAX_BODY_BYTES, "password": MARKER})
    assert answer.status_code == 413
    assert answer.json() == {"code": "request/too_large", "fields": {"max_bytes": MAX_BODY_BYTES}}


async def test_a_body_beyond_the_bound_is_refused_while_it_comes(client: httpx2.AsyncClient) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield b" " * 1024

    answer = await client.post("/login", content=endless(), headers={"content-type": "application/json"})
    assert answer.json()["code"] == "request/too_large"
    assert answer.status_code == 413
    assert sent <= MAX_BODY_BYTES // 1024 + 2


def test_an_endpoint_documents_what_it_refuses() -> None:
    answers = errors.documented("account/wrong_login", "account/not_logged_in")
    assert answers[401]["description"] == "`account/not_logged_in` or `account/wrong_login`"
    assert set(answers) == {401, 413, 422}
    assert json.dumps(answers[401]["model"].model_json_schema())
