"""What every adapter of `Batches` must do, over SQLite and over PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import insert, update

from app.store.batches import Batches, not_written
from app.store.tables import accounts, entries, player_kinds, sessions
from app.store.writes import FOREIGN_KEY, GUARD, NOT_NULL, Statement, Step, Write, given
from engine.limits import MAX_CHIPS
from engine.table.errors import CommitFailed, CommitRefused
from tests.app.store.places import Place
from tests.app.store.small_writes import ADD, Clock, add, batches_in, codes, rename


@pytest.fixture
def batches(place: Place) -> Iterator[Batches]:
    made = batches_in(place)
    yield made
    made.close()


def epoch_row(place: Place, epoch: int) -> tuple[int, int, int]:
    (row,) = place.sql("SELECT started_ms, alive_ms, batch FROM server_epochs WHERE epoch = ?", epoch)
    found: tuple[int, int, int] = row
    return found


def test_a_batch_stands_with_its_number(place: Place, batches: Batches) -> None:
    assert batches.run([add("ann"), add("bob", "cid")]) == [None, None]
    assert batches.run([add("dan")]) == [None]
    assert place.names() == ["ann", "bob", "cid", "dan"]
    assert epoch_row(place, batches.epoch)[2] == 2


def test_a_refused_write_takes_back_its_own_and_no_other(place: Place, batches: Batches) -> None:
    batches.run([add("ann")])
    taken = Write("add dan, then ann", (*add("dan").steps, *add("ann").steps))
    results = batches.run([add("bob"), taken, add("cid")])
    assert codes(results) == [None, "account/name_taken", None]
    assert place.names() == ["ann", "bob", "cid"], "also dan is gone, who came before what was refused"


def test_later_writes_of_a_batch_see_earlier_ones(place: Place, batches: Batches) -> None:
    results = batches.run([Write("early", (rename("ann", "Ann"),)), add("ann"), Write("late", (rename("ann", "Ann"),))])
    assert codes(results) == ["account/unknown", None, None]
    assert place.names() == ["Ann"]


@pytest.mark.parametrize("at", [0, 1, 7, 8, 12, 19])
def test_many_rows_of_one_step_stand_together(place: Place, batches: Batches, at: int) -> None:
    """However many go in one statement: one that breaks takes all of its write back."""
    many = [f"p{number:02}" for number in range(20)]
    batches.run([add("taken")])
    twice = [*many[:at], "taken", *many[at:]]
    assert codes(batches.run([add(*twice), add("ann")])) == ["account/name_taken", None]
    assert place.names() == ["ann", "taken"]
    assert batches.run([add(*many)]) == [None]
    assert place.names() == ["ann", *many, "taken"]
    assert codes(batches.run([add(*many[3:5], "new", "new")])) == ["account/name_taken"]


def test_refusals_anywhere_in_a_large_batch_are_refused_alone(place: Place, batches: Batches) -> None:
    batches.run([add("taken")])
    bad = {0, 1, 5, 64, 65, 66, 130, 199}
    writes = [add("taken") if place in bad else add(f"p{place:03}") for place in range(200)]
    results = batches.run(writes)
    assert {number for number, result in enumerate(results) if result is not None} == bad
    assert place.names() == sorted(["taken", *(f"p{number:03}" for number in range(200) if number not in bad)])


def test_a_batch_of_refusals_is_not_committed(place: Place, batches: Batches) -> None:
    results = batches.run([add("ann", kind="ghost"), Write("none", (rename("bob", "Bob"),))])
    assert codes(results) == ["account/unknown_kind", "account/unknown"]
    assert epoch_row(place, batches.epoch)[2] == 0
    assert batches.run([add("ann")]) == [None]


def test_an_empty_write_stands(batches: Batches) -> None:
    assert batches.run([Write("nothing", ()), Write("no rows", (Step(ADD, (), changes=1),))]) == [None, None]


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, 0.5 + 1j, object(), "\ud800"])
def test_a_value_that_sql_cannot_hold_fails_its_own_write(place: Place, batches: Batches, value: object) -> None:
    broken = Write("broken", (Step(ADD, (("bob", "person", "bob", value, value),)),))  # type: ignore[arg-type]
    results = batches.run([add("ann"), broken, add("cid")])
    assert codes(results) == [None, "fault/commit_failed", None]
    assert results[1] is not None
    assert results[1].fields == {"reason": "bad_value"}
    assert place.names() == ["ann", "cid"]


def test_a_statement_that_is_none_fails_its_own_write(place: Place, batches: Batches) -> None:
    missing = Statement(insert(player_kinds).values(given("kind")), row=("kind", "more"))
    short = Write("short", (Step(ADD, (("bob",),)),))
    results = batches.run([add("ann"), Write("broken", (Step(missing, (("a", "b"),)),)), short])
    assert codes(results) == [None, "fault/commit_failed", "fault/commit_failed"]
    assert place.names() == ["ann"]


def test_what_the_database_does_not_know_fails_its_own_write_every_time(place: Place, batches: Batches) -> None:
    place.sql("ALTER TABLE sessions RENAME TO gone")
    gone = Statement(update(sessions).values(given("expires_ms")), row=("expires_ms",))
    for name in ("ann", "bob"):
        results = batches.run([add(name), Write("gone", (Step(gone, ((1,),)),)), add(f"{name}2")])
        assert codes(results) == [None, "fault/commit_failed", None]
        assert results[1] is not None
        assert results[1].fields == {"reason": "bad_statement"}
    assert place.names() == ["ann", "ann2", "bob", "bob2"]


def test_a_breach_that_nobody_foresaw_is_our_fault(batches: Batches) -> None:
    (result,) = batches.run([Write("ghost", (Step(ADD, (("ann", "ghost", "ann", "ann", 1),)),))])
    assert isinstance(result, CommitFailed)
    assert result.fields == {"reason": "broken", "breach": FOREIGN_KEY}


ACCOUNT = ("id", "kind", "floor_chips", "currency", "balance_chips", "entries")
MAKE_ACCOUNT = Statement(insert(accounts).values(given(*ACCOUNT)), row=ACCOUNT)


@pytest.mark.parametrize(
    ("write", "breach"),
    [
        (Step(ADD, (("ann", "person", None, "ann", 1),)), NOT_NULL),
        (Step(MAKE_ACCOUNT, (("w", "wallet", 0, "PLAY", -1, 0),)), "ck_accounts_floor"),
        (Step(MAKE_ACCOUNT, (("r", "rake", 0, "PLAY", MAX_CHIPS + 1, 0),)), "ck_accounts_balance_chips_bounds"),
        (Step(Statement(update(entries).values(given("amount_chips")), row=("amount_chips",)), ((1,),)), GUARD),
    ],
)
def test_a_breach_has_the_same_name_everywhere(place: Place, batches: Batches, write: Step, breach: str | None) -> None:
    place.sql("INSERT INTO transfers VALUES ('t', 'grant', 'PLAY', '', 1)")
    place.sql("INSERT INTO accounts VALUES ('a', 'rake', 0, NULL, NULL, 'PLAY', 5, 1)")
    place.sql("INSERT INTO entries VALUES ('t', 1, 'a', 'PLAY', 5, 1, 5)")
    (result,) = batches.run([Write("breach", (write,))])
    assert isinstance(result, CommitFailed)
    assert result.fields == {"reason": "broken", "breach": breach}


def test_every_start_has_an_epoch_of_its_own(place: Place, batches: Batches) -> None:
    batches.close()
    later = batches_in(place)
    assert (batches.epoch, later.epoch) == (1, 2)
    later.close()


def test_a_refusal_is_a_refusal_again(batches: Batches) -> None:
    batches.run([add("ann")])
    for _ in range(2):
        (result,) = batches.run([add("ann")])
        assert isinstance(result, CommitRefused)


def test_a_batch_and_a_beat_are_signs_of_life(place: Place, batches: Batches) -> None:
    started_ms, alive_ms, _ = epoch_row(place, batches.epoch)
    assert started_ms == alive_ms
    batches.run([add("ann")])
    after_batch_ms = epoch_row(place, batches.epoch)[1]
    batches.beat()
    assert alive_ms < after_batch_ms < epoch_row(place, batches.epoch)[1]


def test_what_was_not_written_says_why_in_one_word() -> None:
    cause = OSError("with a secret in it")
    fault = not_written(cause, "disk_full")
    assert fault.fields == {"reason": "not_written", "error": "disk_full"}
    assert fault.__cause__ is cause


def test_the_clock_of_these_tests_moves() -> None:
    clock = Clock()
    assert clock() < clock()
