"""What an operator may set, from the environment: `AVENUE_PORT=9000`. Everything has a default that works."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from engine.limits import COMMANDS_BURST, COMMANDS_PER_SECOND, MAX_CHIPS


class Settings(BaseSettings):
    """Read once at start. Amounts are chips of play money, durations say their unit."""

    model_config = SettingsConfigDict(env_prefix="AVENUE_", frozen=True)

    database_url: str = Field(default="sqlite:///var/avenue.db", repr=False)
    """Where everything is kept; a relative path starts at the working directory. It may hold a password."""

    sealing_keys: SecretStr | None = None
    """Wrap the keys of hands: `id:base64`, the current one first. Without them they lie beside the SQLite file."""

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65_535)
    """The first port to try; 0 takes any free one."""

    min_age: int = Field(default=18, ge=0, le=150)
    """Who registers gives his word that he is at least that old."""

    session_hours: int = Field(default=24 * 14, ge=1, le=24 * 365)
    """How long a login holds."""

    grant_chips: int = Field(default=10_000, ge=1, le=MAX_CHIPS // 1_000)
    """What a new player is given."""

    refill_floor_chips: int = Field(default=1_000, ge=1, le=MAX_CHIPS // 1_000)
    """A refill is for who has less than this in the wallet."""

    refill_chips: int = Field(default=5_000, ge=1, le=MAX_CHIPS // 1_000)
    """What a refill adds."""

    refill_pause_s: int = Field(default=3_600, ge=0, le=31_536_000)
    """How long after a refill the next one may be asked for."""

    commands_per_second: int = Field(default=COMMANDS_PER_SECOND, ge=1, le=100_000)
    commands_burst: int = Field(default=COMMANDS_BURST, ge=1, le=100_000)
    """How fast one socket may send frames; load tests set it higher."""

    demo: bool = True
    """Open the demo tables at the first start, and keep house bots as company at them."""

    demo_bots_per_table: int = Field(default=4, ge=0, le=6)
    """House bots at each demo table; two seats of eight always stay free for people."""

    reopen: tuple[str, ...] = ()
    """Tables that have stopped and are to be opened again at this start, their running hands void."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["console", "json"] = "console"

    access_log: bool = False
    """Log every request and every socket, without its query."""
