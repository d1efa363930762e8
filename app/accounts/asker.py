"""Who asks over REST: a logged-in player, or perhaps nobody."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends
from starlette.requests import HTTPConnection

from app.access import bearer_token, provided
from app.accounts.repository import Player
from app.accounts.service import Accounts
from app.refusals import NotLoggedIn

AccountsHere: TypeAlias = Annotated[Accounts, Depends(provided(Accounts))]


def token_given(connection: HTTPConnection) -> str:
    """The bearer's token of the request. Raises `NotLoggedIn` without one."""
    token = bearer_token(connection)
    if not token:
        raise NotLoggedIn
    return token


async def logged_in(token: Annotated[str, Depends(token_given)], accounts: AccountsHere) -> Player:
    """Whose request it is. Raises `NotLoggedIn`."""
    return await accounts.player(token)


async def perhaps_logged_in(connection: HTTPConnection, accounts: AccountsHere) -> Player | None:
    """Whose request it is, None for a request without a token. Raises `NotLoggedIn` for a token that is none."""
    token = bearer_token(connection)
    return None if token is None else await accounts.player(token)


TokenGiven: TypeAlias = Annotated[str, Depends(token_given)]
Asker: TypeAlias = Annotated[Player, Depends(logged_in)]
PerhapsAsker: TypeAlias = Annotated[Player | None, Depends(perhaps_logged_in)]
