"""The REST half of the SDK against a real server: what is asked, what comes back, and how failing looks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from avenue_sdk import Client, ConnectionLost, ProtocolBroken, Refused, ServerFault, Unanswered
from avenue_sdk.messages import HandStarted
from engine.rules.variants import seven_card_stud
from tests.app.served import PASSWORD, Served


async def test_registering_logs_in_and_logging_out_ends_it(served: Served) -> None:
    async with Client(served.url) as client:
        with pytest.raises(Refused, match="account/not_logged_in"):
            await client.whoami()
        player = await client.register("Sdk-Ada", PASSWORD, of_age=True)
        assert await client.whoami() == player
        assert (player.name, player.kind) == ("Sdk-Ada", "person")
        await client.logout()
        with pytest.raises(Refused, match="account/not_logged_in"):
            await client.whoami()
        assert await client.login("Sdk-Ada", PASSWORD) == player


async def test_entering_registers_whoever_gives_his_word_and_nobody_else(served: Served) -> None:
    async with Client(served.url) as client:
        with pytest.raises(Refused, match="account/wrong_login"):
            await client.enter("Sdk-Bo", PASSWORD)
        first = await client.enter("Sdk-Bo", PASSWORD, of_age=True)
        assert await client.enter("Sdk-Bo", PASSWORD, of_age=True) == first
        with pytest.raises(Refused, match="account/wrong_login"):
            await client.enter("Sdk-Bo", "another password", of_age=True)
        with pytest.raises(Refused, match="account/bad_password"):
            await client.enter("Sdk-Cy", "short", of_age=True)


async def test_the_wallet_its_lines_and_a_refill(served: Served) -> None:
    async with Client(served.url) as client:
        await client.register("Sdk-Di", PASSWORD, of_age=True)
        wallet = await client.balance()
        assert wallet.balance_chips > 0
        assert wallet.currency.code == "PLAY"
        page = await client.ledger(limit=1)
        assert page.entries[0].balance_after_chips == wallet.balance_chips
        with pytest.raises(Refused) as refused:
            await client.refill()
        assert refused.value.code == "wallet/refill_not_needed"
        assert refused.value.fields["floor_chips"] == wallet.refill.floor_chips


async def test_the_lobby_and_a_table_s_rules(served: Served) -> None:
    room = await served.table(seven_card_stud(small_bet_chips=6, big_bet_chips=12), name="Sdk Lobby")
    async with Client(served.url) as client:
        lines = {line.id: line for line in await client.lobby(game="stud7", min_small_bet_chips=6)}
        line = lines[room.table]
        assert (line.name, line.small_bet_chips, line.free, line.taken) == ("Sdk Lobby", 6, 8, 0)
        assert room.table not in [line.id for line in await client.lobby(game="stud5")]
        detail = await client.table_detail(room.table)
        assert [street.number for street in detail.rules.streets] == [3, 4, 5, 6, 7]
        assert detail.rules.streets[1].open_pair_bet_chips == 12
        with pytest.raises(Refused, match="table/not_found"):
            await client.table_detail("t_nowhere")


async def test_a_table_is_found_by_id_by_name_or_by_its_free_seats(served: Served) -> None:
    room = await served.table(name="Sdk Findable")
    async with Client(served.url) as client:
        assert await client.find_table(room.table) == room.table
        assert await client.find_table("Sdk Findable") == room.table
        assert await client.find_table() in [line.id for line in await client.lobby(min_free_seats=1)]
        with pytest.raises(Refused, match="table/not_found"):
            await client.find_table("Sdk Nowhere")


async def test_my_hands_and_one_hand_as_i_saw_it(served: Served) -> None:
    room = await served.table()
    async with Client(served.url) as ada, Client(served.url) as bo:
        for client in (ada, bo):
            await client.enter(f"Sdk-{id(client) % 10**8}", PASSWORD, of_age=True)
        async with ada.table(room.table) as one, bo.table(room.table) as other:
            await one.sit(100)
            await other.sit(100)
            while one.state.table.hands < 2:
                for table in (one, other):
                    state = await table.until(lambda state: state.table.turns != () or state.table.hands > 1)
                    if state.my_turn is not None and state.options is not None and state.table.hands < 2:
                        await table.act(state.options.passive, state=state)
        page = await ada.hands()
        mine = page.hands[0]
        assert (mine.table, mine.seat, mine.outcome) == (room.table, 1, "ended")
        hand = await ada.hand(mine.hand)
        assert isinstance(hand.events[0].event, HandStarted)
        assert hand.seat == 1
        with pytest.raises(Refused, match="hand/not_found"):
            await ada.hand("no-such-hand")


async def test_no_server_is_a_lost_connection() -> None:
    async with Client("http://127.0.0.1:1") as client:
        with pytest.raises(ConnectionLost):
            await client.lobby()


@asynccontextmanager
async def answering(answer: bytes | None) -> AsyncIterator[str]:
    """Something that answers every request with these bytes, or never."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if answer is not None:
            writer.write(answer)
            writer.write_eof()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def reply(status: str, body: str) -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n{body}".encode()


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (reply("200 OK", "<html>"), ProtocolBroken),
        (reply("200 OK", '{"tables": [{"id": 5}]}'), ProtocolBroken),
        (reply("502 Bad Gateway", "<html>"), ProtocolBroken),
        (reply("503 Service Unavailable", '{"code": "fault/busy", "fields": {}}'), ServerFault),
        (b"", ConnectionLost),
        (None, Unanswered),
    ],
)
async def test_whatever_else_answers_is_told_apart(answer: bytes | None, error: type[Exception]) -> None:
    async with answering(answer) as url, Client(url, timeout_s=0.5) as client:
        with pytest.raises(error):
            await client.lobby()


async def test_a_token_stands_in_no_repr_and_in_no_log_however_detailed(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    for logger in ("", "websockets", "websockets.client", "httpx2", "httpcore2", "httpcore", "avenue_sdk"):
        caplog.set_level(logging.DEBUG, logger=logger or None)
    guest = await served.guest()
    room = await served.table()
    async with Client(served.url, token=guest.token) as client, client.table(room.table) as table:
        await client.whoami()
        assert not any(guest.token in text for text in (repr(client), repr(table), repr(table.state)))
    ours = [record for record in caplog.records if not record.name.startswith("uvicorn")]
    assert ours
    assert not [record.name for record in ours if guest.token in record.getMessage()]
