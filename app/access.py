"""How an endpoint gets at what the composition root has built: by its class, whatever the application is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from starlette.requests import HTTPConnection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fastapi import FastAPI

_Service = TypeVar("_Service")


def provide(app: FastAPI, services: Iterable[object]) -> None:
    """Hand the services to the application, before it serves."""
    app.state.services = {type(service): service for service in services}


def provided(kind: type[_Service]) -> Callable[[HTTPConnection], _Service]:
    """A dependency that gives the service of this class: `Annotated[Lobby, Depends(provided(Lobby))]`."""

    def get(connection: HTTPConnection) -> _Service:
        services: Mapping[type[Any], Any] = connection.app.state.services
        service: _Service = services[kind]
        return service

    return get


def bearer_token(connection: HTTPConnection) -> str | None:
    """The token of `Authorization: Bearer …`, None without that header, and "" for one that is no bearer's."""
    header = connection.headers.get("authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
