"""Each kind of mischief at a table where nothing else happens: it gets its code, and the table stands as it stood."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from avenue_sdk import TableSession
from tests.app.served import Served, serving
from tests.e2e.nuisance import Nuisance
from tests.e2e.recording import RecordingClient


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with serving(tmp_path_factory.mktemp("nuisance")) as running:
        yield running


class Quiet:
    """Two players in mid-hand who wait; the nuisance is the one whose turn it is, or the other one."""

    def __init__(self, nuisance: Nuisance, socket: ClientConnection, mine: TableSession, other: TableSession) -> None:
        self.nuisance = nuisance
        self.socket = socket
        self.mine = mine
        self.other = other

    async def ask(self, frame: dict[str, Any]) -> dict[str, Any]:
        """Send a frame and give its answer, whatever events come before it."""
        await self.socket.send(json.dumps(frame))
        while True:
            answer: dict[str, Any] = json.loads(await self.socket.recv())
            if answer["type"] in ("ack", "error"):
                return answer


@asynccontextmanager
async def quiet_table(served: Served, *, on_turn: bool) -> AsyncIterator[Quiet]:
    room = await served.table()
    guests = [await served.guest() for _ in range(2)]
    clients = [RecordingClient(served.url, token=guest.token) for guest in guests]
    async with clients[0].table(room.table) as first, clients[1].table(room.table) as second:
        await first.sit(100)
        await second.sit(100)
        for table in (first, second):
            await table.until(lambda state: state.table.turns != ())
        index = 0 if (first.state.my_turn is not None) == on_turn else 1
        mine, other = (first, second)[index], (first, second)[1 - index]
        url, headers = clients[index].address(room.table)
        async with connect(url, additional_headers=headers, compression=None) as socket:
            await socket.send('{"type": "hello"}')
            await socket.recv()
            yield Quiet(Nuisance(url, headers, lambda: mine.state), socket, mine, other)
    for client in clients:
        await client.__aexit__(None, None, None)


@pytest.mark.parametrize("on_turn", [True, False])
async def test_no_mischief_moves_anything(served: Served, on_turn: bool) -> None:  # noqa: FBT001 - a case
    async with quiet_table(served, on_turn=on_turn) as table:
        before = table.mine.state
        codes = {}
        for mischief in table.nuisance.round():
            codes[mischief.name] = await table.nuisance.send(table.socket, mischief)
        turn = "action/stale_turn" if on_turn else "action/not_your_turn"
        assert codes["a stale turn"] == turn
        assert codes["a hand that is over"] == "action/stale_hand"
        assert codes["another's turn"] == turn
        # One more accepted command shows that no event came in between: numbers have no gap.
        await table.other.sit_out()
        assert table.other.state.seq == before.seq + 1


async def test_the_same_id_twice_is_done_once_and_answered_the_same(served: Served) -> None:
    async with quiet_table(served, on_turn=True) as table:
        turn, hand = table.mine.state.my_turn, table.mine.state.hand
        assert turn is not None
        assert hand is not None
        action = {"verb": "bring_in", "to_chips": 2}
        act = {"type": "act", "id": "once", "hand": hand.hand, "turn": turn.turn, "action": action}
        first = await table.ask(act)
        assert first["type"] == "ack"
        seq = (await table.mine.until(lambda state: state.seq >= first["seq"])).seq
        assert [await table.ask(act) for _ in range(4)] == [first] * 4
        other = await table.ask({**act, "action": {"verb": "fold"}})
        assert (other["type"], other["code"]) == ("error", "table/command_id_reused")
        await table.other.sit_out()
        assert table.other.state.seq == seq + 1


async def test_a_huge_frame_ends_its_own_connection_and_nothing_else(served: Served, tmp_path: Path) -> None:
    async with quiet_table(served, on_turn=True) as table:
        before = table.mine.state.seq
        for size, name in ((5_000, "huge"), (200_000, "beyond")):
            await table.nuisance._huge(size, name)  # noqa: SLF001 - one piece of the round
        assert table.nuisance.answered == {("huge", "1009"): 1, ("beyond", "1009"): 1}
        await table.mine.sit_out()
        assert table.mine.state.seq == before + 1
