"""What all bodies over REST have in common: strict on the way in, frozen on the way out."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from engine.limits import MAX_CHIPS, MAX_COMMAND_ID_CHARS, MAX_PAGE_ROWS


class AskedBody(BaseModel):
    """A body from a client: every field of its very type, none missing, none too many."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


class ToldBody(BaseModel):
    """A body to a client, made from our own records by their attributes."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


RequestId = Annotated[str, Field(min_length=1, max_length=MAX_COMMAND_ID_CHARS, pattern=r"^[!-~]+$")]
"""The client's own id of a request that moves money: sent again, it gets the same answer and moves nothing more."""

PageRows = Annotated[int, Field(ge=1, le=MAX_PAGE_ROWS)]
AmountFilter = Annotated[int, Field(ge=0, le=MAX_CHIPS)]
