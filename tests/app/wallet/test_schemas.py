"""Amounts of bodies are whole numbers."""

import pytest
from pydantic import ValidationError

from app.wallet.schemas import RefillBody


@pytest.mark.parametrize("request_id", ["a", "!~", "x" * 64])
def test_ids_of_requests(request_id: str) -> None:
    assert RefillBody(id=request_id).id == request_id


@pytest.mark.parametrize("request_id", ["", " ", "a\n", "x" * 65])
def test_what_is_no_id(request_id: str) -> None:
    with pytest.raises(ValidationError):
        RefillBody(id=request_id)
