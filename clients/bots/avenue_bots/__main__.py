"""The bots on the command line: `python -m avenue_bots play …` and `python -m avenue_bots company …`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

from avenue_bots.company import BadAdmissions, Company, read_admissions
from avenue_bots.load import Order, Summary, run_bots
from avenue_sdk import SdkError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    help="Players for an Avenue server: for load, for tests and for company.",
)
console = Console(stderr=True)

STDIN = 0
STDIN_CHUNK_BYTES = 65_536

StrategyName = Literal["cautious", "loose", "random"]
Url = Annotated[str, typer.Option("--url", help="The server's address, as it prints it.", show_default=True)]


@app.command()
def play(  # noqa: PLR0913 - one option each
    url: Url = "http://127.0.0.1:8000",
    count: Annotated[int, typer.Option(min=1, help="How many bots.")] = 4,
    strategy: Annotated[StrategyName, typer.Option(help="How they play.")] = "cautious",
    seconds: Annotated[float | None, typer.Option(min=0.1, help="How long; without it until Ctrl-C.")] = None,
    hands: Annotated[int | None, typer.Option(min=1, help="They leave after so many hands at their table.")] = None,
    table: Annotated[str | None, typer.Option(help="A table's id or name; else all tables in turn.")] = None,
    buy_in: Annotated[int | None, typer.Option(min=1, help="Chips; twice the table's minimum by default.")] = None,
    think: Annotated[float, typer.Option(min=0, help="Seconds that a bot thinks, on average.")] = 0.0,
    seed: Annotated[int, typer.Option(help="The same seed rolls the bots' dice the same.")] = 0,
) -> None:
    """Let bots on throwaway accounts play, and leave with their chips.

    Each registers an account of its own, with your word that its owner, you, is of age. It sits down where a seat is
    free, buys more chips when it runs low, and stands up at the end; Ctrl-C ends it early in the same way. The summary
    counts hands by bot. Exits with 1 when a bot could not play to the end.
    """
    order = Order(
        url=url,
        count=count,
        strategy=strategy,
        seconds=seconds,
        hands=hands,
        table=table,
        buy_in_chips=buy_in,
        think_s=think,
        seed=seed,
    )
    try:
        summary = asyncio.run(_play(order))
    except SdkError as error:
        console.print(f"[red]{url}: {error}[/red]")
        raise typer.Exit(1) from None
    _show(summary, order)
    if summary.errors or summary.bots < count:
        raise typer.Exit(1)


@app.command()
def company(
    url: Url = "http://127.0.0.1:8000",
    think: Annotated[float, typer.Option(min=0, help="Seconds that a bot thinks, on average.")] = 1.5,
    seed: Annotated[int, typer.Option(help="The same seed rolls the bots' dice the same.")] = 0,
) -> None:
    """Keep people company at all tables of the lobby, two seats left free at each.

    The first line of the standard input says who the bots are: [{"name": "…", "token": "…"}, …], with the token of a
    login each. Keep the input open: the bots leave when it ends, on SIGTERM, on SIGINT and when the server goes away.
    They keep their seats and find them again. A server starts this by itself.
    """
    try:
        asyncio.run(_company(url, think_s=think, seed=seed))
    except BadAdmissions:
        console.print("[red]the first line of the standard input must be a JSON list of names and tokens[/red]")
        raise typer.Exit(2) from None


async def _play(order: Order) -> Summary:
    stop = asyncio.Event()
    _on_signals(stop.set)
    console.print(f"{order.count} bots ({order.strategy}) at {order.url}; Ctrl-C lets them leave")
    return await run_bots(order, stop=stop)


async def _company(url: str, *, think_s: float, seed: int) -> None:
    stop = asyncio.Event()
    _on_signals(stop.set)
    first_line = _first_line_of_stdin(on_end=stop.set)
    stopping: asyncio.Future[Any] = asyncio.create_task(stop.wait())
    await asyncio.wait((stopping, first_line), return_when=asyncio.FIRST_COMPLETED)
    if first_line.done():
        bots = Company(url, read_admissions(first_line.result()), think_s=think_s, seed=seed)
        keeping = asyncio.create_task(bots.keep())
        await asyncio.wait({stopping, keeping}, return_when=asyncio.FIRST_COMPLETED)
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=stop.is_set())
    stopping.cancel()


def _on_signals(act: Callable[[], None]) -> None:
    for one in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(one, act)


def _first_line_of_stdin(*, on_end: Callable[[], None]) -> asyncio.Future[bytes]:
    """The first line that whoever started this process writes; `on_end` is called when he is gone.

    A thread reads, because a pipe, a terminal and a file are waited for in different ways. It may still be blocked in
    a read when the process ends, so it holds nothing that the end would wait for.
    """
    loop = asyncio.get_running_loop()
    first: asyncio.Future[bytes] = loop.create_future()

    def read() -> None:
        text = b""
        with contextlib.suppress(RuntimeError):
            # The loop may be closed by the time that something comes: then nobody wants to know.
            while chunk := os.read(STDIN, STDIN_CHUNK_BYTES):
                if b"\n" in text:
                    continue
                text += chunk
                if b"\n" in text:
                    loop.call_soon_threadsafe(first.set_result, text.partition(b"\n")[0])
            loop.call_soon_threadsafe(on_end)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    return first


def _show(summary: Summary, order: Order) -> None:
    table = Table(title="Bots", show_header=False, title_justify="left")
    table.add_row("bots", str(summary.bots))
    table.add_row("tables", str(len(summary.tables)))
    table.add_row("hands, counted by bot", str(summary.bot_hands))
    table.add_row("net chips", f"{summary.net_chips:+d}")
    for code, times in sorted(summary.refused.items()):
        table.add_row(f"refused: {code}", str(times))
    for what, times in sorted(summary.errors.items()):
        table.add_row(f"[red]ended early: {what}[/red]", str(times))
    if summary.bots < order.count:
        table.add_row("[red]found no seat[/red]", str(order.count - summary.bots))
    console.print(table)


if __name__ == "__main__":
    app()
