from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from app.store.errors import UnreadableEvent
from app.store.keys import KEY_BYTES, KeyRing, WrappedKey
from app.store.sealing import HandSeal, Seals
from engine.rules.events import HandId
from engine.table.events import TableId

T1, T2 = TableId("t1"), TableId("t2")
H1, H2 = HandId("t1-1"), HandId("t1-2")
OLD, NEW = b"o" * KEY_BYTES, b"n" * KEY_BYTES


def seals(keys: dict[str, bytes] | None = None, *, seed: int = 1, max_kept: int = 10) -> Seals:
    return Seals(KeyRing(keys or {"old": OLD}), entropy=random.Random(seed).randbytes, max_kept=max_kept)


def opens(reader: HandSeal, sealed: bytes) -> bool:
    try:
        return reader.open(sealed, seq=3, public=b"{}") == b"secret"
    except UnreadableEvent:
        return False


def test_a_hand_s_key_is_fresh_and_opens_what_it_sealed() -> None:
    made = seals()
    first = made.begin(T1, H1)
    sealed = made.running(T1).close(b"secret", seq=3, public=b"{}")  # type: ignore[union-attr]
    second = made.begin(T1, H2)
    assert first.wrapped != second.wrapped
    assert opens(seals().of(T1, H1, first), sealed)
    assert not opens(made.running(T1), sealed)  # type: ignore[arg-type]


@pytest.mark.parametrize(("table", "hand"), [(T2, H1), (T1, H2)])
def test_a_key_is_unwrapped_for_its_own_table_and_hand_alone(table: TableId, hand: HandId) -> None:
    kept = seals().begin(T1, H1)
    with pytest.raises(UnreadableEvent) as caught:
        seals().of(table, hand, kept)
    assert caught.value.fields == {"reason": "key_not_unwrapped", "key": "old"}


@pytest.mark.parametrize(
    "other",
    [
        lambda key, source: HandSeal(key, table=T2, hand=H1, entropy=source),
        lambda key, source: HandSeal(key, table=T1, hand=H2, entropy=source),
        lambda key, source: HandSeal(key, table=TableId('t1","t1-1'), hand=HandId(""), entropy=source),
    ],
)
def test_a_card_moved_to_another_table_or_hand_does_not_open(
    other: Callable[[bytes, Callable[[int], bytes]], HandSeal],
) -> None:
    source = random.Random(1).randbytes
    key = source(KEY_BYTES)
    sealed = HandSeal(key, table=T1, hand=H1, entropy=source).close(b"secret", seq=3, public=b"{}")
    assert opens(HandSeal(key, table=T1, hand=H1, entropy=source), sealed)
    assert not opens(other(key, source), sealed)


def test_equal_cards_are_sealed_to_different_bytes() -> None:
    made = seals()
    made.begin(T1, H1)
    seal = made.running(T1)
    assert seal is not None
    assert len({seal.close(b"secret", seq=3, public=b"{}") for _ in range(100)}) == 100


def test_one_source_gives_the_same_bytes_again() -> None:
    def sealed(seed: int) -> tuple[WrappedKey, bytes]:
        made = seals(seed=seed)
        kept = made.begin(T1, H1)
        return kept, made.running(T1).close(b"secret", seq=3, public=b"{}")  # type: ignore[union-attr]

    assert sealed(5) == sealed(5)
    assert sealed(5) != sealed(6)


def test_keys_at_hand_are_bounded_and_the_one_least_lately_used_goes() -> None:
    made = seals(max_kept=2)
    made.begin(T1, H1)
    made.begin(T2, HandId("t2-1"))
    assert made.running(T1) is not None
    made.begin(TableId("t3"), HandId("t3-1"))
    assert made.running(T2) is None
    assert made.running(T1) is not None
    made.forget(T1)
    assert made.running(T1) is None
    made.forget(T1)


def test_a_resumed_hand_is_sealed_on_with_its_own_key() -> None:
    kept = seals().begin(T1, H1)
    after = seals({"new": NEW, "old": OLD}, seed=9)
    after.resume(T1, H1, kept)
    sealed = after.running(T1).close(b"secret", seq=3, public=b"{}")  # type: ignore[union-attr]
    assert opens(seals().of(T1, H1, kept), sealed)


def test_a_key_that_is_wrapped_again_is_the_same_key() -> None:
    before = seals()
    kept = before.begin(T1, H1)
    sealed = before.running(T1).close(b"secret", seq=3, public=b"{}")  # type: ignore[union-attr]
    both = seals({"new": NEW, "old": OLD}, seed=2)
    again = both.rewrap(T1, H1, kept)
    assert again is not None
    assert again.key_id == "new"
    assert both.rewrap(T1, H1, again) is None, "it is wrapped by the current key"
    assert opens(seals({"new": NEW}).of(T1, H1, again), sealed), "the old key is needed no more"
    with pytest.raises(UnreadableEvent) as caught:
        seals({"new": NEW}).of(T1, H1, kept)
    assert caught.value.fields == {"reason": "unknown_key", "key": "old"}


def test_nothing_shows_a_key() -> None:
    made = seals()
    kept = made.begin(T1, H1)
    seal = made.running(T1)
    shown = f"{made} {seal!r} {kept} {KeyRing({'old': OLD})!r}"
    assert shown == "<Seals of 1 running hands> <HandSeal of t1-1> <WrappedKey by old> <KeyRing of 1>"
