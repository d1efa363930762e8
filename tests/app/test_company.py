"""The process of the house bots: it gets its tokens where nobody else sees them, and goes when the server does."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app import company as company_module
from app.accounts.schemas import LoggedInBody, PlayerBody
from app.company import Company, admit, house_bot_names
from tests.app.served import WAIT_S, Served

SECRET = "s3cret-Marker"
BOTS = [LoggedInBody(player=PlayerBody(id="p", name="house-ada", kind="house_bot"), token=SECRET, expires_at_ms=1)]

RECORDER = """
import json, os, signal, sys
folder = sys.argv[1]
line = sys.stdin.readline()
def note(name, text):
    with open(os.path.join(folder, name + ".part"), "w") as file:
        file.write(text)
    os.rename(os.path.join(folder, name + ".part"), os.path.join(folder, name))
def leave(*_):
    note("left", "")
    os._exit(0)
signal.signal(signal.SIGTERM, leave if len(sys.argv) < 3 else signal.SIG_IGN)
with open("/proc/self/cmdline") as file:
    argv = file.read()
note("told", json.dumps({"line": line, "argv": argv, "environment": dict(os.environ), "pid": os.getpid()}))
sys.stdin.read()
note("orphaned", "")
os._exit(0)
"""


def recorder(folder: Path, *more: str) -> list[str]:
    """A stand-in for the bots that writes down what it is told, and when it is asked to leave."""
    return [sys.executable, "-c", RECORDER, str(folder), *more]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not holds():  # noqa: ASYNC110 - what is waited for happens in another process
            await asyncio.sleep(0.01)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_names_are_different_and_the_houses_own() -> None:
    names = house_bot_names(100)
    assert len(set(names)) == len(names) == 100
    assert all(name.startswith("house-") and len(name) <= 20 for name in names)
    assert house_bot_names(24) == names[:24]
    assert house_bot_names(0) == []


async def test_bots_are_admitted_as_house_bots(served: Served) -> None:
    admitted = await admit(served.house.accounts, 3)
    assert [bot.player.kind for bot in admitted] == ["house_bot"] * 3
    again = await admit(served.house.accounts, 3)
    assert [bot.player for bot in again] == [bot.player for bot in admitted]
    assert {bot.token for bot in again}.isdisjoint({bot.token for bot in admitted})


async def test_tokens_go_by_standard_input_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AVENUE_DATABASE_URL", f"postgresql://avenue:{SECRET}@db/avenue")
    company = Company("http://127.0.0.1:1", BOTS, command=recorder(tmp_path))
    await company.start()
    await until((tmp_path / "told").exists)
    told = json.loads((tmp_path / "told").read_text())
    assert json.loads(told["line"]) == [{"name": "house-ada", "token": SECRET}]
    assert SECRET not in told["argv"]
    assert SECRET not in json.dumps(told["environment"])
    assert "PATH" in told["environment"]
    # It is in no process group of ours: a Ctrl-C in the terminal is for the server.
    assert os.getpgid(told["pid"]) != os.getpgrp()
    await company.stop()
    assert (tmp_path / "left").exists()
    assert gone(told["pid"])


async def test_bots_that_do_not_leave_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(company_module, "STOP_S", 0.1)
    company = Company("http://127.0.0.1:1", BOTS, command=recorder(tmp_path, "stubborn"))
    await company.start()
    await until((tmp_path / "told").exists)
    pid = company.pid
    await company.stop()
    assert pid is not None
    assert gone(pid)
    assert company.pid is None


async def test_bots_that_end_by_themselves_are_started_again_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company_module, "RESTART_PAUSES_S", (0.01, 0.01))
    counting = "import sys; open(sys.argv[1], 'a').write('x')"
    starts = tmp_path / "starts"
    company = Company("http://127.0.0.1:1", BOTS, command=[sys.executable, "-c", counting, str(starts)])
    await company.start()
    await until(lambda: starts.exists() and len(starts.read_text()) == 3 and company.pid is None)
    await asyncio.sleep(0.1)
    assert len(starts.read_text()) == 3
    await company.stop()


async def test_a_company_that_never_began_can_be_stopped() -> None:
    company = Company("http://127.0.0.1:1", BOTS)
    company.kill()
    await company.stop()


async def test_bots_whose_server_dies_find_out(tmp_path: Path) -> None:
    """The pipe ends with the server's process, however that ends."""
    starter = f"""
import asyncio, sys, os
from app.accounts.schemas import LoggedInBody, PlayerBody
from app.company import Company
async def main():
    company = Company("http://127.0.0.1:1", [], command={recorder(tmp_path)!r})
    await company.start()
    while not os.path.exists({str(tmp_path / "told")!r}):
        await asyncio.sleep(0.01)
    os.kill(os.getpid(), 9)
asyncio.run(main())
"""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", starter)
    await asyncio.wait_for(process.wait(), 30)
    await until((tmp_path / "orphaned").exists)
