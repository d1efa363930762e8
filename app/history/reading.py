"""Reads a hand from a server over REST, with the reader's own login or without one."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx2
import msgspec

from app.history.schemas import HandHistory

if TYPE_CHECKING:
    from typing import Self

    from engine.rules.events import HandEvent

TIMEOUT_S = 10


class CannotRead(Exception):
    """The server refused. The text is for people; it holds no password and no token."""


class HandReader:
    """A reader at one server. Use it as a context."""

    def __init__(self, url: str, *, transport: httpx2.BaseTransport | None = None) -> None:
        self._client = httpx2.Client(base_url=url, timeout=TIMEOUT_S, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def log_in(self, name: str, password: str) -> None:
        """Read as this player from now on. Raises `CannotRead`."""
        answer = self._client.post("/api/sessions", json={"name": name, "password": password})
        self.use_token(_body(answer)["token"])

    def use_token(self, token: str) -> None:
        self._client.headers["Authorization"] = f"Bearer {token}"

    def events(self, hand: str) -> list[HandEvent]:
        """The hand's events as the reader may see them. Raises `CannotRead`."""
        answer = self._client.get(f"/api/hands/{quote(hand, safe='')}")
        _body(answer)
        return [one.event for one in msgspec.json.decode(answer.content, type=HandHistory).events]


_WORDS = {
    "hand/not_found": "there is no such hand",
    "hand/running": "the hand is still played",
    "hand/archived": "the hand has been archived: ask who runs the server",
    "account/wrong_login": "the name or the password is wrong",
    "account/not_logged_in": "the token is unknown or has run out",
}


def _body(answer: httpx2.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        raise CannotRead(f"this is no Avenue server (status {answer.status_code})") from None
    if answer.is_success and isinstance(body, dict):
        return body
    code = body.get("code") if isinstance(body, dict) else None
    raise CannotRead(_WORDS.get(str(code), f"refused: {code} (status {answer.status_code})"))
