"""The command line for people: what it says, what it refuses in one line, and how it reads a hand."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app import cli
from app.store import migrate
from tests.app.playing import folding, play_together
from tests.app.served import PASSWORD, Guest, Served

WIDE = {"COLUMNS": "200", "NO_COLOR": "1"}


def called(*arguments: str, environment: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(cli.app, list(arguments), env={**WIDE, **(environment or {})})


async def called_elsewhere(*arguments: str, environment: dict[str, str] | None = None) -> Result:
    """Call a command that asks the server which runs in this very loop."""
    return await asyncio.to_thread(called, *arguments, environment=environment)


@pytest.mark.parametrize("command", [(), ("serve",), ("migrate",), ("bots",), ("hand",)])
def test_every_command_explains_itself(command: tuple[str, ...]) -> None:
    result = called(*command, "--help")
    assert result.exit_code == 0
    assert "Usage: avenue" in result.output


def test_without_a_command_it_says_which_there_are() -> None:
    result = called()
    for name in ("serve", "migrate", "bots", "hand"):
        assert name in result.output


def test_migrate_makes_a_database_and_says_which_schema_it_has(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new/avenue.db"
    result = called("migrate", "--database", url)
    assert (result.exit_code, migrate.current(url)) == (0, migrate.head())
    assert migrate.head() in result.output
    assert called("migrate", "--database", url).exit_code == 0


def test_migrate_can_only_look(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/avenue.db"
    result = called("migrate", "--check", "--database", url)
    assert result.exit_code == 1
    assert "run `avenue migrate`" in result.output
    assert migrate.current(url) is None
    called("migrate", "--database", url)
    assert called("migrate", "--check", "--database", url).exit_code == 0


def test_a_database_that_is_none_is_refused_in_one_line() -> None:
    result = called("migrate", "--database", "mysql://user:hunter2@db/avenue")
    assert result.exit_code == 1
    assert result.output.startswith("avenue: ")
    assert len(result.output.splitlines()) == 1
    assert "hunter2" not in result.output


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (("--port", "70000"), {}, "port"),
        (("--log-level", "loud"), {}, "log_level"),
        ((), {"AVENUE_MIN_AGE": "young"}, "min_age"),
    ],
)
def test_bad_settings_are_refused_by_name(arguments: tuple[str, ...], environment: dict[str, str], words: str) -> None:
    result = called("serve", *arguments, environment=environment)
    assert result.exit_code == 2
    assert result.output.startswith(f"avenue: {words}")


def test_bots_become_the_bots_own_program(monkeypatch: pytest.MonkeyPatch) -> None:
    became: list[tuple[str, tuple[str, ...]]] = []
    monkeypatch.setattr(os, "execv", lambda program, arguments: became.append((program, arguments)))
    result = called("bots", "--url", "http://127.0.0.1:9", "--count", "3", "--strategy", "loose", "--seconds", "7")
    assert result.exit_code == 0
    ((program, arguments),) = became
    assert program == sys.executable
    assert " ".join(arguments[1:]) == (
        "-m avenue_bots play --url http://127.0.0.1:9 --count 3 --strategy loose --seconds 7"
    )


@pytest.fixture
async def hand(served: Served) -> tuple[str, Guest]:
    """A hand that was played, and one who played it."""
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two:
        await one.sit(100)
        await two.sit(100)
        await play_together(one, two, choose=folding)
    return next(event["hand"] for _, event in one.events if event["type"] == "hand_started"), ada


async def test_a_hand_as_the_public_saw_it(served: Served, hand: tuple[str, Guest]) -> None:
    result = await called_elsewhere("hand", hand[0], "--url", served.url)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[:2] == [f"Hand {hand[0]}", "Five-Card Stud, limit 2/4, ante 1, bring-in 2"]
    assert [line.split()[1] for line in lines if " | " in line] == ["??", "??"]


async def test_ones_own_cards_after_ones_own_login(
    served: Served, hand: tuple[str, Guest], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def getpass(prompt: str) -> str:
        asked.append(prompt)
        return PASSWORD

    monkeypatch.setattr("getpass.getpass", getpass)
    by_name = await called_elsewhere("hand", hand[0], "--url", served.url, "--name", hand[1].name)
    by_token = await called_elsewhere("hand", hand[0], "--url", served.url, environment={"AVENUE_TOKEN": hand[1].token})
    assert asked == [f"Password of {hand[1].name}: "]
    assert by_name.output == by_token.output
    shown = {line.split()[0]: line.split()[1] for line in by_name.output.splitlines() if " | " in line}
    assert shown.pop(hand[1].name) != "??"
    assert set(shown.values()) == {"??"}


async def test_what_cannot_be_read_is_said_in_one_line(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getpass", lambda prompt: "wrong horse")
    guest = await served.guest()
    for arguments, words in (
        (("never", "--url", served.url), "avenue: there is no such hand"),
        (("never", "--url", served.url, "--name", guest.name), "avenue: the name or the password is wrong"),
        (("never", "--url", "http://127.0.0.1:1"), "avenue: "),
        (("never", "--url", "nonsense"), "avenue: "),
    ):
        result = await called_elsewhere("hand", *arguments)
        assert result.exit_code == 1
        assert result.output.startswith(words)
        assert len(result.output.splitlines()) == 1
    bad_token = await called_elsewhere("hand", "never", "--url", served.url, environment={"AVENUE_TOKEN": "wrong"})
    assert bad_token.output == "avenue: the token is unknown or has run out\n"
