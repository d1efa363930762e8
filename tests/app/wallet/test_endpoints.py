"""The wallet over REST: one's own, strictly asked for."""

from typing import Any

import pytest

from tests.app.served import Served


async def test_a_wallet_and_its_lines(served: Served) -> None:
    guest = await served.guest()
    wallet = (await served.http.get("/api/wallet", headers=guest.headers)).json()
    assert wallet["balance_chips"] == 10_000
    assert wallet["currency"] == {"code": "PLAY", "decimals": 0}
    page = (await served.http.get("/api/wallet/entries", headers=guest.headers)).json()
    assert [(entry["reason"], entry["amount_chips"]) for entry in page["entries"]] == [("grant", 10_000)]
    assert page["next"] is None


async def test_a_refill_that_is_not_needed(served: Served) -> None:
    guest = await served.guest()
    answer = await served.http.post("/api/wallet/refills", json={"id": "one"}, headers=guest.headers)
    assert answer.status_code == 409
    assert answer.json() == {
        "code": "wallet/refill_not_needed",
        "fields": {"floor_chips": 1_000, "balance_chips": 10_000},
    }


async def test_a_refill_that_is_then_too_soon(served: Served) -> None:
    guest = await served.guest()
    table = await served.table(min_buy_in_chips=40)
    async with served.at(table.table, guest) as socket:
        await socket.sit(9_500)
        answer = await served.http.post("/api/wallet/refills", json={"id": "one"}, headers=guest.headers)
        assert (answer.status_code, answer.json()) == (201, {"added_chips": 5_000, "balance_chips": 5_500})
        again = await served.http.post("/api/wallet/refills", json={"id": "one"}, headers=guest.headers)
        assert (again.status_code, again.json()) == (201, answer.json())
        await socket.ask("top_up", added_chips=5_000)
        other = await served.http.post("/api/wallet/refills", json={"id": "two"}, headers=guest.headers)
        assert (other.status_code, other.json()["code"]) == (429, "wallet/refill_too_soon")
        wallet = (await served.http.get("/api/wallet", headers=guest.headers)).json()
        assert other.json()["fields"] == {"next_at_ms": wallet["refill"]["next_at_ms"]}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"id": 7},
        {"id": ""},
        {"id": "a b"},
        {"id": "x" * 65},
        {"id": None},
        {"id": "é"},
        {"id": "one", "amount_chips": 5},
        ["one"],
    ],
)
async def test_bodies_are_strict(served: Served, body: Any) -> None:
    guest = await served.guest()
    answer = await served.http.post("/api/wallet/refills", json=body, headers=guest.headers)
    assert (answer.status_code, answer.json()["code"]) == (422, "request/bad_body")


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=101", "limit=x", "limit=-1", "before=0", "before=x", f"before={2**53}"]
)
async def test_pages_are_bounded(served: Served, query: str) -> None:
    guest = await served.guest()
    answer = await served.http.get(f"/api/wallet/entries?{query}", headers=guest.headers)
    assert (answer.status_code, answer.json()["code"]) == (422, "request/bad_body")
