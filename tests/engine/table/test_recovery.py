"""From checkpoint and journal back to the table; what does not continue it is refused."""

from collections.abc import Callable

import msgspec
import pytest

from engine.rules.actions import SeatNo
from engine.rules.cards import DECK
from engine.table.errors import JournalBroken
from engine.table.events import AnyEvent, PlayerLeft, TableOpened
from engine.table.recovery import decode_checkpoint, encode_checkpoint, recover
from tests.engine.table.desk import ANN, BOB, Desk, fingerprint

Row = tuple[int, int, AnyEvent]


def played() -> Desk:
    desk = Desk()
    for player in ("ann", "bob", "cid"):
        desk.sit(player)
    desk.sit_out("cid")
    desk.deal()
    desk.top_up("ann", 100)
    desk.act_first("bring_in")
    desk.act_first("call")
    desk.wait(25_000)
    return desk


def test_a_checkpoint_gives_the_same_state_again() -> None:
    desk = played()
    desk.play_out("check", "call", "bring_in")
    data = encode_checkpoint(desk.state)
    assert fingerprint(decode_checkpoint(data)) == fingerprint(desk.state)
    assert encode_checkpoint(decode_checkpoint(data)) == data


def test_no_checkpoint_stands_in_a_hand_so_none_holds_a_card() -> None:
    desk = played()
    with pytest.raises(ValueError, match="between hands"):
        encode_checkpoint(desk.state)
    desk.play_out("check", "call", "bring_in")
    text = encode_checkpoint(desk.state).decode()
    assert not [card for card in DECK if f'"{card}"' in text]


def test_all_events_from_the_first_give_the_table_again() -> None:
    desk = played()
    assert fingerprint(recover(None, desk.rows)) == fingerprint(desk.state)


def test_a_checkpoint_and_what_came_after_it_give_the_table_again() -> None:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    data, seq = encode_checkpoint(desk.state), desk.state.seq
    desk.deal()
    desk.act_first("bring_in")
    assert fingerprint(recover(data, desk.rows[seq:])) == fingerprint(desk.state)


@pytest.mark.parametrize("commits", range(1, 12))
def test_b179_after_each_commit_of_a_hand_the_same_turn_stands_open(commits: int) -> None:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    desk.deal()
    for _ in range(commits):
        if desk.state.hand is not None:
            desk.act_first("bring_in", "call", "check")
    recovered = recover(None, desk.rows)
    assert recovered.turns == desk.state.turns
    assert fingerprint(recovered) == fingerprint(desk.state)


def gap(rows: list[Row]) -> list[Row]:
    return rows[:5] + rows[6:]


def doubled(rows: list[Row]) -> list[Row]:
    return [*rows[:5], rows[4], *rows[5:]]


def headless(rows: list[Row]) -> list[Row]:
    return [(seq - 1, at_ms, event) for seq, at_ms, event in rows[1:]]


def opened_twice(rows: list[Row]) -> list[Row]:
    return [rows[0], (2, rows[0][1], rows[0][2])]


def misfit(rows: list[Row]) -> list[Row]:
    seq, at_ms, _ = rows[-1]
    left = PlayerLeft(seat=SeatNo(8), player=ANN, cashed_out_chips=1, reason="absent")
    return [*rows, (seq + 1, at_ms, left)]


def out_of_order(rows: list[Row]) -> list[Row]:
    swapped = [event for _, _, event in rows]
    swapped[1], swapped[-1] = swapped[-1], swapped[1]
    return [(seq, at_ms, event) for (seq, at_ms, _), event in zip(rows, swapped, strict=True)]


def cut_in_a_commit(rows: list[Row]) -> list[Row]:
    return rows[: next(at for at, (_, _, event) in enumerate(rows) if type(event).__name__ == "TurnOpened")]


@pytest.mark.parametrize("broken", [gap, doubled, headless, opened_twice, misfit, out_of_order, cut_in_a_commit])
def test_a_journal_that_does_not_continue_is_refused(broken: Callable[[list[Row]], list[Row]]) -> None:
    with pytest.raises(JournalBroken) as refused:
        recover(None, broken(played().rows))
    told = str(refused.value.fields)
    assert not [card for card in DECK if f"'{card}'" in told]


def test_a_journal_of_nothing_is_refused() -> None:
    with pytest.raises(JournalBroken):
        recover(None, [])


def test_a_tail_that_does_not_follow_its_checkpoint_is_refused() -> None:
    desk = Desk()
    desk.sit("ann")
    data = encode_checkpoint(desk.state)
    with pytest.raises(JournalBroken):
        recover(data, desk.rows)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b'{"format":1}'])
def test_bytes_that_are_no_checkpoint_are_refused(data: bytes) -> None:
    with pytest.raises(JournalBroken):
        recover(data, [])


def test_a_checkpoint_of_a_later_format_is_refused() -> None:
    desk = Desk()
    kept = msgspec.json.decode(encode_checkpoint(desk.state))
    with pytest.raises(JournalBroken) as refused:
        decode_checkpoint(msgspec.json.encode(kept | {"format": 2}))
    assert refused.value.fields["reason"] == "checkpoint_format"


def test_a_checkpoint_that_breaks_a_law_is_refused() -> None:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    kept = msgspec.json.decode(encode_checkpoint(desk.state))
    kept["seats"][1]["player"] = ANN
    with pytest.raises(JournalBroken) as refused:
        recover(msgspec.json.encode(kept), [])
    assert refused.value.fields["law"] == "a player has one seat at a table"
    assert BOB not in str(refused.value.fields)


def test_the_first_event_alone_is_a_table() -> None:
    desk = Desk()
    assert isinstance(desk.rows[0][2], TableOpened)
    assert fingerprint(recover(None, desk.rows)) == fingerprint(desk.state)
