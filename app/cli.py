"""The command line: serve a room, look after its database, send bots to a server, print a hand."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from typing import Annotated, Any, Optional

import httpx2
import typer
import uvloop
from rich.panel import Panel
from rich.text import Text

from app import logs, upkeep
from app.history.reading import CannotRead, HandReader
from app.history.text import hand_text
from app.running import run
from app.serving import NoFreePort, listen
from app.store import migrate as migrations
from app.store.urls import label_of
from app.terminal import DatabaseOption, give_up, out, settings_of
from engine.rules.errors import AvenueError

DEFAULT_URL = "http://127.0.0.1:8000"
TOKEN_VARIABLE = "AVENUE_TOKEN"  # noqa: S105 - the name of a variable

app = typer.Typer(
    name="avenue",
    help="A server for online stud poker: Five-Card and Seven-Card Stud, with play chips.",
    epilog="Every command has a --help of its own. Settings may also come from the environment, as AVENUE_PORT=9000.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


def main() -> None:
    """Run the command that the program was called with."""
    app()


@app.command()
def serve(  # noqa: PLR0913 - every option is one
    host: Annotated[Optional[str], typer.Option(help="The address to listen on.")] = None,  # noqa: UP045
    port: Annotated[Optional[int], typer.Option(help="The port; a taken one moves to the next.")] = None,  # noqa: UP045
    database: DatabaseOption = None,
    demo: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option("--demo/--no-demo", help="Open the demo tables if there are no tables yet."),
    ] = None,
    bots: Annotated[bool, typer.Option("--bots/--no-bots", help="Let house bots keep people company.")] = True,  # noqa: FBT002
    reopen: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--reopen", metavar="TABLE", help="A stopped table: make its hand void and open it again."),
    ] = None,
    log_level: Annotated[Optional[str], typer.Option(help="debug, info, warning or error.")] = None,  # noqa: UP045
    log_format: Annotated[Optional[str], typer.Option(help="console or json.")] = None,  # noqa: UP045
) -> None:
    """Open a room: migrate the database, serve, and seat house bots at the demo tables. Ctrl-C ends it."""
    settings = settings_of(
        host=host,
        port=port,
        database_url=database,
        demo=demo,
        reopen=reopen or None,
        log_level=log_level,
        log_format=log_format,
    )
    logs.configure(settings)
    try:
        migrations.upgrade(settings.database_url)
        asyncio.run(upkeep.check_keys(settings))
        listening = listen(settings.host, settings.port)
    except (AvenueError, NoFreePort, OSError) as error:
        give_up(error)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        code = runner.run(run(settings, listening, with_bots=bots and settings.demo, opened=_say_open(settings.port)))
    raise typer.Exit(code)


@app.command()
def migrate(
    database: DatabaseOption = None,
    check: Annotated[bool, typer.Option("--check", help="Only tell whether the database is up to date.")] = False,  # noqa: FBT002
) -> None:
    """Bring the database to the schema of this version, making it if there is none."""
    url = settings_of(database_url=database).database_url
    try:
        if not check:
            migrations.upgrade(url)
        migrations.check(url)
        out.print(f"{label_of(url)} has the schema of this version ({migrations.head()}).")
    except (AvenueError, OSError) as error:
        give_up(error)


@app.command()
def bots(
    url: Annotated[str, typer.Option(help="The server to play on.")] = DEFAULT_URL,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many bots.")] = 4,
    strategy: Annotated[str, typer.Option(help="cautious, loose or random.")] = "cautious",
    seconds: Annotated[int, typer.Option(min=1, help="How long they play.")] = 60,
) -> None:
    """Send bots to a server, any server that speaks the protocol. Each registers an account of its own there."""
    arguments = ("--url", url, "--count", str(count), "--strategy", strategy, "--seconds", str(seconds))
    # The bots' program takes this one's place: a Ctrl-C reaches it, and its exit code is ours.
    os.execv(sys.executable, (sys.executable, "-m", "avenue_bots", "play", *arguments))  # noqa: S606


@app.command()
def hand(
    hand_id: Annotated[str, typer.Argument(metavar="HAND", help="The hand's id, as table and history tell it.")],
    url: Annotated[str, typer.Option(help="The server that the hand was played on.")] = DEFAULT_URL,
    name: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help=f"Log in, to see your own cards too; asks for the password unless {TOKEN_VARIABLE} is set."),
    ] = None,
) -> None:
    """Print a finished hand for people to read: as everybody saw it, or with your own cards after your own login."""
    try:
        with HandReader(url) as reader:
            if name is not None:
                reader.log_in(name, getpass.getpass(f"Password of {name}: "))
            elif TOKEN_VARIABLE in os.environ:
                reader.use_token(os.environ[TOKEN_VARIABLE])
            events = reader.events(hand_id)
    except (CannotRead, httpx2.HTTPError, httpx2.InvalidURL) as error:
        give_up(error)
    for line in hand_text(events).splitlines():
        out.print(Text(line, style="" if line.startswith(" ") else "bold"), soft_wrap=True)


def _say_open(wanted_port: int) -> Any:
    def say(url: str) -> None:
        port = int(url.rpartition(":")[2])
        if wanted_port not in (0, port):
            out.print(f"Port {wanted_port} is taken: using {port}.", style="yellow")
        out.print(Panel.fit(f"Avenue is open at [bold]{url}[/bold]\nCtrl-C ends it.", title="avenue"))

    return say


upkeep.add_to(app)
