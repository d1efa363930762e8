"""Accounts over REST."""

from __future__ import annotations

from fastapi import APIRouter

from app.accounts.asker import AccountsHere, Asker, TokenGiven
from app.accounts.schemas import LoggedInBody, LoginBody, PlayerBody, RegisterBody
from app.errors import documented

router = APIRouter(prefix="/api", tags=["accounts"])


@router.post(
    "/accounts",
    status_code=201,
    responses=documented(
        "account/not_of_age", "account/bad_name", "account/bad_password", "account/name_taken", "account/busy"
    ),
)
async def register(body: RegisterBody, accounts: AccountsHere) -> LoggedInBody:
    """Make an account with its grant of chips, and log it in."""
    return await accounts.register(body.name, body.password.get_secret_value(), of_age=body.of_age)


@router.post("/sessions", status_code=201, responses=documented("account/wrong_login", "account/busy"))
async def log_in(body: LoginBody, accounts: AccountsHere) -> LoggedInBody:
    """Get a new token."""
    return await accounts.log_in(body.name, body.password.get_secret_value())


@router.delete("/sessions/current", status_code=204, responses=documented("account/not_logged_in"))
async def log_out(token: TokenGiven, accounts: AccountsHere) -> None:
    """End the session whose token the request carries."""
    await accounts.log_out(token)


@router.get("/me", responses=documented("account/not_logged_in"))
async def who_am_i(asker: Asker) -> PlayerBody:
    return PlayerBody.model_validate(asker)
