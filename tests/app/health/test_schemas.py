"""Health is one word."""

import pytest
from pydantic import ValidationError

from app.health.schemas import HealthBody


def test_a_word_that_there_is() -> None:
    assert HealthBody(status="ok").model_dump() == {"status": "ok"}
    with pytest.raises(ValidationError):
        HealthBody.model_validate({"status": "fine"})
