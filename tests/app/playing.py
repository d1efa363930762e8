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


class Player:
    """A guest who sits at a table and acts whenever it is his turn. He must have sat down before."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket
        self.seat = _seat(socket)
        self._done = 0
        self._hand = ""

    async def play(self, choose: Chooser = cheapest, *, hands: int = 1) -> None:
        """Play until so many more hands have ended."""
        while hands:
            while self._done == len(self.socket.events):
                await self.socket.hear()
            event = self.socket.events[self._done][1]
            self._done += 1
            if event["type"] == "hand_started":
                self._hand = event["hand"]
            elif event["type"] in ("hand_ended", "hand_cancelled"):
                hands -= 1
            elif event["type"] == "turn_opened":
                await self._act(event["turns"], choose)

    async def _act(self, turns: list[dict[str, Any]], choose: Chooser) -> None:
        for turn in turns:
            if turn["seat"] == self.seat:
                where = {"hand": self._hand, "turn": turn["turn"]}
                frame_id = f"{self._hand}/{turn['turn']}/{self.seat}"
                await self.socket.say({"type": "act", "id": frame_id, **where, "action": choose(turn["options"])})


async def play_together(*players: Player | Socket, choose: Chooser = cheapest, hands: int = 1) -> None:
    """Let all of them play until so many hands have ended."""
    seated = [one if isinstance(one, Player) else Player(one) for one in players]
    await asyncio.gather(*(one.play(choose, hands=hands) for one in seated))


def _seat(socket: Socket) -> int:
    acked = {frame["seq"] for frame in socket.heard if frame["type"] == "ack"}
    mine = [event["seat"] for seq, event in socket.events if event["type"] == "player_sat" and seq in acked]
    return int(mine[-1])
