"""Bodies of accounts: registering, logging in, who one is."""

from __future__ import annotations

from pydantic import Field, SecretStr

from app.schemas import AskedBody, ToldBody


class RegisterBody(AskedBody):
    name: str
    password: SecretStr
    of_age: bool
    """The word that one is at least as old as the room wants."""


class LoginBody(AskedBody):
    name: str
    password: SecretStr


class PlayerBody(ToldBody):
    id: str
    name: str
    kind: str


class LoggedInBody(ToldBody):
    """`token` goes into the header `Authorization: Bearer …` of every later request; it is told this once."""

    player: PlayerBody
    token: str = Field(repr=False)
    expires_at_ms: int
