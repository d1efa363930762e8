"""The house as it is put together: demo tables once, the right schema, one server at a time, an end that holds."""

import asyncio
import time
from pathlib import Path

import pytest

from app.accounts.passwords import Passwords
from app.bootstrap import open_house
from app.settings import Settings
from app.store import migrate
from app.store.audit import audit
from app.store.errors import StoreInUse, WrongSchema
from app.store.opening import open_store
from engine.rules.events import PlayerId
from engine.table.commands import Sit
from engine.table.errors import TableClosed
from engine.table.events import TableId
from tests.app.served import CHEAP
from tests.app.store.house import SqlTable, add_player
from tests.app.store.places import SqlitePlace
from tests.fakes import VirtualClock

PASSWORDS = Passwords(CHEAP)


def settings(folder: Path, *, demo: bool = True) -> Settings:
    chosen = Settings(database_url=f"sqlite:///{folder}/avenue.db", demo=demo)
    migrate.upgrade(chosen.database_url)
    return chosen


async def test_demo_tables_are_opened_at_the_first_start_and_no_more(tmp_path: Path) -> None:
    async with open_house(settings(tmp_path), passwords=PASSWORDS) as house:
        first = {room.table: room.public_view().config for room in house.rooms}
    assert len(first) == 6
    async with open_house(settings(tmp_path), passwords=PASSWORDS) as house:
        assert {room.table: room.public_view().config for room in house.rooms} == first


async def test_without_the_demo_there_is_no_table(tmp_path: Path) -> None:
    async with open_house(settings(tmp_path, demo=False), passwords=PASSWORDS) as house:
        assert len(house.rooms) == 0
        assert await house.health.is_ready()


async def test_a_database_of_another_schema_is_not_touched(tmp_path: Path) -> None:
    chosen = Settings(database_url=f"sqlite:///{tmp_path}/avenue.db")
    with pytest.raises(WrongSchema):
        async with open_house(chosen, passwords=PASSWORDS):
            pass
    assert not (tmp_path / "avenue.db").exists()


async def test_a_second_server_on_the_same_file_is_refused(tmp_path: Path) -> None:
    chosen = settings(tmp_path, demo=False)
    async with open_house(chosen, passwords=PASSWORDS):
        with pytest.raises(StoreInUse, match="in use by process"):
            async with open_house(chosen, passwords=PASSWORDS):
                pass
    async with open_house(chosen, passwords=PASSWORDS):
        pass


async def test_after_the_drain_no_table_takes_anything(tmp_path: Path) -> None:
    async with open_house(settings(tmp_path), passwords=PASSWORDS) as house:
        await house.drain()
        room = next(iter(house.rooms))
        command = Sit(player=PlayerId("p"), command_id="c", name="p", seat=None, buy_in_chips=1_000)
        with pytest.raises(TableClosed):
            await house.rooms.submit(room, command)
        assert not await house.health.is_ready()


async def test_a_table_whose_running_hand_cannot_be_read_is_opened_again_by_its_operator(tmp_path: Path) -> None:
    chosen = settings(tmp_path, demo=False)
    clock = VirtualClock(now_ms=time.time_ns() // 1_000_000)
    store = await open_store(chosen.database_url, now_ms=clock.now_ms)
    table = await SqlTable.open(store.journal, epoch=store.writer.epoch, clock=clock)
    for name in ("ann", "bob", "cid"):
        await table.sit(await add_player(store, name, chips=5_000))
    before = {seat.player: seat.account_chips for seat in table.state.seats.values()}
    await table.deal()
    await store.close()
    dealt = "SELECT max(seq) FROM journal WHERE type = 'card_dealt'"
    SqlitePlace(tmp_path / "avenue.db").tamper(f"UPDATE journal SET payload = x'7b' WHERE seq = ({dealt})")  # noqa: S608
    async with open_house(chosen, passwords=PASSWORDS) as house:
        assert (len(house.rooms), house.rooms.stopped) == (0, frozenset({TableId("t1")}))
    wanted = chosen.model_copy(update={"reopen": ("t1", "never")})
    async with open_house(wanted, passwords=PASSWORDS) as house:
        assert (len(house.rooms), house.rooms.stopped) == (1, frozenset())
        room = house.rooms.room(TableId("t1"))
        for _ in range(1_000):
            if room.public_view().hand is None:
                break
            await asyncio.sleep(0.01)
        view = room.public_view()
        assert view.hand is None
        assert {seat.player: seat.stack_chips for seat in view.seats} == before
        assert (await audit(house.store.database)).differences == ()
    async with open_house(chosen, passwords=PASSWORDS) as house:
        assert len(house.rooms) == 1
