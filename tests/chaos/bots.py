"""Players on bare sockets who write down what they were told, and go on after every death of the server.

A bot's log is the only witness: which of its commands was acknowledged, at which number of the table, and which events
it was shown, byte for byte. A command without an answer is sent again with its id when the server is back.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.chaos.house import Place

RETURN_S = 0.1
"""How long a bot stays away that was sent away."""

SEAT_LOST = frozenset({"table/not_seated", "action/not_in_hand"})
UNDONE = frozenset({"table/busy", "table/paused", "frame/too_many"})
"""Refusals that say: nothing was done, come again. Every fault of the server's says so too."""


class Shown(NamedTuple):
    """An event as this bot was shown it."""

    table: str
    seq: int
    at_ms: int
    event: bytes


class Acked(NamedTuple):
    """A command that was acknowledged: what was asked for, and where the table stood after it."""

    table: str
    player: str
    id: str
    seq: int
    frame: dict[str, Any]
    kept: bool
    """It was sent in an earlier life of the server, and stood already when that came back."""


class _Events(msgspec.Struct):
    seq: int
    at_ms: int
    events: list[msgspec.Raw]


class _Kind(msgspec.Struct):
    type: str


_KIND = msgspec.json.Decoder(_Kind)
_EVENTS = msgspec.json.Decoder(_Events)


@dataclass
class Life:
    """What one bot saw and was told while the server lived once."""

    shown: list[Shown] = field(default_factory=list)
    acked: list[Acked] = field(default_factory=list)
    resumed_at_seq: int | None = None
    first_act_at: float | None = None
    refused: Counter[str] = field(default_factory=Counter)
    sent_away: Counter[str] = field(default_factory=Counter)
    resent: int = 0
    error: str | None = None


@dataclass
class Bot:
    """A player at one table through all lives of the server."""

    place: Place
    number: int
    dice: Random
    life: Life = field(default_factory=Life)
    seq: int = 0
    """The highest number that it was ever told, by an event, an acknowledgement or a snapshot."""
    hand: str | None = None
    seat: int | None = None
    turn: dict[str, Any] | None = None
    sitting_out: bool = False
    leaving: bool = False
    broke: bool = False
    paused: bool = False
    pending: dict[str, Any] | None = None
    _sent_before: bool = False
    _commands: int = 0
    _restless: bool = True
    _denied: int = -1
    _put_off: bool = False

    async def live(self, url: str, *, homebound: bool = False) -> Life:
        """Play until the server is gone. With `homebound`, stand up instead and come back when the seat is left."""
        self.life = Life()
        address = f"{url.replace('http', 'ws', 1)}/ws/tables/{self.place.table}"
        headers = {"Authorization": f"Bearer {self.place.token}"}
        while True:
            try:
                async with connect(
                    address, additional_headers=headers, compression=None, max_size=None, ping_interval=None, proxy=None
                ) as socket:
                    await socket.send('{"type":"hello"}')
                    await self._play(socket, homebound=homebound)
                return self.life
            except ConnectionClosed as closed:
                if closed.rcvd is None:
                    return self.life
                # The server is there and says why it does not go on: it is a word to come again.
                self.life.sent_away[closed.rcvd.reason] += 1
                await asyncio.sleep(RETURN_S)
            except (InvalidHandshake, OSError, TimeoutError):
                return self.life

    async def _play(self, socket: ClientConnection, *, homebound: bool) -> None:
        self._take_snapshot(json.loads(await socket.recv()))
        self._put_off = False
        self._sent_before = self.pending is not None
        if self.pending is not None:
            self.life.resent += 1
            await socket.send(json.dumps(self.pending))
        while not (homebound and self.seat is None and self.pending is None):
            if self.pending is None and (wish := self._wish(homebound=homebound)) is not None:
                self._commands += 1
                self.pending = {"id": f"b{self.number}-{self._commands}.", **wish}
                self._sent_before = False
                await socket.send(json.dumps(self.pending))
            elif self._put_off and not self.paused:
                self._put_off = False
                await asyncio.sleep(RETURN_S)
                await socket.send(json.dumps(self.pending))
            self._hear(await socket.recv(decode=False))

    def _hear(self, frame: bytes) -> None:
        kind = _KIND.decode(frame).type
        if kind == "events":
            self._take_events(_EVENTS.decode(frame))
        elif kind == "ack":
            self._take_ack(json.loads(frame))
        elif kind == "error":
            self._take_error(json.loads(frame))
        elif kind in ("paused", "going_on"):
            self.paused = kind == "paused"
        else:
            self._take_snapshot(json.loads(frame))

    def _take_snapshot(self, frame: dict[str, Any]) -> None:
        if frame["type"] != "snapshot":
            self.life.error = f"a snapshot was due, and {frame} came"
            return
        table = frame["table"]
        self.paused = frame["paused"] is not None
        if table["seq"] < self.seq:
            self.life.error = f"the table stands at {table['seq']}, and {self.seq} was told before"
        self.life.resumed_at_seq = self.seq = max(self.seq, table["seq"])
        self.seat = frame["you"]["seat"]
        self.hand = None if table["hand"] is None else table["hand"]["hand"]
        self.turn = next((turn for turn in table["turns"] if turn["seat"] == self.seat), None)
        mine = next((seat for seat in table["seats"] if seat["seat"] == self.seat), None)
        self.sitting_out = mine is not None and mine["sitting_out"]
        self.leaving = mine is not None and mine["leaving"]
        self.broke = mine is not None and self.hand is None and mine["stack_chips"] + mine["queued_chips"] == 0
        self._denied = -1

    def _take_events(self, frame: _Events) -> None:
        for seq, raw in enumerate(frame.events, start=frame.seq):
            if seq != self.seq + 1:
                self.life.error = f"event {seq} came after {self.seq}"
            self.seq = seq
            event = bytes(raw)
            self.life.shown.append(Shown(self.place.table, seq, frame.at_ms, event))
            self._fold(json.loads(event))

    def _fold(self, event: dict[str, Any]) -> None:
        match event["type"]:
            case "hand_started":
                self.hand, self.turn, self._restless = event["hand"], None, True
            case "hand_ended" | "hand_cancelled":
                self.hand = self.turn = None
            case "turn_opened":
                self.turn = next((turn for turn in event["turns"] if turn["seat"] == self.seat), self.turn)
            case "player_sat" if event["player"] == self.place.player:
                self.seat = event["seat"]
                self.sitting_out = self.leaving = self.broke = False
            case "player_left" if event["player"] == self.place.player:
                self.seat = self.turn = None
            case kind if event.get("seat") == self.seat:
                self._fold_own(kind, event)
            case _:
                pass

    def _fold_own(self, kind: str, event: dict[str, Any]) -> None:
        """What happens at the bot's own seat."""
        match kind:
            case "turn_timed_out":
                self.turn = None
            case "leave_announced":
                self.leaving = True
            case "sat_out":
                self.sitting_out, self.broke = True, self.broke or event["reason"] == "no_chips"
            case "sat_in":
                self.sitting_out = False
            case "topped_up" | "top_up_queued":
                self.broke = False
            case _:
                pass

    def _take_ack(self, frame: dict[str, Any]) -> None:
        if self.pending is None or frame["id"] != self.pending["id"]:
            self.life.error = f"an answer to nothing that was asked: {frame}"
            return
        kept = self._sent_before and frame["seq"] <= (self.life.resumed_at_seq or 0)
        asked, self.pending = self.pending, None
        self.life.acked.append(Acked(self.place.table, self.place.player, asked["id"], frame["seq"], asked, kept))
        if frame["seq"] > self.seq:
            self.life.error = f"{frame['seq']} was acknowledged before it was shown: {self.seq}"
        if asked["type"] == "act" and self.life.first_act_at is None:
            self.life.first_act_at = time.monotonic()
        self._denied = -1

    def _take_error(self, frame: dict[str, Any]) -> None:
        code = frame["code"]
        self.life.refused[code] += 1
        if frame["id"] is None or self.pending is None:
            self.life.error = f"refused without a question: {frame}"
            return
        if code in UNDONE or code.startswith("fault/"):
            # It is asked again under the same id; until then nothing more.
            self._put_off = True
            return
        self.pending = None
        self._denied = self.seq
        if code in SEAT_LOST:
            self.turn = None

    def _wish(self, *, homebound: bool) -> dict[str, Any] | None:
        """What to ask for now, None to wait. After a refusal nothing is asked until something happens."""
        if self.paused or self._denied == self.seq:
            return None
        if self.seat is None:
            return None if homebound else {"type": "sit", "buy_in_chips": self.place.buy_in_chips}
        if homebound and not self.leaving:
            return {"type": "stand_up"}
        if self.turn is not None:
            turn, self.turn = self.turn, None
            return {"type": "act", "hand": self.hand, "turn": turn["turn"], "action": self._action(turn["options"])}
        return None if self.leaving else self._wish_besides()

    def _wish_besides(self) -> dict[str, Any] | None:
        """What a seat is asked for beside the cards. Once a hand at most, seats and wallets are moved without need."""
        if self.broke:
            return {"type": "top_up", "added_chips": self.place.buy_in_chips}
        if self.sitting_out:
            return {"type": "sit_in"}
        roll = self.dice.random() if self._restless else 1
        self._restless = False
        if roll < 0.02:
            return {"type": "stand_up"}
        if roll < 0.06:
            return {"type": "top_up", "added_chips": self.dice.randint(1, 9)}
        return {"type": "sit_out"} if roll < 0.07 else None

    def _action(self, options: list[dict[str, Any]]) -> Any:
        """Any option, the fold seldom: hands should get long."""
        others = [one for one in options if one["action"]["verb"] != "fold"]
        if not others or self.dice.random() < 0.08:
            return options[0]["action"]
        return self.dice.choice(others)["action"]


async def live_on(bots: list[Bot], url: str, *, homebound: bool = False) -> list[Life]:
    """Let bots play until the server is gone; gives what each one saw, in the bots' order."""
    return list(await asyncio.gather(*(bot.live(url, homebound=homebound) for bot in bots)))
