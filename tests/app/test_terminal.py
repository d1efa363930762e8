"""What commands share: settings by name, and one line for what goes wrong."""

import pytest
import typer

from app.terminal import give_up, settings_of


def test_what_the_command_line_gave_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AVENUE_PORT", "7000")
    assert settings_of(port=None).port == 7000
    assert settings_of(port=7001).port == 7001


def test_a_bad_setting_ends_the_program_and_is_told_without_its_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AVENUE_PORT", "hunter2")
    with pytest.raises(typer.Exit) as caught:
        settings_of()
    assert caught.value.exit_code == 2
    told = capsys.readouterr().err
    assert told.startswith("avenue: port: ")
    assert "hunter2" not in told


@pytest.mark.parametrize("code", [1, 2])
def test_giving_up_is_one_line(code: int, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as caught:
        give_up(RuntimeError("no " + "way " * 100 + "[bold]at all[/bold]"), code=code)
    assert caught.value.exit_code == code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("[bold]at all[/bold]")
