"""The token bucket on a clock of its own."""

from app.gateway.bucket import TokenBucket


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_then_a_rate() -> None:
    clock = Clock()
    bucket = TokenBucket(per_second=20, burst=3, now=clock)
    assert [bucket.take() for _ in range(4)] == [0, 0, 0, 50]
    clock.now += 0.04
    assert bucket.take() == 10
    clock.now += 0.011
    assert bucket.take() == 0
    assert bucket.take() > 0


def test_it_fills_up_to_the_burst_and_no_further() -> None:
    clock = Clock()
    bucket = TokenBucket(per_second=20, burst=3, now=clock)
    clock.now += 3600
    assert [bucket.take() for _ in range(4)] == [0, 0, 0, 50]


def test_the_wait_that_it_names_is_enough() -> None:
    clock = Clock()
    bucket = TokenBucket(per_second=3, burst=1, now=clock)
    bucket.take()
    for _ in range(50):
        wait_ms = bucket.take()
        assert wait_ms > 0
        clock.now += (wait_ms + 1) / 1000
        assert bucket.take() == 0


def test_a_refused_take_costs_nothing() -> None:
    clock = Clock()
    bucket = TokenBucket(per_second=1, burst=1, now=clock)
    bucket.take()
    clock.now += 0.5
    for _ in range(100):
        assert bucket.take() > 0
    clock.now += 0.5
    assert bucket.take() == 0
