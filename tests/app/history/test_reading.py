"""A hand read from a server over REST, and what a reader is told when that fails."""

import httpx2
import msgspec
import pytest

from app.history.reading import CannotRead, HandReader
from app.history.schemas import HandHistory, PastEvent
from engine.rules.actions import SeatNo
from engine.rules.events import Checked, HandId
from engine.table.events import TableId

EVENT = Checked(seat=SeatNo(2))
HISTORY = HandHistory(HandId("t-1"), TableId("t"), "PLAY", None, (PastEvent(7, 9, EVENT),))


def reader(answer: httpx2.Response) -> tuple[HandReader, list[httpx2.Request]]:
    asked: list[httpx2.Request] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return answer

    return HandReader("http://test", transport=httpx2.MockTransport(handle)), asked


def test_a_hand_is_read() -> None:
    with reader(httpx2.Response(200, content=msgspec.json.encode(HISTORY)))[0] as one:
        assert one.events("t-1") == [EVENT]


def test_ids_are_no_paths() -> None:
    one, asked = reader(httpx2.Response(200, content=msgspec.json.encode(HISTORY)))
    one.events("../me?x")
    assert asked[0].url.raw_path == b"/api/hands/..%2Fme%3Fx"


def test_a_login_is_used_afterwards() -> None:
    one, asked = reader(httpx2.Response(201, json={"token": "abc"}))
    one.log_in("ada", "secret")
    assert asked[0].url.path == "/api/sessions"
    with pytest.raises(msgspec.ValidationError):
        one.events("t-1")
    assert asked[1].headers["authorization"] == "Bearer abc"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx2.Response(404, json={"code": "hand/not_found", "fields": {}}), "there is no such hand"),
        (httpx2.Response(409, json={"code": "hand/running", "fields": {}}), "the hand is still played"),
        (httpx2.Response(503, json={"code": "fault/busy", "fields": {}}), "refused: fault/busy (status 503)"),
        (httpx2.Response(404, json=["?"]), "refused: None (status 404)"),
        (httpx2.Response(200, text="<html>"), "this is no Avenue server (status 200)"),
    ],
)
def test_refusals_are_told_in_words(answer: httpx2.Response, words: str) -> None:
    with pytest.raises(CannotRead) as caught:
        reader(answer)[0].events("t-1")
    assert str(caught.value) == words
