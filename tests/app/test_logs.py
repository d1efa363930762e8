"""Logs say what happened and keep to themselves what they must."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import pytest
import structlog

from app import logs
from app.settings import Settings

MARKER = "s3cret-Marker"


@contextmanager
def keep_logging() -> Iterator[None]:
    """Set everything back afterwards that `configure` sets."""
    names = ("", *logs.OWN, *logs.UVICORN, *logs.TELLTALES)
    kept = [(one, one.level, one.propagate, one.handlers[:]) for one in map(logging.getLogger, names)]
    yield
    for logger, level, propagate, handlers in kept:
        logger.setLevel(level)
        logger.propagate = propagate
        logger.handlers[:] = handlers
    structlog.reset_defaults()


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    with keep_logging():
        yield


def written(log_format: Literal["console", "json"], *, access_log: bool = True) -> io.StringIO:
    stream = io.StringIO()
    logs.configure(Settings(log_format=log_format, log_level="debug", access_log=access_log), stream=stream)
    return stream


def test_json_lines_have_names_and_fields() -> None:
    stream = written("json")
    structlog.get_logger("app.rooms").info("table opened", table="t1", seats=8)
    line = json.loads(stream.getvalue())
    assert (line["event"], line["table"], line["seats"], line["level"]) == ("table opened", "t1", 8, "info")


@pytest.mark.parametrize("log_format", ["console", "json"])
def test_a_traceback_shows_no_local_variable(log_format: Literal["console", "json"]) -> None:
    stream = written(log_format)

    def login(password: str) -> None:
        hidden = password
        raise ValueError(len(hidden))

    for logger in (structlog.get_logger("app.accounts"), logging.getLogger("uvicorn.error")):
        try:
            login(MARKER)
        except ValueError:
            logger.exception("it broke")
    assert stream.getvalue().count("it broke") == 2
    assert "ValueError" in stream.getvalue()
    assert MARKER not in stream.getvalue()


def test_lines_of_requests_end_before_the_query() -> None:
    stream = written("json")
    path = f"/ws/tables/t1?token={MARKER}"
    logging.getLogger("uvicorn.access").info('%s - "%s %s HTTP/%s" %d', "127.0.0.1:9", "GET", path, "1.1", 200)
    logging.getLogger("uvicorn.error").info('%s - "WebSocket %s" [accepted]', "127.0.0.1:9", path)
    assert stream.getvalue().count("/ws/tables/t1") == 2
    assert MARKER not in stream.getvalue()


def test_libraries_are_heard_from_warnings_on() -> None:
    stream = written("console")
    logging.getLogger("somebody.else").info("chatter")
    logging.getLogger("somebody.else").warning("trouble")
    assert "chatter" not in stream.getvalue()
    assert "trouble" in stream.getvalue()


def test_requests_are_told_only_when_they_are_asked_for() -> None:
    stream = written("console", access_log=False)
    logging.getLogger("uvicorn.access").info('%s - "%s"', "127.0.0.1:9", "/api/me")
    logging.getLogger("uvicorn.error").info("connection open")
    logging.getLogger("uvicorn.error").error("trouble")
    assert stream.getvalue().count("\n") == 1
    assert "trouble" in stream.getvalue()


def test_lines_follow_standard_error_wherever_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(Settings())
    structlog.get_logger("app").warning("over here")
    assert "over here" in capsys.readouterr().err


def test_what_somebody_has_set_up_is_left_alone() -> None:
    stream = written("json")
    logs.configure_unless_done(Settings())
    structlog.get_logger("app").info("still here")
    assert "still here" in stream.getvalue()


@pytest.mark.parametrize("name", logs.TELLTALES)
def test_libraries_that_tell_parameters_are_never_let_to(name: str) -> None:
    written("json")
    logging.getLogger().setLevel(logging.DEBUG)
    assert not logging.getLogger(name).isEnabledFor(logging.INFO)
