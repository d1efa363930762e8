from __future__ import annotations

import threading

import psycopg
import pytest
from sqlalchemy import Connection, text

from app.store import maintenance
from app.store.errors import StoreBusy, StoreInUse, WrongSchema
from app.store.maintenance import upkeep
from tests.app.store.places import Place, SqlitePlace
from tests.fakes import VirtualClock

COUNT = text("SELECT count(*) FROM players")
ADD = "INSERT INTO players VALUES ('x', 'person', 'x', 'x', NULL, 1, NULL, NULL)"


def test_a_change_stands_or_is_taken_back(place: Place) -> None:
    def add(connection: Connection) -> int:
        return connection.execute(text(ADD)).rowcount

    def add_and_fail(connection: Connection) -> None:
        connection.execute(text(ADD.replace("'x'", "'y'")))
        raise RuntimeError("broken")

    with upkeep(place.url) as opened:
        assert opened.write(add) == 1
        with pytest.raises(RuntimeError, match="broken"):
            opened.write(add_and_fail)
        with opened.read() as connection:
            assert connection.execute(COUNT).scalar_one() == 1
        assert opened.is_server == (place.name == "postgres")


async def test_on_sqlite_it_keeps_a_server_out_and_the_other_way_round(path: object) -> None:
    place = SqlitePlace(path)  # type: ignore[arg-type]
    store = await place.open(VirtualClock())
    with pytest.raises(StoreInUse), upkeep(place.url):
        pass
    await store.close()
    with upkeep(place.url), pytest.raises(StoreInUse):
        await place.open(VirtualClock())
    await (await place.open(VirtualClock())).close()


def test_a_database_of_another_version_is_told(tmp_path: object) -> None:
    with pytest.raises(WrongSchema), upkeep(f"sqlite:///{tmp_path}/none.db"):
        pass


def test_on_postgres_it_gives_way_and_tries_again(on_postgres: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintenance, "MAX_UPKEEP_LOCK_MS", 10)
    tried: list[int] = []

    def touch(connection: Connection) -> str:
        tried.append(1)
        connection.execute(text("ALTER TABLE journal DISABLE TRIGGER USER"))
        connection.execute(text("ALTER TABLE journal ENABLE TRIGGER USER"))
        return "done"

    with psycopg.connect(on_postgres.url) as other, upkeep(on_postgres.url) as opened:
        other.execute("LOCK TABLE journal IN ROW EXCLUSIVE MODE")
        monkeypatch.setattr(maintenance, "MAX_UPKEEP_TRIES", 2)
        with pytest.raises(StoreBusy):
            opened.write(touch)
        assert len(tried) == 2
        monkeypatch.setattr(maintenance, "MAX_UPKEEP_TRIES", 100)
        threading.Timer(0.3, other.commit).start()
        assert opened.write(touch) == "done"
        assert len(tried) > 3
