"""Bodies of accounts: strict on the way in, silent about secrets in every repr."""

import pytest
from pydantic import ValidationError

from app.accounts.schemas import LoggedInBody, LoginBody, PlayerBody, RegisterBody

SECRET = "s3cret-Marker"


def test_reprs_tell_no_secret() -> None:
    player = PlayerBody(id="p", name="ada", kind="person")
    assert SECRET not in repr(LoggedInBody(player=player, token=SECRET, expires_at_ms=1))
    assert SECRET not in repr(RegisterBody.model_validate({"name": "ada", "password": SECRET, "of_age": True}))
    assert SECRET not in repr(LoginBody.model_validate({"name": "ada", "password": SECRET}))


@pytest.mark.parametrize("of_age", [1, "true", "yes", None, 1.0])
def test_a_word_is_a_word(of_age: object) -> None:
    with pytest.raises(ValidationError) as caught:
        RegisterBody.model_validate({"name": "ada", "password": SECRET, "of_age": of_age})
    assert SECRET not in str(caught.value)
