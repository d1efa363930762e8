"""The lobby over REST, for everybody, with and without a login."""

import pytest

from engine.rules.variants import seven_card_stud
from tests.app.served import Served


async def test_tables_are_listed_and_filtered(served: Served) -> None:
    stakes = seven_card_stud(small_bet_chips=777, big_bet_chips=1_554)
    room = await served.table(stakes, name="Lobby")
    answer = await served.http.get(
        "/api/tables?game=stud7&min_small_bet_chips=777&max_small_bet_chips=777&min_free_seats=8"
    )
    assert answer.status_code == 200
    (line,) = answer.json()["tables"]
    assert (line["id"], line["name"], line["taken"], line["small_bet_chips"]) == (room.table, "Lobby", 0, 777)
    assert (await served.http.get("/api/tables?game=stud5&min_small_bet_chips=777")).json() == {"tables": []}


async def test_one_table_shows_who_sits_there(served: Served) -> None:
    room = await served.table()
    guest = await served.guest()
    async with served.at(room.table, guest) as socket:
        seat = await socket.sit(100, seat=3)
        told = (await served.http.get(f"/api/tables/{room.table}")).json()
    assert seat == 3
    assert told["players"] == [
        {"seat": 3, "name": guest.name, "stack_chips": 100, "house_bot": False, "sitting_out": False}
    ]
    assert (told["taken"], told["watching"]) == (1, 1)
    assert told["rules"]["game"] == "stud5"


async def test_a_table_that_is_not_there(served: Served) -> None:
    answer = await served.http.get("/api/tables/t_nowhere")
    assert (answer.status_code, answer.json()) == (404, {"code": "table/not_found", "fields": {}})


@pytest.mark.parametrize(
    "query", ["game=holdem", "min_free_seats=9", "min_free_seats=-1", "min_small_bet_chips=x", "max_small_bet_chips=-1"]
)
async def test_bad_filters(served: Served, query: str) -> None:
    answer = await served.http.get(f"/api/tables?{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "request/bad_body")
