"""What an operator may set, and that the defaults stand by themselves."""

import pytest
from pydantic import ValidationError

from app.settings import Settings
from app.store.keys import new_key


def test_defaults_work_on_this_machine_alone() -> None:
    settings = Settings()
    assert settings.host == "127.0.0.1"
    assert settings.database_url.startswith("sqlite:")
    assert settings.min_age == 18


def test_the_environment_sets_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AVENUE_PORT", "9000")
    monkeypatch.setenv("AVENUE_MIN_AGE", "21")
    monkeypatch.setenv("AVENUE_DEMO", "false")
    settings = Settings()
    assert (settings.port, settings.min_age, settings.demo) == (9000, 21, False)


@pytest.mark.parametrize(
    ("name", "value"), [("PORT", "65536"), ("GRANT_CHIPS", "-1"), ("GRANT_CHIPS", "1.5"), ("LOG_LEVEL", "loud")]
)
def test_nonsense_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"AVENUE_{name}", value)
    with pytest.raises(ValidationError):
        Settings()


def test_the_database_address_is_not_shown() -> None:
    assert "hunter2" not in repr(Settings(database_url="postgresql://avenue:hunter2@db/avenue"))


def test_keys_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    key = new_key()
    monkeypatch.setenv("AVENUE_SEALING_KEYS", key)
    chosen = Settings()
    assert chosen.sealing_keys is not None
    assert chosen.sealing_keys.get_secret_value() == key
    assert key.partition(":")[2] not in f"{chosen!r} {chosen} {chosen.model_dump()} {chosen.model_dump_json()}"
