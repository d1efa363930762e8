"""The history over REST: one's own hands, and any finished hand as the asker may see it."""

from typing import Any

import pytest

from tests.app.playing import cheapest, folding, play_together
from tests.app.served import Guest, Served, Socket


async def one_hand(served: Served, *, fold: bool) -> tuple[str, Guest, Guest, Socket, Socket]:
    """Two guests play one hand; gives its id, who they are and what each of them heard."""
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two:
        await one.sit(100)
        await two.sit(100)
        await play_together(one, two, choose=folding if fold else cheapest)
    hand = next(event["hand"] for _, event in one.events if event["type"] == "hand_started")
    return hand, ada, bob, one, two


def heard_of(socket: Socket) -> list[dict[str, Any]]:
    """The first hand's own events as a guest heard them live, with their numbers."""
    heard: list[dict[str, Any]] = []
    for seq, event in socket.events:
        if heard or event["type"] == "hand_started":
            heard.append({"seq": seq, "event": event})
        if event["type"] in ("hand_ended", "hand_cancelled"):
            return [one for one in heard if one["event"]["type"] not in OF_THE_TABLE]
    raise AssertionError("the hand did not end")


OF_THE_TABLE = ("turn_opened", "time_bank_started", "turn_timed_out", "player_sat", "sat_out", "player_left")


@pytest.mark.parametrize("fold", [True, False])
async def test_b188_b218_a_hand_reads_as_it_was_seen(served: Served, *, fold: bool) -> None:
    hand, ada, bob, one, two = await one_hand(served, fold=fold)
    for guest, socket in ((ada, one), (bob, two)):
        told = (await served.http.get(f"/api/hands/{hand}", headers=guest.headers)).json()
        assert [{"seq": event["seq"], "event": event["event"]} for event in told["events"]] == heard_of(socket)
        assert told["seat"] is not None
    stranger = await served.guest()
    public = await served.http.get(f"/api/hands/{hand}")
    assert public.headers["content-type"] == "application/json"
    assert (await served.http.get(f"/api/hands/{hand}", headers=stranger.headers)).json() == public.json()
    assert public.json()["seat"] is None
    down = [one["event"]["card"] for one in public.json()["events"] if one["event"].get("face") == "down"]
    assert set(down) == {"??"}
    assert '"deck":[]' in public.text


async def test_ones_own_hands(served: Served) -> None:
    hand, ada, _, _, _ = await one_hand(served, fold=True)
    (line,) = (await served.http.get("/api/hands", headers=ada.headers)).json()["hands"]
    assert (line["hand"], line["outcome"], line["game"], line["start_chips"]) == (hand, "ended", "stud5", 100)
    assert abs(line["net_chips"]) == 1


async def test_a_hand_that_runs_is_followed_at_its_table(served: Served) -> None:
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two:
        await one.sit(100)
        await two.sit(100)
        started = await one.event("hand_started")
        answer = await served.http.get(f"/api/hands/{started['hand']}", headers=ada.headers)
        assert (answer.status_code, answer.json()) == (409, {"code": "hand/running", "fields": {}})


async def test_a_hand_that_never_was(served: Served) -> None:
    answer = await served.http.get("/api/hands/never-1")
    assert (answer.status_code, answer.json()) == (404, {"code": "hand/not_found", "fields": {}})


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "before=x", "before=", f"before={'1' * 101}"])
async def test_pages_are_bounded(served: Served, query: str) -> None:
    guest = await served.guest()
    answer = await served.http.get(f"/api/hands?{query}", headers=guest.headers)
    assert (answer.status_code, answer.json()["code"]) == (422, "request/bad_body")
