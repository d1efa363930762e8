"""What every command of the command line shares: where it prints, its settings, and how it gives up in one line."""

from __future__ import annotations

from typing import Annotated, Any, NoReturn, Optional

import typer
from pydantic import ValidationError
from rich.console import Console

from app.settings import Settings

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

DatabaseOption = Annotated[
    Optional[str],  # noqa: UP045 - typer reads it at run time
    typer.Option("--database", metavar="URL", help="Where everything is kept, as sqlite:///var/avenue.db."),
]


def settings_of(**given: Any) -> Settings:
    """The settings of the environment, with what the command line gave in their place. Ends the program with 2."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        for one in error.errors(include_input=False, include_url=False):
            err.print(f"avenue: {'.'.join(map(str, one['loc']))}: {one['msg']}", style="red")
        raise typer.Exit(2) from None


def give_up(error: Exception, *, code: int = 1) -> NoReturn:
    """Say what went wrong, and end the program."""
    err.print(f"avenue: {error}", style="red", markup=False, soft_wrap=True)
    raise typer.Exit(code)
