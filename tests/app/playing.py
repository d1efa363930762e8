"""Guests who play a hand over their sockets, by a rule that a test gives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.app.served import Socket

Chooser = Callable[[list[dict[str, Any]]], dict[str, Any]]
"""From the options of a turn to the action."""


def cheapest(options: list[dict[str, Any]]) -> dict[str, Any]:
    """Check, call or bring in: never fold, never raise."""
    for option in options:
        if option["action"]["verb"] in ("check", "call", "bring_in"):
            action: dict[str, Any] = option["action"]
            return action
    raise AssertionError(f"nothing to stay in with: {options}")


def folding(options: list[dict[str, Any]]) -> dict[str, Any]:
    """Fold, where that is offered."""
    verbs = {option["action"]["verb"]: option["action"] for option in options}
    folded: dict[str, Any] = verbs.get("fold") or verbs["bring_in"]
    return folded


async def play(socket: Socket, choose: Chooser = cheapest, *, hands: int = 1) -> None:
    """Act whenever it is one's turn, until so many hands have ended. Who sits must have said `sit` before."""
    ended = 0
    hand = ""
    seat = _seat(socket)
    done = 0
    while ended < hands:
        while done == len(socket.events):
            await socket.hear()
        event = socket.events[done][1]
        done += 1
        if event["type"] == "hand_started":
            hand = event["hand"]
        elif event["type"] in ("hand_ended", "hand_cancelled"):
            ended += 1
        elif event["type"] == "turn_opened":
            for turn in event["turns"]:
                if turn["seat"] == seat:
                    frame = {"type": "act", "id": f"{hand}/{turn['turn']}/{seat}", "hand": hand, "turn": turn["turn"]}
                    await socket.say({**frame, "action": choose(turn["options"])})


async def play_together(*sockets: Socket, choose: Chooser = cheapest, hands: int = 1) -> None:
    await asyncio.gather(*(play(socket, choose, hands=hands) for socket in sockets))


def _seat(socket: Socket) -> int:
    acked = {frame["seq"] for frame in socket.heard if frame["type"] == "ack"}
    mine = [event["seat"] for seq, event in socket.events if event["type"] == "player_sat" and seq in acked]
    return int(mine[-1])
