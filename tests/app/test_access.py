"""How endpoints get at services and tokens."""

import pytest
from fastapi import FastAPI
from starlette.requests import HTTPConnection

from app.access import bearer_token, provide, provided


class Clock: ...


def connection(app: FastAPI, *headers: tuple[bytes, bytes]) -> HTTPConnection:
    return HTTPConnection({"type": "http", "app": app, "headers": list(headers)})


def test_a_service_is_found_by_its_class() -> None:
    app, clock = FastAPI(), Clock()
    provide(app, (clock, "another"))
    assert provided(Clock)(connection(app)) is clock


@pytest.mark.parametrize(
    ("header", "token"),
    [
        (None, None),
        (b"Bearer abc", "abc"),
        (b"bearer  abc ", "abc"),
        (b"BEARER abc", "abc"),
        (b"Basic abc", ""),
        (b"abc", ""),
        (b"", ""),
        (b"Bearer", ""),
    ],
)
def test_the_bearers_token(header: bytes | None, token: str | None) -> None:
    headers = () if header is None else ((b"authorization", header),)
    assert bearer_token(connection(FastAPI(), *headers)) == token
