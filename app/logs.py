"""Logging: what happened, by name, with plain fields. What holds a secret has a repr that tells nothing.

Tracebacks show neither local variables nor parameters, and lines of requests end before their query.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, TextIO

import structlog

if TYPE_CHECKING:
    from app.settings import Settings

OWN = ("app", "engine")
UVICORN = ("uvicorn", "uvicorn.error", "uvicorn.access")
TELLTALES = ("aiosqlite", "sqlalchemy.engine", "websockets")
"""Libraries that tell parameters, headers or whole frames in their finer levels: from them warnings alone are taken."""


def configure(settings: Settings, *, stream: TextIO | None = None) -> None:
    """Send all logs of the process, the libraries' too, to `stream` (standard error) in the form of the settings."""
    structlog.configure(
        processors=[*_COMMON, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = _StandardError() if stream is None else logging.StreamHandler(stream)
    handler.setFormatter(_formatter(as_json=settings.log_format == "json"))
    handler.addFilter(without_query)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in TELLTALES:
        logging.getLogger(name).setLevel(logging.WARNING)
    level = settings.log_level.upper()
    for name in (*OWN, *UVICORN):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(level)
    if not settings.access_log:
        for name in UVICORN:
            # It tells of requests and of sockets at one level with all else that goes well.
            logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger(name).level))


def configure_unless_done(settings: Settings) -> None:
    """Make sure that logs are ours, whoever started the process: what a library does by itself may tell secrets."""
    if not structlog.is_configured():
        configure(settings)


def without_query(record: logging.LogRecord) -> bool:
    """Cut the query off every path in a line of uvicorn: a query is where people put what should not be seen."""
    if record.name.startswith("uvicorn") and isinstance(record.args, tuple):
        record.args = tuple(arg.partition("?")[0] if isinstance(arg, str) else arg for arg in record.args)
    return True


class _StandardError(logging.StreamHandler[TextIO]):
    """Writes to whatever standard error is when a line comes, as it may be exchanged."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:
        return sys.stderr

    @stream.setter
    def stream(self, stream: TextIO) -> None:
        raise AttributeError("this handler follows sys.stderr")


_COMMON: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def _formatter(*, as_json: bool) -> logging.Formatter:
    rendering: list[structlog.typing.Processor]
    if as_json:
        tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        rendering = [structlog.processors.ExceptionRenderer(tracebacks), structlog.processors.JSONRenderer()]
    else:
        rendering = [
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
        ]
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*_COMMON, structlog.stdlib.ExtraAdder(), _without_colours],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
    )


def _without_colours(logger: object, method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Drop the second, coloured form of a line that uvicorn carries along."""
    event.pop("color_message", None)
    return event
