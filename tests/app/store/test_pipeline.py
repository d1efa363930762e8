from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from app.store import pipeline as pipeline_module
from app.store.pipeline import SKIPPED, ConnectionLost, Pipeline, Problem, encoded
from app.store.postgres_sessions import connect
from app.store.urls import place_of
from app.store.writes import Prepared
from tests.app.store.places import PostgresPlace

KEEP = Prepared("INSERT INTO kept VALUES ($1, $2, $3)", None)
COUNT = Prepared("SELECT count(*) FROM kept", None)


@pytest.fixture
def connection(on_postgres: PostgresPlace) -> Iterator[psycopg.Connection[Any]]:
    on_postgres.sql("CREATE TABLE kept (id bigint CONSTRAINT only_once PRIMARY KEY, word text, data bytea)")
    made = connect(place_of(on_postgres.url), autocommit=True)  # type: ignore[arg-type]
    yield made
    made.close()


@pytest.fixture
def pipe(connection: psycopg.Connection[Any]) -> Pipeline:
    return Pipeline(connection, silence_ms=5_000)


def test_what_was_sent_is_answered_in_its_order(pipe: Pipeline, on_postgres: PostgresPlace) -> None:
    pipe.say("BEGIN")
    for number in range(3):
        pipe.send(KEEP, (number, "word", b"\x00\xff"))
    pipe.send(Prepared("UPDATE kept SET word = $1", None), ("other",))
    pipe.say("COMMIT")
    assert pipe.collect() == [0, 1, 1, 1, 3, 0]
    assert on_postgres.sql("SELECT * FROM kept ORDER BY id") == [(n, "other", b"\x00\xff") for n in range(3)]


def test_what_follows_a_failure_is_skipped_up_to_the_next_collect(pipe: Pipeline) -> None:
    pipe.send(KEEP, (1, None, None))
    assert pipe.collect() == [1]
    pipe.send(KEEP, (1, None, None))
    pipe.send(KEEP, (2, None, None))
    assert pipe.collect() == [Problem("23505", "only_once"), SKIPPED]
    pipe.send(KEEP, (3, None, None))
    assert pipe.collect() == [1]
    assert pipe.number(COUNT) == 2


def test_a_statement_that_cannot_be_prepared_is_told_itself_and_tried_anew(pipe: Pipeline) -> None:
    nowhere = Prepared("INSERT INTO nowhere VALUES ($1)", None)
    for _ in range(2):
        pipe.send(KEEP, (1, "", b""))
        pipe.send(nowhere, (1,))
        pipe.send(nowhere, (2,))
        assert pipe.collect() == [1, Problem("42P01"), SKIPPED]
        pipe.say("DELETE FROM kept")
        pipe.collect()


def test_a_statement_whose_preparation_was_skipped_is_prepared_later(pipe: Pipeline) -> None:
    pipe.say("SELECT 1 / 0")
    pipe.send(KEEP, (1, "", b""))
    assert pipe.collect() == [Problem("22012"), SKIPPED]
    pipe.send(KEEP, (1, "", b""))
    assert pipe.collect() == [1]


def test_more_statements_than_are_kept_prepared_run_too(pipe: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline_module, "MAX_PREPARED_STATEMENTS", 2)
    for number in range(6):
        pipe.send(Prepared(f"{KEEP.sql} -- {number}", None), (number, "", b""))
    assert pipe.collect() == [1] * 6
    assert pipe.number(Prepared("SELECT count(*) FROM pg_prepared_statements", None)) == 2


def test_a_row_is_arranged_as_its_statement_wants_it(pipe: Pipeline, on_postgres: PostgresPlace) -> None:
    pipe.send(Prepared(KEEP.sql, (1, 0, 2)), ("word", 7, b"data"))
    assert pipe.collect() == [1]
    assert on_postgres.sql("SELECT * FROM kept") == [(7, "word", b"data")]


def test_much_goes_both_ways_without_standing_still(pipe: Pipeline) -> None:
    """More than the buffers of either side hold, with answers that nobody reads meanwhile."""
    data = b"x" * 10_000
    for number in range(2_000):
        pipe.send(KEEP, (number, "", data))
    for number in range(20_000):
        pipe.send(Prepared("UPDATE kept SET word = '' WHERE id = $1", None), (number % 2_000,))
    assert pipe.collect() == [1] * 22_000


def test_text_with_a_zero_byte_is_refused_and_not_cut_short(pipe: Pipeline) -> None:
    pipe.send(KEEP, (1, "seen\x00hidden", b""))
    assert pipe.collect() == [Problem("22021")]


@pytest.mark.parametrize("value", [0.5, object(), bytearray(b"x"), [1]])
def test_what_is_no_value_of_a_row_is_not_sent(pipe: Pipeline, value: Any) -> None:
    with pytest.raises(TypeError):
        pipe.send(KEEP, (value, "", b""))
    assert pipe.collect() == []


def test_whole_numbers_have_no_bound_of_their_own() -> None:
    assert encoded((2**70, -1, True, "é", b"", None))[0] == [b"%d" % 2**70, b"-1", b"1", "é".encode(), b"", None]


def test_a_connection_that_was_cut_is_lost(pipe: Pipeline, on_postgres: PostgresPlace) -> None:
    def ask() -> None:
        pipe.say("SELECT 1")
        pipe.collect()

    ask()
    on_postgres.sql("SELECT pg_terminate_backend(?, 5000)", pipe.backend)
    for _ in range(2):
        with pytest.raises(ConnectionLost) as caught:
            ask()
        assert caught.value.why in {"57P01", "closed"}


def test_a_server_that_says_nothing_is_given_up(connection: psycopg.Connection[Any]) -> None:
    pipe = Pipeline(connection, silence_ms=50)
    pipe.say("SELECT pg_sleep(5)")
    began = time.monotonic()
    with pytest.raises(ConnectionLost) as caught:
        pipe.collect()
    assert caught.value.why == "silent"
    assert time.monotonic() - began < 2


def test_an_answer_shows_no_row(pipe: Pipeline) -> None:
    pipe.send(KEEP, (1, "As-Kd", b""))
    pipe.send(KEEP, (1, "As-Kd", b""))
    assert "As" not in repr(pipe.collect())
