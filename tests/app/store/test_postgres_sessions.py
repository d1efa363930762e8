from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL, make_url

from app.store.errors import StoreInUse, StoreUnreachable, StoreUnsafe
from app.store.postgres_sessions import (
    APPLICATION,
    LOCK,
    Patience,
    StillThere,
    connect,
    in_use,
    lock_holder,
    require_safe,
    take_lock,
)
from app.store.urls import place_of
from tests.app.store.places import PostgresPlace


def url_of(place: PostgresPlace) -> URL:
    url = place_of(place.url)
    assert isinstance(url, URL)
    return url


@contextmanager
def session(place: PostgresPlace, **fields: Any) -> Iterator[psycopg.Connection[Any]]:
    connection = connect(url_of(place), autocommit=True, **fields)
    try:
        yield connection
    finally:
        connection.close()


def setting(connection: psycopg.Connection[Any], name: str) -> str:
    row = connection.execute("SELECT current_setting(%s)", [name]).fetchone()
    assert row is not None
    return str(row[0])


def test_every_wait_has_a_bound(on_postgres: PostgresPlace) -> None:
    with session(on_postgres, patience=Patience(lock_wait_ms=700, statement_ms=900, silence_ms=5_000)) as connection:
        assert setting(connection, "lock_timeout") == "700ms"
        assert setting(connection, "statement_timeout") == "900ms"
        assert setting(connection, "idle_in_transaction_session_timeout") == "5s"
        assert setting(connection, "tcp_keepalives_idle") == "5"
        assert setting(connection, "application_name") == APPLICATION
        assert connection.autocommit
    assert f" {os.getpid()}@" in APPLICATION


def test_a_server_that_is_not_there_is_told_in_one_line_without_the_password() -> None:
    with pytest.raises(StoreUnreachable) as caught:
        connect(make_url("postgresql+psycopg://ann:secret@127.0.0.1:1/avenue"), autocommit=True)
    line = str(caught.value)
    assert line.startswith("127.0.0.1:1/avenue cannot be reached: ")
    assert "\n" not in line
    assert "secret" not in f"{line} {caught.value!r} {caught.value.fields}"


def test_a_server_that_does_not_answer_is_given_up() -> None:
    """It takes the connection and says nothing: a firewall does so, and a frozen machine."""
    with socket_that_is_silent() as port:
        began = time.monotonic()
        with pytest.raises(StoreUnreachable):
            connect(
                make_url(f"postgresql+psycopg://ann@127.0.0.1:{port}/avenue"),
                autocommit=True,
                patience=Patience(connect_ms=1_000),
            )
        assert time.monotonic() - began < 6


@contextmanager
def socket_that_is_silent() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield int(listening.getsockname()[1])


def test_a_database_that_keeps_is_taken(on_postgres: PostgresPlace) -> None:
    with session(on_postgres) as connection:
        require_safe(connection)


@pytest.mark.parametrize(
    ("how", "unsafe"),
    [
        ("SET synchronous_commit = off", "synchronous_commit"),
        ("SET default_transaction_read_only = on", "transaction_read_only"),
    ],
)
def test_a_session_that_does_not_keep_is_refused(on_postgres: PostgresPlace, how: str, unsafe: str) -> None:
    with session(on_postgres) as connection:
        connection.execute(how.encode())
        with pytest.raises(StoreUnsafe) as caught:
            require_safe(connection)
    assert caught.value.fields["setting"] == unsafe


@pytest.mark.parametrize("how", ["local", "remote_write", "remote_apply"])
def test_every_commit_that_waits_for_the_disk_is_good_enough(on_postgres: PostgresPlace, how: str) -> None:
    with session(on_postgres) as connection:
        connection.execute(f"SET synchronous_commit = {how}".encode())
        require_safe(connection)


@pytest.mark.parametrize("unsafe", ["fsync", "full_page_writes"])
def test_a_server_that_does_not_sync_is_refused(on_postgres: PostgresPlace, unsafe: str) -> None:
    """A server's own setting, so it is turned off for a moment and on again."""
    server = on_postgres.server
    server.run(f"ALTER SYSTEM SET {unsafe} = off")
    server.run("SELECT pg_reload_conf()")
    try:
        with session(on_postgres) as connection:
            wait_for(connection, unsafe, "off")
            with pytest.raises(StoreUnsafe) as caught:
                require_safe(connection)
        assert caught.value.fields == {"setting": unsafe, "found": "off", "wanted": "on"}
    finally:
        server.run(f"ALTER SYSTEM RESET {unsafe}")
        server.run("SELECT pg_reload_conf()")
        with session(on_postgres) as connection:
            wait_for(connection, unsafe, "on")


def wait_for(connection: psycopg.Connection[Any], name: str, value: str) -> None:
    ends_at = time.monotonic() + 10
    while setting(connection, name) != value:
        assert time.monotonic() < ends_at
        time.sleep(0.01)


def test_one_at_a_time_holds_a_database(on_postgres: PostgresPlace) -> None:
    with session(on_postgres) as first, session(on_postgres) as second:
        assert lock_holder(second) is None
        take_lock(first, label="here", within_ms=0)
        assert lock_holder(second) == APPLICATION
        with pytest.raises(StoreInUse) as caught:
            take_lock(second, label="here", within_ms=30)
        assert caught.value.fields == {"database": "here", "pid": os.getpid(), "host": None}
        first.close()
        take_lock(second, label="here", within_ms=5_000)


def test_the_lock_is_of_one_database_and_no_other_lock(on_postgres: PostgresPlace) -> None:
    other = PostgresPlace(on_postgres.server, on_postgres.server.empty_database())
    with session(on_postgres) as first, session(other) as second, session(on_postgres) as third:
        take_lock(first, label="here", within_ms=0)
        take_lock(second, label="there", within_ms=0)
        third.execute("SELECT pg_advisory_lock(%s), pg_advisory_lock(1, 2)", [LOCK + 1])
        assert lock_holder(third) == APPLICATION
    on_postgres.server.drop(other.url)


def test_a_former_connection_of_our_own_is_ended(on_postgres: PostgresPlace) -> None:
    with session(on_postgres) as lost, session(on_postgres) as next_one:
        take_lock(lost, label="here", within_ms=0)
        take_lock(next_one, label="here", within_ms=5_000, former_backend=lost.pgconn.backend_pid)
        with pytest.raises(psycopg.OperationalError):
            lost.execute("SELECT 1")


def test_a_former_connection_that_does_not_end_is_not_somebody_else(on_postgres: PostgresPlace) -> None:
    with session(on_postgres) as lost, session(on_postgres) as next_one:
        take_lock(lost, label="here", within_ms=0)
        with pytest.raises(StillThere):
            take_lock(next_one, label="here", within_ms=0, former_backend=lost.pgconn.backend_pid)


def test_another_machines_server_is_named_with_it() -> None:
    assert in_use("db", "avenue 12@elsewhere").fields == {"database": "db", "pid": 12, "host": "elsewhere"}
    assert in_use("db", APPLICATION).fields == {"database": "db", "pid": os.getpid(), "host": None}
    for unknown in (None, "", "psql", "avenue x@y"):
        assert in_use("db", unknown).fields == {"database": "db", "pid": None}
