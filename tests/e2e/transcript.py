"""Plays a short hand against a real server and writes down what went over one player's socket, for docs/protocol.md.

    python -m tests.e2e.transcript          put the transcript into the page, between its two marks
    python -m tests.e2e.transcript --print  print it

Only ids are given shorter names, and the token is left out; everything else stands as it was sent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.app.served import Socket, serving

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"
BEGIN, END = "<!-- transcript: begin -->", "<!-- transcript: end -->"

TO_SERVER, TO_CLIENT = "→", "←"

SCRIPT: dict[str, list[str]] = {"Ada": ["call", "bet", "check", "fold"], "Bob": ["call", "call", "bet"]}
"""What each does on his turns, as far as it is offered; the bring-in is posted by whoever must."""


class Scribe:
    """Ada's socket, with a line for each frame in either direction."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket
        self.lines: list[tuple[str, dict[str, Any]]] = []
        self._waiting: list[str] = []

    async def say(self, frame: dict[str, Any]) -> None:
        self.lines.append((TO_SERVER, frame))
        self._waiting += [frame["id"]] if "id" in frame else []
        await self.socket.say(frame)

    async def hear(self) -> dict[str, Any]:
        frame = await self.socket.hear()
        self.lines.append((TO_CLIENT, frame))
        if frame["type"] == "ack":
            self._waiting.remove(frame["id"])
        return frame

    async def answered(self) -> None:
        """Hear on until every command has its answer."""
        while self._waiting:
            await self.hear()


async def record() -> str:
    """Play the hand on a server of its own, and give the transcript as text."""
    with tempfile.TemporaryDirectory(prefix="avenue-transcript-") as folder:
        async with serving(Path(folder)) as served, AsyncExitStack() as stack:
            room = await served.table(name="Rue Lepic", pause_ms=1_000, quiet_pause_ms=1_000)
            ada, bob = await served.guest("Ada"), await served.guest("Bob")
            mine = Scribe(await stack.enter_async_context(served.socket(room.table, ada)))
            other = await stack.enter_async_context(served.at(room.table, bob))
            await _play(mine, other)
            names = {room.table: "t_1", ada.id: "p_ada", bob.id: "p_bob"}
            return _text(mine.lines, names)


async def _play(mine: Scribe, other: Socket) -> None:
    await mine.say({"type": "hello"})
    await mine.hear()
    await mine.say({"type": "sit", "id": "ada-1", "buy_in_chips": 100, "seat": 2})
    await mine.answered()
    await other.sit(100)
    players: dict[int, tuple[str, Scribe | Socket]] = {2: ("Ada", mine), 1: ("Bob", other)}
    script = {name: list(deeds) for name, deeds in SCRIPT.items()}
    hand = ""
    while True:
        frame = await mine.hear()
        for event in frame.get("events", ()):
            if event["type"] == "hand_started":
                hand = event["hand"]
            elif event["type"] == "hand_ended":
                await mine.answered()
                await mine.say({"type": "stand_up", "id": "ada-9"})
                await mine.answered()
                return
            elif event["type"] == "turn_opened":
                for turn in event["turns"]:
                    name, player = players[turn["seat"]]
                    await _act(player, name, hand, turn, script[name])


async def _act(player: Scribe | Socket, name: str, hand: str, turn: dict[str, Any], deeds: list[str]) -> None:
    """Do the next thing of the script that is offered; a forced bring-in is none of it."""
    options = {option["action"]["verb"]: option["action"] for option in turn["options"]}
    wished = next((deed for deed in deeds if deed in options), None)
    if wished is not None:
        del deeds[: deeds.index(wished) + 1]
    action = options[wished] if wished else options.get("bring_in") or options.get("check") or options["fold"]
    frame = {"type": "act", "id": f"{name.lower()}-{turn['turn'] + 1}", "hand": hand, "turn": turn["turn"]}
    await player.say({**frame, "action": action})


def _text(lines: list[tuple[str, dict[str, Any]]], names: dict[str, str]) -> str:
    """One frame a line; an `events` frame has one event a line."""
    told = []
    for direction, frame in lines:
        if frame["type"] == "events":
            head = {**frame, "events": "…"}
            told.append(f"{direction} {json.dumps(head, ensure_ascii=False)}".replace('"…"}', "["))
            told += [f"    {json.dumps(event)}," for event in frame["events"]]
            told[-1] = told[-1].removesuffix(",") + "]}"
        else:
            told.append(f"{direction} {json.dumps(frame)}")
    text = "\n".join(told)
    for id, name in names.items():
        text = text.replace(id, name)
    return text


def frames_of(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Read a transcript back: each frame with its direction."""
    joined = re.sub(r"\n    ", " ", text.strip())
    return [(line[0], json.loads(line[1:])) for line in joined.splitlines()]


def in_page(page: str) -> str:
    """The transcript that stands in the page."""
    block = page.partition(BEGIN)[2].partition(END)[0]
    return block.strip().removeprefix("```text").removesuffix("```").strip()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.transcript", description=__doc__.split("\n\n")[0])
    parser.add_argument("--print", action="store_true", help="print it instead of putting it into the page")
    text = asyncio.run(record())
    if parser.parse_args(arguments).print:
        sys.stdout.write(text + "\n")
        return 0
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n```text\n{text}\n```\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
