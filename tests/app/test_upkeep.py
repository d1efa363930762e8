"""The operator's commands, on databases that were played on and on one that is being played on."""

import asyncio
import json
import sqlite3
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app import cli
from app.store import migrate
from app.store.keys import key_path, new_key, ring_of
from app.store.opening import open_store
from tests.app.playing import Player, cheapest
from tests.app.served import serving
from tests.app.store.house import SqlTable, add_player
from tests.fakes import VirtualClock

WIDE = {"COLUMNS": "200", "NO_COLOR": "1"}


def called(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(cli.app, list(arguments), env={**WIDE, **environment})


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


async def play(path: Path, *, hands: int = 4) -> None:
    """Some hands of a hundred days ago."""
    await asyncio.to_thread(migrate.upgrade, url_of(path))
    clock = VirtualClock(now_ms=time.time_ns() // 1_000_000 - 100 * 86_400_000)
    store = await open_store(url_of(path), now_ms=clock.now_ms)
    table = await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=clock)
    for name in ("ann", "bob", "cid"):
        await table.sit(await add_player(store, name, chips=5_000))
    for _ in range(hands):
        await table.play_hand()
    await store.close()


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    await play(tmp_path / "avenue.db")
    return tmp_path / "avenue.db"


def damage(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


async def test_an_audit_says_ok_and_what_it_looked_at(path: Path) -> None:
    result = await asyncio.to_thread(called, "audit", "--database", url_of(path))
    assert result.exit_code == 0, result.output
    assert "OK: everything adds up." in result.output
    for what, count in (("tables", "1"), ("hands", "4"), ("accounts", "8")):
        assert any(line.split() == [what, count] for line in result.output.splitlines()), what


async def test_an_audit_says_exactly_what_differs(path: Path) -> None:
    damage(path, "UPDATE accounts SET balance_chips = balance_chips + 7 WHERE id = 'seat:PLAY:t1:ann'")
    result = await asyncio.to_thread(called, "audit", "--database", url_of(path))
    assert result.exit_code == 1
    assert "table/seat_unlike_account  t1: player ann, seat_chips " in result.output
    assert "account/wrong_balance  seat:PLAY:t1:ann: " in result.output
    assert "currency/does_not_sum_to_zero  PLAY: currency PLAY, sum_chips 7" in result.output
    assert "3 things differ." in result.output


async def test_an_audit_for_programs(path: Path) -> None:
    result = await asyncio.to_thread(called, "audit", "--json", "--database", url_of(path))
    report = json.loads(result.output)
    assert (result.exit_code, report["differences"], report["sealed_read"]) == (0, [], True)
    damage(path, "UPDATE accounts SET balance_chips = balance_chips + 7 WHERE id = 'wallet:PLAY:ann'")
    result = await asyncio.to_thread(called, "audit", "--json", "--database", url_of(path))
    (line,) = result.output.splitlines()
    assert result.exit_code == 1
    assert {one["what"] for one in json.loads(line)["differences"]} == {
        "account/wrong_balance",
        "currency/does_not_sum_to_zero",
    }


async def test_an_audit_that_cannot_look_says_why(path: Path, tmp_path: Path) -> None:
    key_path(path).unlink()
    result = await asyncio.to_thread(called, "audit", "--database", url_of(path))
    assert result.exit_code == 2
    assert result.output.startswith(f"avenue: {key_path(path)} is missing")
    public = await asyncio.to_thread(called, "audit", "--public", "--database", url_of(path))
    assert public.exit_code == 0
    assert "What is sealed was not opened." in public.output
    nothing = await asyncio.to_thread(called, "audit", "--database", url_of(tmp_path / "none.db"))
    assert (nothing.exit_code, len(nothing.output.splitlines())) == (2, 1)


async def test_an_audit_of_a_server_that_is_playing(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        room = await served.table()
        guests = [await served.guest() for _ in range(3)]
        async with (
            served.at(room.table, guests[0]) as one,
            served.at(room.table, guests[1]) as two,
            served.at(room.table, guests[2]) as three,
        ):
            for socket in (one, two, three):
                await socket.sit(2_000)
            playing = [asyncio.create_task(Player(socket).play(cheapest, hands=10_000)) for socket in (one, two, three)]
            for _ in range(4):
                before = room.public_view().seq
                result = await asyncio.to_thread(
                    called, "audit", "--json", "--database", url_of(tmp_path / "avenue.db")
                )
                assert result.exit_code == 0, result.output
                assert room.public_view().seq > before, "the table played on meanwhile"
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)


async def test_old_hands_go_into_a_file(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "old.jsonl.gz"
    arguments = ("archive", "--older-than", "30", "--to", str(file), "--database", url_of(path))
    result = await asyncio.to_thread(called, *arguments)
    assert result.exit_code == 0, result.output
    assert result.output.startswith(f"{file}: 4 hands of 1 tables with ")
    again = await asyncio.to_thread(called, *arguments)
    assert "was there already" in again.output
    audited = await asyncio.to_thread(called, "audit", "--database", url_of(path))
    assert audited.exit_code == 0, audited.output
    other = await asyncio.to_thread(called, *arguments[:4], str(tmp_path / "more.gz"), *arguments[5:])
    assert other.output == "No hand ended 30 days ago or more: nothing to archive.\n"
    file.write_bytes(b"broken")
    assert (await asyncio.to_thread(called, *arguments)).exit_code == 1


async def test_an_archived_hand_has_a_code_over_rest(path: Path, tmp_path: Path) -> None:
    file = str(tmp_path / "old.jsonl.gz")
    await asyncio.to_thread(called, "archive", "--older-than", "30", "--to", file, "--database", url_of(path))
    async with serving(path.parent) as served:
        answer = await served.http.get("/api/hands/t1-2")
        assert (answer.status_code, answer.json()) == (410, {"code": "hand/archived", "fields": {}})
        told = await asyncio.to_thread(called, "hand", "t1-2", "--url", served.url)
        assert told.output == "avenue: the hand has been archived: ask who runs the server\n"
        refused = await asyncio.to_thread(
            called, "archive", "--older-than", "0", "--to", file + "2", "--database", url_of(path)
        )
        assert refused.exit_code == 1
        assert "is in use by process" in refused.output


async def test_keys_are_made_and_rotated(path: Path) -> None:
    made = called("keys", "new").output.strip()
    assert ring_of(made).current
    file = key_path(path)
    file.write_text(f"{made}\n{file.read_text()}")
    result = await asyncio.to_thread(called, "keys", "rewrap", "--database", url_of(path))
    assert result.output == f"4 keys of hands wrapped anew. Keys in use: {made.partition(':')[0]} (4 hands).\n"
    file.write_text(made)
    assert (await asyncio.to_thread(called, "audit", "--database", url_of(path))).exit_code == 0
    file.write_text(new_key())
    lost = await asyncio.to_thread(called, "audit", "--database", url_of(path))
    sealed_by = f"hands of this database are sealed by the key {made.partition(':')[0]}"
    assert (lost.exit_code, lost.output) == (2, f"avenue: {sealed_by}, which is not among those given\n")


async def test_a_server_with_the_wrong_keys_does_not_start(path: Path) -> None:
    made = new_key()
    for arguments in (("serve", "--database", url_of(path)), ("keys", "rewrap", "--database", url_of(path))):
        result = await asyncio.to_thread(called, *arguments, AVENUE_SEALING_KEYS=made)
        assert result.exit_code == 1
        assert result.output.startswith("avenue: ")
        assert len(result.output.splitlines()) == 1
        assert made.partition(":")[2] not in result.output


def test_commands_explain_themselves() -> None:
    for command in (("audit",), ("archive",), ("keys",), ("keys", "new"), ("keys", "rewrap")):
        result = called(*command, "--help")
        assert result.exit_code == 0
        assert "Usage: avenue" in result.output
