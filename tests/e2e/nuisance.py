"""A seated player who sends what nobody should, all the time; each frame must get its code and move nothing."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from avenue_sdk import TableState

WAIT_S = 30
HUGE_BYTES = 5_000
BEYOND_BYTES = 200_000


class Mischief(NamedTuple):
    """A frame, and the codes of which it must get one."""

    name: str
    frame: str | bytes
    codes: frozenset[str]


class Nuisance:
    """A raw socket of a player who sits at the table. `seen` gives the table as he sees it just now.

    `answered` counts what came back for each kind of frame: its code, or the close code where the connection ended.
    """

    def __init__(self, url: str, headers: dict[str, str], seen: Callable[[], TableState]) -> None:
        self._url = url
        self._headers = headers
        self._seen = seen
        self._ids = 0
        self.answered: Counter[tuple[str, str]] = Counter()

    async def go_on(self, done: Callable[[], bool], *, pause_s: float) -> None:
        """Send one thing after the other, round and round, until `done`."""
        while not done():
            async with connect(self._url, additional_headers=self._headers, compression=None) as socket:
                await socket.send('{"type": "hello"}')
                await socket.recv()
                for mischief in self.round():
                    if done():
                        return
                    self.answered[mischief.name, await self.send(socket, mischief)] += 1
                    await asyncio.sleep(pause_s)
            await self._huge(HUGE_BYTES, "huge")
            await self._huge(BEYOND_BYTES, "beyond")

    async def send(self, socket: ClientConnection, mischief: Mischief) -> str:
        """Send it and give the code that came back; fails for any other answer."""
        await socket.send(mischief.frame)
        code = await self._code(socket)
        assert code in mischief.codes, f"{mischief.name} was answered {code}"
        return code

    def round(self) -> list[Mischief]:
        """One of each kind, by what the table looks like now."""
        state = self._seen()
        hand = "t-0" if state.hand is None else state.hand.hand
        nan = self._text("top_up", added_chips="NaN").replace('"NaN"', "NaN")
        # A number that is nobody's while it is his own turn: it must not happen to be his.
        others = next((turn.turn for turn in state.table.turns if turn.seat != state.seat), 10**6)
        late = frozenset({"action/no_hand", "action/stale_hand", "action/not_in_hand"})
        fold = {"verb": "fold"}
        return [
            _mischief("no json", "}{", "frame/bad_json"),
            _mischief("not a number", nan, "frame/bad_json"),
            _mischief("binary", b"\x00\xff", "frame/binary"),
            _mischief("a list", "[]", "frame/bad_field"),
            _mischief("unknown type", '{"type": "drop_tables", "id": "x"}', "frame/unknown_type"),
            _mischief("hello again", '{"type": "hello"}', "frame/unexpected_hello"),
            _mischief("no id", '{"type": "stand_up"}', "frame/bad_command_id"),
            _mischief("endless id", json.dumps({"type": "stand_up", "id": "x" * 65}), "frame/bad_command_id"),
            _mischief("a negative amount", self._text("top_up", added_chips=-500), "frame/bad_field"),
            _mischief("an amount in words", self._text("top_up", added_chips="500"), "frame/bad_field"),
            _mischief("beyond all chips", self._text("top_up", added_chips=2**53), "frame/bad_field"),
            _mischief("more than he has", self._text("top_up", added_chips=2**40), "wallet/insufficient"),
            _mischief("in another's name", self._text("stand_up", player="somebody"), "frame/bad_field"),
            _mischief("a second seat", self._text("sit", buy_in_chips=100), "table/already_seated"),
            _mischief(
                "another's turn",
                self._text("act", hand=hand, turn=others, action=fold),
                *late,
                *("action/not_your_turn", "action/stale_turn"),
            ),
            _mischief(
                "a stale turn",
                self._text("act", hand=hand, turn=0, action=fold),
                *late,
                *("action/not_your_turn", "action/stale_turn"),
            ),
            _mischief("a hand that is over", self._text("act", hand="t-0", turn=1, action=fold), *late),
            _mischief(
                "a negative raise",
                self._text("act", hand=hand, turn=others, action={"verb": "raise", "to_chips": -40}),
                *late,
                *("action/not_your_turn", "action/stale_turn", "action/not_offered", "action/wrong_amount"),
            ),
            _mischief(
                "an unknown deed", self._text("act", hand=hand, turn=1, action={"verb": "peek"}), "frame/bad_field"
            ),
        ]

    async def _huge(self, size: int, name: str) -> None:
        """A frame beyond the bound ends the connection, with a word before where it is not far beyond."""
        async with connect(self._url, additional_headers=self._headers, compression=None) as socket:
            await socket.send('{"type": "hello"}')
            await socket.recv()
            try:
                await socket.send(self._text("stand_up", padding="x" * size))
                code = await self._code(socket)
                assert code == "frame/too_large", f"a huge frame was answered {code}"
                while True:
                    await asyncio.wait_for(socket.recv(), WAIT_S)
            except ConnectionClosed:
                assert socket.close_code == 1009, f"a huge frame ended the connection with {socket.close_code}"
            self.answered[name, "1009"] += 1

    async def _code(self, socket: ClientConnection) -> str:
        """The code of the next answer; events that come before it are nothing to him."""
        async with asyncio.timeout(WAIT_S):
            while True:
                frame: dict[str, Any] = json.loads(await socket.recv())
                if frame["type"] == "error":
                    code: str = frame["code"]
                    return code
                assert frame["type"] != "ack", "mischief was accepted"

    def _text(self, kind: str, **fields: Any) -> str:
        self._ids += 1
        return json.dumps({"type": kind, "id": f"nuisance-{self._ids}", **fields})


def _mischief(name: str, frame: str | bytes, *codes: str) -> Mischief:
    return Mischief(name, frame, frozenset(codes))
