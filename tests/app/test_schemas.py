"""What every body from a client has in common."""

import pytest
from pydantic import ValidationError

from app.schemas import AskedBody
from engine.limits import MAX_CHIPS


class Bet(AskedBody):
    chips: int


@pytest.mark.parametrize("chips", ["100", True, 1.0, float("nan"), float("inf"), None, [1]])
def test_amounts_are_whole_numbers_and_nothing_else(chips: object) -> None:
    with pytest.raises(ValidationError) as caught:
        Bet.model_validate({"chips": chips})
    assert "100" not in str(caught.value)


def test_whole_numbers_are_taken_as_they_are() -> None:
    assert Bet.model_validate({"chips": MAX_CHIPS}).chips == MAX_CHIPS


def test_nothing_unknown_is_taken() -> None:
    with pytest.raises(ValidationError):
        Bet.model_validate({"chips": 1, "more": 1})
