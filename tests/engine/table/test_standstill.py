"""When a table stands still, for how long, and what its clocks are owed."""

from engine.limits import MAX_RETRY_PAUSE_MS, SLOW_COMMIT_MS
from engine.table.standstill import RETRY_PAUSES_MS, Standstill

SLOW = 3 * SLOW_COMMIT_MS


def test_a_quick_commit_is_nothing() -> None:
    still = Standstill()
    assert not still.keeps(1_000, 1_000 + SLOW_COMMIT_MS - 1, clocks_go_on=True, said=False)
    assert (still.owed_ms, still.unsaid, still.reason) == (0, False, None)
    assert still.stood_ms(5_000) == 5_000


def test_a_slow_one_is_owed_until_it_is_said() -> None:
    still = Standstill()
    assert still.slow()
    assert not still.slow(), "it is news once"
    assert still.takes_nothing
    assert not still.failed
    assert still.keeps(1_000, 1_000 + SLOW, clocks_go_on=True, said=False)
    assert (still.owed_ms, still.unsaid, still.back_ms) == (SLOW, True, 1_000 + SLOW)
    assert still.stood_ms(9_000) == 9_000 - SLOW
    assert not still.keeps(9_000, 9_001, clocks_go_on=False, said=True)
    assert (still.owed_ms, still.unsaid) == (0, False)


def test_what_is_owed_adds_up_as_long_as_a_turn_stays_open() -> None:
    still = Standstill()
    still.keeps(0, SLOW, clocks_go_on=True, said=False)
    still.keeps(SLOW, 2 * SLOW, clocks_go_on=True, said=False)
    assert still.owed_ms == 2 * SLOW
    still.keeps(0, SLOW, clocks_go_on=False, said=False)
    assert still.owed_ms == SLOW, "the turn that a slow commit opened is owed that commit alone"


def test_what_it_took_to_say_it_is_owed_and_not_said_at_once() -> None:
    still = Standstill()
    still.keeps(0, SLOW, clocks_go_on=False, said=True)
    assert (still.owed_ms, still.unsaid) == (SLOW, False)
    still.keeps(0, 1, clocks_go_on=True, said=False)
    assert still.unsaid, "with the next commit that is there in time"


def test_failures_count_from_the_first_and_come_further_apart() -> None:
    still = Standstill()
    still.keeps(0, SLOW, clocks_go_on=True, said=False)
    assert still.fails(10_000, 10_500)
    assert still.retry_ms == 10_500 + RETRY_PAUSES_MS[0]
    assert (still.failed, still.takes_nothing, still.unsaid) == (True, True, False)
    for pause_ms in (*RETRY_PAUSES_MS[1:], MAX_RETRY_PAUSE_MS, MAX_RETRY_PAUSE_MS):
        assert not still.fails(20_000, 20_000)
        assert still.retry_ms == 20_000 + pause_ms
    assert still.stood_ms(99_000) == 10_000 - SLOW
    assert not still.slow(), "that it is slow too is no news"
    assert still.keeps(90_000, 90_001, clocks_go_on=False, said=True)
    assert (still.reason, still.stood_ms(99_000), still.back_ms) == (None, 99_000, 90_001)
    still.fails(0, 0)
    assert still.retry_ms == RETRY_PAUSES_MS[0], "the pauses begin anew"


def test_a_commit_of_which_nobody_knows_counts_from_its_beginning() -> None:
    still = Standstill()
    still.holds_since(1_000)
    still.holds_since(2_000)
    assert still.stood_ms(50_000) == 1_000


def test_a_table_that_is_read_back_takes_commands_already() -> None:
    still = Standstill("recovering", back_ms=7)
    assert not still.takes_nothing
    assert still.back_ms == 7
    assert still.keeps(8, 9, clocks_go_on=False, said=True)
    assert still.reason is None
