"""The one place that says which HTTP status and which close code a refusal or a fault gets.

An answer over REST is `{"code": …, "fields": {…}}` whatever went wrong. A connection that is closed gets an `error`
frame first where it still can, then the close code, with the refusal's code as its reason. Close codes from 4400 on
mean that the client must do something else first, those from 4500 on that it may simply come back; of the general
ones, 1011 to 1013 invite it back and 1009 does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import structlog
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from app.refusals import BadBody, BadJson, MethodNotAllowed, NotFound, RequestRefused, TooLarge
from engine.limits import MAX_BODY_BYTES
from engine.rules.errors import AvenueError, Fault, Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import FastAPI, Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = structlog.get_logger(__name__)

STATUS: Final[Mapping[str, int]] = {
    "request/not_found": 404,
    "request/method_not_allowed": 405,
    "request/bad_json": 400,
    "request/bad_body": 422,
    "request/too_large": 413,
    "account/bad_name": 422,
    "account/bad_password": 422,
    "account/name_taken": 409,
    "account/not_of_age": 403,
    "account/wrong_login": 401,
    "account/not_logged_in": 401,
    "account/busy": 503,
    "wallet/refill_too_soon": 429,
    "table/not_found": 404,
    "table/busy": 503,
    "table/paused": 503,
    "table/closed": 503,
    "table/stopped": 503,
    "hand/not_found": 404,
    "hand/archived": 410,
    "fault/busy": 503,
    "fault/commit_failed": 503,
}
"""What differs from the rule: a refusal is 409, since the state does not allow it, and a fault is 500."""


class Close(NamedTuple):
    """How a connection ends, and whether the client may come back without doing anything else first."""

    code: int
    may_reconnect: bool


CLOSES: Final[Mapping[str, Close]] = {
    "connection/hello_expected": Close(4400, may_reconnect=False),
    "account/not_logged_in": Close(4401, may_reconnect=False),
    "table/not_found": Close(4404, may_reconnect=False),
    "table/closed": Close(4410, may_reconnect=False),
    "table/stopped": Close(4503, may_reconnect=True),
    "frame/too_large": Close(1009, may_reconnect=False),
    "connection/hello_too_late": Close(4508, may_reconnect=True),
    "connection/slow_reader": Close(4529, may_reconnect=True),
    "connection/full": Close(1013, may_reconnect=True),
    "connection/server_stops": Close(1012, may_reconnect=True),
    "fault/internal": Close(1011, may_reconnect=True),
}


class ErrorBody(BaseModel):
    """What every failed request is answered."""

    code: str
    fields: dict[str, Any]


def status_of(error: AvenueError) -> int:
    """The HTTP status of a refusal or a fault."""
    return STATUS.get(error.code, 409 if isinstance(error, Refusal) else 500)


def close_of(error: AvenueError) -> Close:
    """The close code of a refusal or a fault that ends a connection."""
    return CLOSES.get(error.code, CLOSES["fault/internal"])


def documented(*refusals: str) -> dict[int | str, dict[str, Any]]:
    """Say in the API's description which codes an endpoint may answer; what any endpoint may answer is added."""
    codes: dict[int, list[str]] = {}
    for code in (*refusals, BadBody.code, TooLarge.code):
        codes.setdefault(STATUS.get(code, 409), []).append(f"`{code}`")
    return {status: {"model": ErrorBody, "description": " or ".join(sorted(names))} for status, names in codes.items()}


def install(app: FastAPI) -> None:
    """Make the application answer every failure by a code."""
    # The framework types every handler for any exception, and calls it with the class that it is there for.
    app.add_exception_handler(AvenueError, _answer_error)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, _answer_validation)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _answer_http)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, _answer_unexpected)
    app.add_middleware(BodyLimit)


class BodyLimit:
    """Refuses a request whose body is larger than the bound, as soon as that is known."""

    def __init__(self, app: ASGIApp, max_bytes: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        read_bytes = 0
        answering = False

        async def limited_receive() -> Message:
            nonlocal read_bytes
            message = await receive()
            read_bytes += len(message.get("body", b""))
            if read_bytes > self._max_bytes:
                raise TooLarge(max_bytes=self._max_bytes)
            return message

        async def watched_send(message: Message) -> None:
            nonlocal answering
            answering = True
            await send(message)

        try:
            if _announced_bytes(scope) > self._max_bytes:
                raise TooLarge(max_bytes=self._max_bytes)
            await self._app(scope, limited_receive, watched_send)
        except TooLarge as error:
            if answering:
                raise
            # What is left of the body stays unread: the connection is of no more use.
            await _response(error, headers={"connection": "close"})(scope, receive, send)


async def _answer_error(request: Request, error: AvenueError) -> JSONResponse:
    if isinstance(error, Fault):
        log.error("request failed", code=error.code, method=request.method, path=request.url.path, exc_info=error)
    return _response(error)


async def _answer_validation(request: Request, error: RequestValidationError) -> JSONResponse:
    found = error.errors()
    if any(one["type"] == "json_invalid" for one in found):
        return _response(BadJson())
    return _response(BadBody(errors=[_where_and_why(one) for one in found]))


async def _answer_http(request: Request, error: HTTPException) -> JSONResponse:
    """What the framework refuses by itself."""
    if isinstance(error.__cause__, TooLarge):
        return _response(error.__cause__, headers={"connection": "close"})
    refusals: dict[int, type[RequestRefused]] = {400: BadJson, 404: NotFound, 405: MethodNotAllowed}
    refusal = refusals.get(error.status_code, RequestRefused)()
    headers = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
    return _response(refusal, status=error.status_code, headers=headers)


async def _answer_unexpected(request: Request, error: Exception) -> JSONResponse:
    """A mistake of ours. The server above logs the error itself, since it is raised again after the answer."""
    return _response(Fault())


def _where_and_why(one: Mapping[str, Any]) -> dict[str, str]:
    """A place by the names of our own fields and a word: nothing of what was sent, not even an unknown field's name."""
    where: Sequence[str | int] = one["loc"]
    if one["type"] == "extra_forbidden":
        return {"at": ".".join(map(str, where[:-1])), "reason": "unknown_field"}
    return {"at": ".".join(map(str, where)), "reason": one["type"]}


def _response(
    error: AvenueError, *, status: int | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    body = {"code": error.code, "fields": error.fields}
    return JSONResponse(body, status_code=status_of(error) if status is None else status, headers=headers)


def _announced_bytes(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
