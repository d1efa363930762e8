"""Passwords, tokens and cards stay out of logs, answers and traces, also when something breaks in any layer."""

import io
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal, NoReturn

import pytest
from sqlalchemy import text

from app import logs
from app.accounts.repository import AccountRepository
from app.accounts.service import Accounts
from app.settings import Settings
from app.store.bank import Bank
from app.store.journal import SqlJournal
from engine.rules import stud
from engine.rules.events import HandId
from tests.app.served import Served, serving
from tests.app.test_logs import keep_logging

PASSWORD = "s3cret-Marker-Password"


@pytest.fixture(params=["console", "json"])
async def watched(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Served, io.StringIO]]:
    """A server all of whose logs are read, down to the last detail."""
    log_format: Literal["console", "json"] = request.param
    stream = io.StringIO()
    with keep_logging():
        async with serving(tmp_path) as served:
            logs.configure(Settings(log_format=log_format, log_level="debug", access_log=True), stream=stream)
            for library in ("aiosqlite", "sqlalchemy", "uvicorn", "asyncio"):
                assert not logging.getLogger(f"{library}.x").isEnabledFor(logging.DEBUG) or library == "uvicorn"
            yield served, stream


class Answers:
    """Everything that a client was told besides what it must be told."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self.texts: list[str] = []

    async def __call__(self, method: str, path: str, **options: Any) -> Any:
        answer = await self._served.http.request(method, path, **options)
        self.texts.append(f"{answer.text} {dict(answer.headers)}")
        return answer


def broken(*arguments: object, **fields: object) -> NoReturn:
    """Fail with everything at hand that somebody could want to see."""
    held = (arguments, fields)
    raise RuntimeError(f"broken in {len(held)} ways")


async def test_registering_and_logging_in(watched: tuple[Served, io.StringIO]) -> None:
    served, stream = watched
    ask = Answers(served)
    body = {"name": "somebody", "password": PASSWORD, "of_age": True}
    token = (await served.http.post("/api/accounts", json=body)).json()["token"]
    for fields in ({}, {"of_age": False}, {"name": "x"}, {"of_age": "yes"}, {PASSWORD: 1}, {"password": [PASSWORD]}):
        await ask("POST", "/api/accounts", json=body | fields)
    await ask("POST", "/api/accounts", content=json.dumps(body)[:-2], headers={"content-type": "application/json"})
    await ask("POST", "/api/accounts", content=json.dumps(body), headers={"content-type": "text/plain"})
    await ask("POST", f"/api/sessions?password={PASSWORD}", json={"name": "somebody", "password": PASSWORD + "x"})
    await ask("GET", f"/api/me?token={token}", headers={"Authorization": f"Bearer {token}x"})
    await ask("GET", f"/api/hands/none?token={token}", headers={"Authorization": f"Basic {token}"})
    log = stream.getvalue()
    assert "POST /api/accounts" in log
    for secret in (PASSWORD, token):
        assert secret not in log
        assert all(secret not in told for told in ask.texts)


async def test_what_breaks_in_any_layer_tells_no_secret(
    watched: tuple[Served, io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    served, stream = watched
    guest = await served.guest()
    ask = Answers(served)
    layers: list[tuple[type[Any], str, str]] = [
        (Accounts, "register", "/api/accounts"),
        (Accounts, "_log_in", "/api/accounts"),
        (AccountRepository, "add_session", "/api/accounts"),
        (AccountRepository, "login", "/api/sessions"),
        (Bank, "register", "/api/accounts"),
    ]
    for number, (owner, name, path) in enumerate(layers):
        body: dict[str, Any] = {"name": f"another{number}", "password": PASSWORD}
        if path == "/api/accounts":
            body["of_age"] = True
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, broken)
            answer = await ask("POST", path, json=body)
        assert (answer.status_code, answer.json()) == (500, {"code": "fault/internal", "fields": {}})
    with monkeypatch.context() as patch:
        patch.setattr(AccountRepository, "player_of_session", broken)
        answer = await ask("GET", "/api/me", headers=guest.headers)
        assert answer.status_code == 500
    log = stream.getvalue()
    assert log.count("broken in 2 ways") >= 6
    for secret in (PASSWORD, guest.token):
        assert secret not in log
        assert all(secret not in told for told in ask.texts)


async def test_an_error_of_the_database_tells_no_parameter(watched: tuple[Served, io.StringIO]) -> None:
    served, stream = watched
    async with served.house.store.database.read() as connection:
        try:
            await connection.execute(text("SELECT no_such_column FROM players WHERE name = :name"), {"name": PASSWORD})
        except Exception:
            logging.getLogger("app.test").exception("the database complained")
    assert "no_such_column" in stream.getvalue()
    assert PASSWORD not in stream.getvalue()


async def test_cards_stay_at_the_table_when_a_hand_breaks(
    watched: tuple[Served, io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand that cannot go on is cancelled, told to the log by its place, and shows no card to anyone."""
    served, stream = watched
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two, served.at(room.table) as eve:
        await one.sit(100)
        await two.sit(100)
        started = await eve.event("hand_started")
        kept = await SqlJournal.hand_events(served.house.store.journal, HandId(started["hand"]))
        deck = next(event.deck for _, _, event in kept if hasattr(event, "deck"))
        while not any(event["type"] == "turn_opened" for _, event in one.events):
            await one.hear()
        turn = next(event for _, event in one.events if event["type"] == "turn_opened")["turns"][0]
        seat = next(event["seat"] for _, event in one.events if event["type"] == "player_sat")
        actor = one if turn["seat"] == seat else two
        monkeypatch.setattr(stud, "apply", broken)
        frame = {"type": "act", "id": "x", "hand": started["hand"], "turn": turn["turn"]}
        await actor.say({**frame, "action": turn["options"][0]["action"]})
        answer = await actor.answer()
        assert (answer["type"], answer["code"], answer["fields"]) == ("error", "fault/internal", {})
    log = stream.getvalue()
    assert "fault at a table" in log
    hidden = [card for card in deck if card not in json.dumps(one.events + two.events)]
    assert len(hidden) > 40
    for card in deck:
        assert f"'{card}'" not in log
        assert f'"{card}"' not in log
