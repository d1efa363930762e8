"""What is PostgreSQL's own about group commits: cut connections, servers that go away, locks, a second server."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.store.batches import Undecided, Unsettled
from app.store.errors import StoreInUse, StoreUnreachable
from app.store.postgres_batches import PostgresBatches
from app.store.postgres_sessions import Patience
from app.store.urls import place_of
from app.store.writes import Write
from engine.table.errors import CommitFailed
from tests.app.store.cuts import Cuts
from tests.app.store.places import PostgresPlace
from tests.app.store.small_writes import Clock, add, codes, rename

QUICK = Patience(reconnect_ms=5_000, lock_wait_ms=200, takeover_ms=1_000)


def url_of(place: PostgresPlace) -> URL:
    url = place_of(place.url)
    assert isinstance(url, URL)
    return url


@pytest.fixture
def place(on_postgres: PostgresPlace) -> PostgresPlace:
    return on_postgres


@pytest.fixture
def cuts(place: PostgresPlace) -> Cuts:
    return Cuts(place)


@contextmanager
def opened(place: PostgresPlace, cuts: Cuts, patience: Patience = QUICK) -> Iterator[PostgresBatches]:
    made = PostgresBatches(url_of(place), now_ms=Clock(), pipeline_class=cuts.pipeline_class(), patience=patience)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def batches(place: PostgresPlace, cuts: Cuts) -> Iterator[PostgresBatches]:
    with opened(place, cuts) as made:
        yield made


def mark(place: PostgresPlace, epoch: int) -> int:
    ((batch,),) = place.sql("SELECT batch FROM server_epochs WHERE epoch = ?", epoch)
    return int(batch)


def test_a_batch_is_one_transaction_and_one_question_a_lot(
    place: PostgresPlace, batches: PostgresBatches, cuts: Cuts
) -> None:
    batches.run([add(f"p{number}") for number in range(200)])
    assert cuts.said.count("COMMIT") == 1
    assert cuts.said.count("SAVEPOINT a_lot") == 4
    ((transactions,),) = place.sql("SELECT count(DISTINCT xmin::text) FROM players")
    assert transactions == 4, "one for each lot's savepoint, whatever the number of writes"


def test_the_rows_of_a_step_go_in_few_statements(place: PostgresPlace, batches: PostgresBatches) -> None:
    place.sql("CREATE TABLE inserts (number bigint)")
    place.sql(
        "CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN INSERT INTO inserts SELECT count(*) FROM new_rows; RETURN NULL; END'"
    )
    place.sql(
        "CREATE TRIGGER counted AFTER INSERT ON players REFERENCING NEW TABLE AS new_rows "
        "FOR EACH STATEMENT EXECUTE FUNCTION counted()"
    )
    batches.run([add(*(f"p{number}" for number in range(19))), add("ann"), add("bob", "cid")])
    assert place.sql("SELECT number FROM inserts") == [(8,), (8,), (3,), (1,), (2,)]


def test_nothing_but_refusals_costs_a_question_each(place: PostgresPlace, batches: PostgresBatches, cuts: Cuts) -> None:
    batches.run([add("taken")])
    cuts.said.clear()
    results = batches.run([add("taken") for _ in range(200)])
    assert codes(results) == ["account/name_taken"] * 200
    assert cuts.said.count("SAVEPOINT a_lot") == 200
    assert cuts.said[-1] == "ROLLBACK"


def test_a_connection_cut_while_nothing_was_written_is_not_noticed(
    place: PostgresPlace, batches: PostgresBatches, cuts: Cuts
) -> None:
    batches.run([add("ann")])
    place.cut_all()
    assert batches.run([add("bob")]) == [None]
    assert place.names() == ["ann", "bob"]
    assert mark(place, batches.epoch) == 2


@pytest.mark.parametrize("at", ["BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK TO"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_connection_cut_before_commit_is_not_noticed(
    place: PostgresPlace, batches: PostgresBatches, cuts: Cuts, at: str, when: Any
) -> None:
    batches.run([add("taken")])
    cuts.plan(at, when)
    results = batches.run([add("ann"), add("taken"), add("bob")])
    assert codes(results) == [None, "account/name_taken", None]
    assert place.names() == ["ann", "bob", "taken"]
    assert mark(place, batches.epoch) == 2
    assert len(cuts.backends) == 1


def test_a_connection_cut_again_and_again_fails_the_batch(
    place: PostgresPlace, batches: PostgresBatches, cuts: Cuts
) -> None:
    cuts.plan("SAVEPOINT", "after")
    cuts.plan("SAVEPOINT", "after")
    results = batches.run([add("ann"), add("bob")])
    assert all(isinstance(result, CommitFailed) for result in results)
    assert results[0] is not results[1]
    assert place.names() == []
    assert batches.run([add("ann")]) == [None]


def test_a_commit_that_was_never_sent_is_settled_as_not_standing(
    place: PostgresPlace, batches: PostgresBatches, cuts: Cuts
) -> None:
    cuts.plan("COMMIT", "before")
    with pytest.raises(Undecided) as caught:
        batches.run([add("ann"), add("ann")])
    assert codes(caught.value.results) == [None, "account/name_taken"]
    assert batches.settle() is False
    assert place.names() == []
    assert batches.run([add("ann")]) == [None]


def test_a_commit_whose_answer_was_lost_is_settled_as_standing(
    place: PostgresPlace, batches: PostgresBatches, cuts: Cuts
) -> None:
    cuts.plan("COMMIT", "after")
    with pytest.raises(Undecided):
        batches.run([add("ann")])
    assert batches.settle() is True
    assert place.names() == ["ann"]
    assert batches.run([add("bob")]) == [None]
    assert mark(place, batches.epoch) == 2


SLOW_COMMIT = """
    CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER dawdle AFTER INSERT ON players DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION dawdle();
"""


@pytest.mark.parametrize("takeover_ms", [0, 5_000])
def test_a_commit_that_is_still_on_its_way_is_not_settled_before_it_has_ended(
    place: PostgresPlace, cuts: Cuts, takeover_ms: int
) -> None:
    """The connection was given up while the server still commits: what it says later must not come as a surprise."""
    place.sql(SLOW_COMMIT)
    with opened(place, cuts, Patience(silence_ms=100, takeover_ms=takeover_ms)) as batches:
        with pytest.raises(Undecided):
            batches.run([add("ann")])
        stands = settled(batches)
        assert (place.names() == ["ann"]) == stands
        time.sleep(0.7)
        assert (place.names() == ["ann"]) == stands, "and it stays so"


def settled(batches: PostgresBatches) -> bool:
    for _ in range(500):
        try:
            return batches.settle()
        except Unsettled:
            time.sleep(0.01)
    raise AssertionError("it never settles")


def test_a_commit_that_the_server_refuses_has_failed(place: PostgresPlace, batches: PostgresBatches) -> None:
    place.sql(SLOW_COMMIT.replace("PERFORM pg_sleep(0.5); RETURN NULL", "RAISE EXCEPTION USING MESSAGE = ''no''"))
    (result,) = batches.run([add("ann")])
    assert isinstance(result, CommitFailed)
    place.sql("DROP TRIGGER dawdle ON players")
    assert place.names() == []
    assert batches.run([add("ann")]) == [None]


@pytest.mark.parametrize("order", ["restart", "crash"])
def test_a_server_that_comes_back_is_gone_on_with(place: PostgresPlace, batches: PostgresBatches, order: Any) -> None:
    batches.run([add("ann")])
    place.server.order(order)
    assert batches.run([add("bob")]) == [None]
    assert place.names() == ["ann", "bob"]


def test_a_server_that_is_gone_is_waited_for(place: PostgresPlace, batches: PostgresBatches) -> None:
    batches.run([add("ann")])
    place.server.order("stop")
    back = threading.Timer(0.5, place.server.order, ("start",))
    back.start()
    try:
        assert batches.run([add("bob")]) == [None]
    finally:
        back.join()
    assert place.names() == ["ann", "bob"]


def test_a_server_that_stays_away_fails_writes_soon_and_later_at_once(place: PostgresPlace, cuts: Cuts) -> None:
    with opened(place, cuts, Patience(reconnect_ms=300)) as batches:
        place.server.order("stop")
        try:
            began = time.monotonic()
            (result,) = batches.run([add("ann")])
            assert isinstance(result, CommitFailed)
            assert result.fields["reason"] == "not_written"
            assert time.monotonic() - began < 3
            batches.beat()
            began = time.monotonic()
            assert codes(batches.run([add("ann")])) == ["fault/commit_failed"]
            assert time.monotonic() - began < 0.3
        finally:
            place.server.order("start")
        assert batches.run([add("bob")]) == [None]
        assert place.names() == ["bob"]


def test_what_is_undecided_stays_so_while_the_server_is_gone(
    place: PostgresPlace, batches: PostgresBatches, cuts: Cuts
) -> None:
    cuts.plan("COMMIT", "after")
    with pytest.raises(Undecided):
        batches.run([add("ann")])
    place.server.order("stop")
    try:
        for _ in range(2):
            with pytest.raises(Unsettled):
                batches.settle()
    finally:
        place.server.order("start")
    assert batches.settle() is True
    assert place.names() == ["ann"]


def test_a_beat_notices_a_lost_connection_and_the_next_one_lives_again(
    place: PostgresPlace, batches: PostgresBatches, cuts: Cuts
) -> None:
    place.cut_all()
    batches.beat()
    before = place.sql("SELECT alive_ms FROM server_epochs")
    batches.beat()
    assert place.sql("SELECT alive_ms FROM server_epochs") > before


def test_a_row_that_somebody_holds_fails_its_own_writes_in_bounded_time(
    place: PostgresPlace, batches: PostgresBatches
) -> None:
    batches.run([add("ann"), add("bob")])
    with psycopg.connect(place.url) as other:
        other.execute("SELECT * FROM players WHERE id = 'ann' FOR UPDATE")
        began = time.monotonic()
        stuck = [Write("stuck", (rename("ann", f"Ann{number}"),)) for number in range(10)]
        results = batches.run([add("cid"), *stuck, Write("free", (rename("bob", "Bob"),)), add("dan")])
        assert time.monotonic() - began < 0.2 + 10 * 0.06 + 1
    assert codes(results) == [None, *["fault/commit_failed"] * 10, None, None]
    assert results[1] is not None
    assert results[1].fields == {"reason": "not_written", "error": "lock_not_available"}
    assert sorted(place.names()) == ["Bob", "ann", "cid", "dan"]
    assert batches.run([stuck[0]]) == [None]


def test_two_that_wait_for_each_other_are_parted(place: PostgresPlace, batches: PostgresBatches) -> None:
    """Another writer takes two rows the other way round: one of the two is told, and nobody waits for ever."""
    batches.run([add("ann"), add("bob")])
    with psycopg.connect(place.url) as other:
        other.execute("SET deadlock_timeout = '10ms'")
        other.execute("UPDATE players SET name = 'B' WHERE id = 'bob'")

        def cross() -> None:
            with suppress(psycopg.errors.DeadlockDetected):
                other.execute("UPDATE players SET name = 'A' WHERE id = 'ann'")

        crossing = threading.Timer(0.05, cross)
        crossing.start()
        results = batches.run([Write("cross", (rename("ann", "x"), rename("bob", "y"))), add("cid")])
        crossing.join(10)
        assert not crossing.is_alive()
    assert results[1] is None
    assert results[0] is None or isinstance(results[0], CommitFailed)


def test_a_second_server_is_refused(place: PostgresPlace, batches: PostgresBatches) -> None:
    with pytest.raises(StoreInUse) as caught:
        PostgresBatches(url_of(place), now_ms=Clock(), patience=Patience(takeover_ms=100))
    assert "in use by process" in str(caught.value)
    assert batches.run([add("ann")]) == [None]
    assert place.sql("SELECT count(*) FROM server_epochs") == [(1,)], "it left nothing behind"


def test_who_lost_the_database_to_another_server_gives_up(place: PostgresPlace, cuts: Cuts) -> None:
    with opened(place, cuts) as first:
        # Between its connection's end and its next try another server comes.
        place.cut_all()
        with opened(place, Cuts(place)) as second:
            with pytest.raises(StoreInUse):
                first.run([add("ann")])
            assert second.run([add("bob")]) == [None]
    assert place.names() == ["bob"]


def test_who_comes_back_after_another_server_has_been_there_gives_up(place: PostgresPlace, cuts: Cuts) -> None:
    with opened(place, cuts) as first:
        place.cut_all()
        with opened(place, Cuts(place)) as second:
            second.run([add("bob")])
        with pytest.raises(StoreInUse):
            first.run([add("ann")])
    assert place.names() == ["bob"]


def test_a_batch_without_its_row_of_epochs_is_not_kept(place: PostgresPlace, batches: PostgresBatches) -> None:
    """Without its number nobody could tell later whether it stands."""
    place.sql("DELETE FROM server_epochs")
    results = batches.run([add("ann"), add("bob")])
    assert [result and result.fields for result in results] == [{"reason": "not_written", "error": "no_epoch"}] * 2
    assert place.names() == []


def test_a_server_that_is_not_there_at_the_start_is_told() -> None:
    url = place_of("postgresql://ann@127.0.0.1:1/avenue")
    assert isinstance(url, URL)
    with pytest.raises(StoreUnreachable):
        PostgresBatches(url, now_ms=Clock())


def test_who_reads_holds_up_no_commit(place: PostgresPlace, batches: PostgresBatches) -> None:
    with psycopg.connect(place.url) as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        reader.execute("SELECT * FROM players")
        assert batches.run([add("ann")]) == [None]
        assert reader.execute("SELECT count(*) FROM players").fetchone() == (0,)
