"""The bot in the README is run as it stands there, against a real server, with somebody to play with."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from avenue_sdk import Client, Option, Options, TableState
from avenue_sdk import play as play_bot
from tests.app.served import PASSWORD, WAIT_S, serving

README = Path(__file__).resolve().parents[3] / "README.md"
ADDRESS = "http://127.0.0.1:8000"


def readme_bot(text: str) -> str:
    """The Python block that plays."""
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    found: str = next(block for block in blocks if "import play" in block)
    return found


def stay(state: TableState, options: Options) -> Option:
    return options.stay


async def test_the_bot_of_the_readme_plays_its_hands_and_says_how_it_went(tmp_path: Path) -> None:
    code = readme_bot(README.read_text(encoding="utf-8"))
    wanted = re.search(r"hands=(\d+)", code)
    assert wanted
    async with serving(tmp_path) as served:
        # Chips for all of its hands, however they go.
        room = await served.table(min_buy_in_chips=1_000)
        opponent = asyncio.create_task(
            play_bot(served.url, name="opponent", password=PASSWORD, of_age=True, table=room.table, decide=stay)
        )
        async with Client(served.url).table(room.table) as watcher:
            await watcher.until(lambda state: len(state.table.seats) == 1)
            assert ADDRESS in code
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", code.replace(ADDRESS, served.url)),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            async with asyncio.timeout(2 * WAIT_S):
                said, errors = await process.communicate()
        opponent.cancel()
        await asyncio.gather(opponent, return_exceptions=True)
    assert process.returncode == 0, errors.decode()
    played = re.fullmatch(r"(\d+) hands, net (-?\d+) chips\n", said.decode())
    assert played, said
    assert int(played[1]) >= int(wanted[1])
