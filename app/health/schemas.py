"""What is said about the server's health."""

from __future__ import annotations

from typing import Literal

from app.schemas import ToldBody


class HealthBody(ToldBody):
    status: Literal["ok", "not_ready"]
