"""Accounts over REST: every answer and every refusal, each with its status and its code."""

from typing import Any

import pytest

from tests.app.served import PASSWORD, Served


def body(**fields: Any) -> dict[str, Any]:
    return {"name": "somebody", "password": PASSWORD, "of_age": True, **fields}


async def test_register_log_in_who_am_i_log_out(served: Served) -> None:
    registered = await served.http.post("/api/accounts", json=body(name="Camille"))
    assert registered.status_code == 201
    told = registered.json()
    assert told.keys() == {"player", "token", "expires_at_ms"}
    assert told["player"] == {"id": told["player"]["id"], "name": "Camille", "kind": "person"}

    logged_in = await served.http.post("/api/sessions", json={"name": "camille", "password": PASSWORD})
    assert logged_in.status_code == 201
    assert logged_in.json()["player"] == told["player"]
    headers = {"Authorization": f"bearer {logged_in.json()['token']}"}

    assert (await served.http.get("/api/me", headers=headers)).json() == told["player"]
    out = await served.http.delete("/api/sessions/current", headers=headers)
    assert (out.status_code, out.content) == (204, b"")
    again = await served.http.get("/api/me", headers=headers)
    assert (again.status_code, again.json()) == (401, {"code": "account/not_logged_in", "fields": {}})
    # The other session goes on.
    first = await served.http.get("/api/me", headers={"Authorization": f"Bearer {told['token']}"})
    assert first.status_code == 200


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"of_age": False}, 403, "account/not_of_age"),
        ({"name": "ab"}, 422, "account/bad_name"),
        ({"name": "house-ada"}, 422, "account/bad_name"),
        ({"password": "short"}, 422, "account/bad_password"),
        ({"name": "taken-already"}, 409, "account/name_taken"),
        ({"of_age": "true"}, 422, "request/bad_body"),
        ({"of_age": 1}, 422, "request/bad_body"),
        ({"of_age": None}, 422, "request/bad_body"),
        ({"name": 7}, 422, "request/bad_body"),
        ({"password": ["x" * 20]}, 422, "request/bad_body"),
        ({"kind": "house_bot"}, 422, "request/bad_body"),
        ({"id": "p_1"}, 422, "request/bad_body"),
    ],
)
async def test_refused_registrations(served: Served, fields: dict[str, Any], status: int, code: str) -> None:
    await served.http.post("/api/accounts", json=body(name="taken-already"))
    answer = await served.http.post("/api/accounts", json=body(**fields))
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert PASSWORD not in answer.text


@pytest.mark.parametrize("name", ["nobody-there", "taken-already", "house-ada", "<>", ""])
async def test_refused_logins_are_all_alike(served: Served, name: str) -> None:
    await served.http.post("/api/accounts", json=body(name="taken-already"))
    answer = await served.http.post("/api/sessions", json={"name": name, "password": "wrong horse battery"})
    assert (answer.status_code, answer.json()) == (401, {"code": "account/wrong_login", "fields": {}})


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer wrong", "Basic YTpi", "wrong", "Bearer a b"])
async def test_without_a_good_token_nobody_is_anybody(served: Served, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    for method, path in (
        ("GET", "/api/me"),
        ("GET", "/api/wallet"),
        ("GET", "/api/hands"),
        ("DELETE", "/api/sessions/current"),
    ):
        answer = await served.http.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "account/not_logged_in")


async def test_a_token_in_the_query_is_no_token(served: Served) -> None:
    guest = await served.guest()
    answer = await served.http.get(f"/api/me?token={guest.token}&access_token={guest.token}")
    assert answer.status_code == 401
