"""The operator's commands: add everything up again, move old hands into an archive, look after the sealing keys."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError

from app.store.archive import Archived, archive
from app.store.audit import Report, audit
from app.store.keys import new_key
from app.store.looking import look
from app.store.maintenance import Upkeep, upkeep
from app.store.rewrapping import keys_in_use, rewrap
from app.store.unlocking import unlock, unlock_now, unlock_to_read
from app.store.urls import place_of
from app.terminal import DatabaseOption, err, give_up, out, settings_of
from engine.rules.errors import AvenueError

if TYPE_CHECKING:
    from app.settings import Settings

DAY_MS: Final = 86_400_000

keys = typer.Typer(help="The keys that open what is sealed.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    """Give the program these commands."""
    app.command(name="audit")(audit_command)
    app.command(name="archive")(archive_command)
    app.add_typer(keys, name="keys")


async def check_keys(settings: Settings) -> None:
    """Find the keys of a server that is about to start, and make them where they may be made.

    Raises `BadSealingKeys` with the cure in its text.
    """
    async with look(settings.database_url) as database, database.read() as connection:
        await unlock(connection, keys=_keys_of(settings), beside=_beside(settings))


def audit_command(
    database: DatabaseOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print the whole report as one line of JSON.")] = False,  # noqa: FBT002
    public: Annotated[bool, typer.Option("--public", help="Leave what is sealed alone, and need no key.")] = False,  # noqa: FBT002
) -> None:
    """Add everything up again: entries, balances, hands, stacks at tables. Changes nothing; a server may run.

    Ends with 0 if all is well, with 1 if something differs, with 2 if it could not look.
    """
    settings = settings_of(database_url=database)
    try:
        report = asyncio.run(_audited(settings, public=public))
    except (AvenueError, SQLAlchemyError, OSError, TimeoutError) as error:
        give_up(error, code=2)
    if json:
        out.print(msgspec.json.encode(report).decode(), markup=False, soft_wrap=True)
    else:
        _print(report)
    raise typer.Exit(1 if report.differences else 0)


def archive_command(
    older_than: Annotated[int, typer.Option("--older-than", min=0, metavar="DAYS", help="Days since the hand ended.")],
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="The file, as hands-2026.jsonl.gz.", dir_okay=False)],
    database: DatabaseOption = None,
) -> None:
    """Move hands beyond an age out of the journal into a file. The ledger stays, and so do players' lists of hands.

    On SQLite no server may run meanwhile. Broken off, it is called again with the same file and goes on.
    """
    now_ms = time.time_ns() // 1_000_000
    try:
        with upkeep(settings_of(database_url=database).database_url) as opened:
            done = archive(opened, to, before_ms=now_ms - older_than * DAY_MS, now_ms=now_ms)
    except (AvenueError, SQLAlchemyError, OSError) as error:
        give_up(error)
    out.print(_told(done, to, older_than), markup=False, soft_wrap=True)


@keys.command()
def new() -> None:
    """Print a new key. Put it before the others in AVENUE_SEALING_KEYS, or in the first line of the file."""
    out.print(new_key(), markup=False, soft_wrap=True)


@keys.command(name="rewrap")
def rewrap_command(database: DatabaseOption = None) -> None:
    """Wrap the keys of all hands with the current key, so that older ones may go. No card is touched.

    On SQLite no server may run meanwhile.
    """
    settings = settings_of(database_url=database)
    try:
        with upkeep(settings.database_url) as opened:
            changed, used = _rewrapped(opened, settings)
    except (AvenueError, SQLAlchemyError, OSError) as error:
        give_up(error)
    in_use = ", ".join(f"{key} ({count} hands)" for key, count in used.items()) or "none"
    out.print(f"{changed} keys of hands wrapped anew. Keys in use: {in_use}.", markup=False, soft_wrap=True)


async def _audited(settings: Settings, *, public: bool) -> Report:
    async with look(settings.database_url) as database:
        seals = None
        if not public:
            async with database.read() as connection:
                seals = await unlock_to_read(connection, keys=_keys_of(settings), beside=_beside(settings))
        return await audit(database, seals)


def _rewrapped(opened: Upkeep, settings: Settings) -> tuple[int, dict[str, int]]:
    seals = unlock_now(keys=_keys_of(settings), beside=_beside(settings))
    return rewrap(opened, seals), keys_in_use(opened)


def _keys_of(settings: Settings) -> str | None:
    return None if settings.sealing_keys is None else settings.sealing_keys.get_secret_value()


def _beside(settings: Settings) -> Path | None:
    """The file of a SQLite database, beside which its keys may lie."""
    place = place_of(settings.database_url)
    return place if isinstance(place, Path) else None


def _print(report: Report) -> None:
    looked = Table(title="Looked at", title_justify="left", show_header=False, box=None)
    for what, count in sorted(report.counted.items()):
        looked.add_row(what.replace("_", " "), f"{count:,}")
    out.print(looked)
    if not report.sealed_read:
        out.print("What is sealed was not opened.", style="yellow")
    if not report.differences:
        out.print("OK: everything adds up.", style="bold green")
        return
    for one in report.differences:
        figures = ", ".join(f"{name} {value}" for name, value in one.figures.items())
        err.print(f"{one.what}  {one.where}: {figures}", style="red", markup=False, soft_wrap=True)
    err.print(f"{len(report.differences)} things differ.", style="bold red")


def _told(done: Archived | None, file: Path, days: int) -> str:
    if done is None:
        return f"No hand ended {days} days ago or more: nothing to archive."
    what = f"{done.hands:,} hands of {done.tables:,} tables with {done.events:,} events"
    if not done.resumed:
        return f"{file}: {what}; they have left the journal."
    rest = (
        f"{done.removed_events:,} events of it have left the journal now" if done.removed_events else "all gone before"
    )
    return f"{file} was there already, with {what}: {rest}. Name another file for later hands."
