"""One timer, set anew as often as one likes, that rings once."""

from engine.table.timer import OneTimer
from tests.fakes import VirtualClock


async def test_it_rings_at_the_moment_that_it_was_set_to_last() -> None:
    clock, rang = VirtualClock(), list[int]()
    timer = OneTimer(clock, lambda: rang.append(clock.now_ms()))
    now_ms = clock.now_ms()
    timer.set(now_ms + 50)
    timer.set(now_ms + 10)
    timer.set(now_ms + 30)
    assert clock.waiting == [now_ms + 30]
    await clock.advance(100)
    assert rang == [now_ms + 30]
    assert clock.waiting == []


async def test_set_to_the_same_moment_again_it_stays_as_it_is_and_after_ringing_it_rings_again() -> None:
    clock, rang = VirtualClock(), list[int]()
    timer = OneTimer(clock, lambda: rang.append(clock.now_ms()))
    due_ms = clock.now_ms() + 5
    for _ in range(3):
        timer.set(due_ms)
        assert clock.waiting == [due_ms]
        await clock.advance(5)
        assert clock.waiting == []
        timer.set(due_ms)
        await clock.advance(0)
    assert len(rang) == 6


async def test_set_to_never_it_does_not_ring() -> None:
    clock, rang = VirtualClock(), list[int]()
    timer = OneTimer(clock, lambda: rang.append(1))
    timer.set(None)
    timer.set(clock.now_ms() + 5)
    timer.set(None)
    await clock.advance(100)
    assert (rang, clock.waiting) == ([], [])
