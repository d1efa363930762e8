"""The bots as programs: what they say, how they end, and what they never tell."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from app.company import admit
from avenue_sdk import Client
from tests.app.served import WAIT_S, Served, serving


async def started(*arguments: str, stdin: bool = False) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "avenue_bots", *arguments),
        stdin=pipe if stdin else asyncio.subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
    )


async def ended(process: asyncio.subprocess.Process) -> tuple[int, str]:
    """The exit code and all that was said; a program that does not end in time is killed and fails the test."""
    try:
        async with asyncio.timeout(WAIT_S):
            if process.stdout is None or process.stderr is None:
                raise AssertionError
            said = await process.stdout.read() + await process.stderr.read()
            return await process.wait(), said.decode()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise


async def test_the_help_tells_what_there_is() -> None:
    code, said = await ended(await started("--help"))
    assert code == 0
    assert "play" in said
    assert "company" in said


async def test_bots_play_and_a_summary_is_printed(served: Served) -> None:
    room = await served.table()
    process = await started(
        *("play", "--url", served.url, "--count", "3", "--strategy", "random", "--hands", "4", "--table", room.table)
    )
    code, said = await ended(process)
    assert code == 0, said
    assert "hands, counted by bot" in said
    assert "net chips" in said


async def test_an_interrupt_lets_the_bots_leave_with_their_chips(served: Served) -> None:
    room = await served.table()
    process = await started("play", "--url", served.url, "--count", "2", "--table", room.table)
    async with Client(served.url).table(room.table) as watcher:
        await watcher.until(lambda state: state.table.hands >= 2)
        process.send_signal(signal.SIGINT)
        code, said = await ended(process)
        assert code == 0, said
        await watcher.until(lambda state: not state.table.seats)


async def test_no_server_and_no_table_are_said_in_a_line(served: Served) -> None:
    code, said = await ended(await started("play", "--url", "http://127.0.0.1:1"))
    assert (code, "connection lost" in said, "Traceback" in said) == (1, True, False)
    code, said = await ended(await started("play", "--url", served.url, "--table", "nowhere"))
    assert (code, "table/not_found" in said, "Traceback" in said) == (1, True, False)


@pytest.mark.parametrize("end", ["SIGTERM", "SIGINT", "stdin"])
async def test_the_company_keeps_its_seats_however_it_is_ended_and_tells_no_token(tmp_path: Path, end: str) -> None:
    async with serving(tmp_path) as served:
        room = await served.table()
        bots = await admit(served.house.accounts, 2)
        process = await started("company", "--url", served.url, "--think", "0", stdin=True)
        assert process.stdin is not None
        line = json.dumps([{"name": bot.player.name, "token": bot.token} for bot in bots])
        process.stdin.write(line.encode() + b"\n")
        async with Client(served.url).table(room.table) as watcher:
            await watcher.until(lambda state: state.table.hands >= 2)
            seen_by_all = command_line(process.pid)
            if end == "stdin":
                process.stdin.close()
            else:
                process.send_signal(getattr(signal, end))
            code, said = await ended(process)
            assert code == 0, said
            assert {seat.name for seat in watcher.state.table.seats} == {bot.player.name for bot in bots}
    for bot in bots:
        assert bot.token not in said
        assert bot.token not in seen_by_all


def command_line(pid: int) -> str:
    """What everybody on the machine may see of a process."""
    shown = Path(f"/proc/{pid}/cmdline")
    return shown.read_bytes().decode() if shown.exists() else ""


async def test_a_line_that_says_nothing_is_refused_without_repeating_it(served: Served) -> None:
    process = await started("company", "--url", served.url, stdin=True)
    assert process.stdin is not None
    process.stdin.write(b'[{"name": "house-ada", "tokn": "s3cret"}]\n')
    code, said = await ended(process)
    assert code == 2
    assert "s3cret" not in said
    assert "Traceback" not in said


async def test_an_input_that_ends_before_it_begins_is_no_company(served: Served) -> None:
    code, said = await ended(await started("company", "--url", served.url))
    assert (code, said) == (0, "")
