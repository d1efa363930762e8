"""From checkpoint and journal back to the table; what does not continue it is refused."""

from collections.abc import Callable

import msgspec
import pytest
from msgspec.structs import replace

from engine.rules import betting, stud
from engine.rules.actions import SeatNo
from engine.rules.cards import DECK
from engine.rules.events import (
    AntePosted,
    BringInPosted,
    Called,
    HandCancelled,
    HandEvent,
    HandStarted,
    PlayerId,
)
from engine.rules.stud_hand import StudHand
from engine.rules.variants import RULES_NUMBER
from engine.rules.views import view_event
from engine.table.commands import CancelHand
from engine.table.decide import Decision, decide
from engine.table.errors import JournalBroken
from engine.table.events import AnyEvent, PlayerLeft, PlayerSat, TableOpened
from engine.table.recovery import (
    DISPENSABLE,
    bring_back,
    bring_back_seats,
    decode_checkpoint,
    encode_checkpoint,
    recover,
    recover_seats,
)
from engine.table.state import TableState
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


def mid_hand() -> Desk:
    """A hand runs; since it began, Ann has topped up, Dan has sat down, Cid has left, and Bob wishes to."""
    desk = Desk()
    for player in ("ann", "bob", "cid"):
        desk.sit(player)
    desk.sit_out("cid")
    desk.deal()
    desk.act_first("bring_in")
    desk.top_up("ann", 100)
    desk.sit("dan", 500)
    desk.stand_up("cid")
    desk.act_first("call", "check")
    if desk.on_turn() == "bob":
        desk.act_first("check", "call")
    desk.stand_up("bob")
    assert desk.state.hand is not None
    return desk


def checkpointed(desk: Desk) -> tuple[bytes, list[Row]]:
    """What stands in the journal: the state before the running hand, and the events since."""
    began = next(at for at, (_, _, event) in enumerate(desk.rows) if isinstance(event, HandStarted))
    return encode_checkpoint(recover(None, desk.rows[:began])), desk.rows[began:]


def cancelled(state: TableState, reason: str = "journal") -> Decision:
    return decide(state, CancelHand(reason=reason), 1)


def seen(rows: list[Row]) -> list[tuple[int, int, AnyEvent | None]]:
    """All that is left of a journal whose cards cannot be read: seats and what the public sees."""
    return [
        (seq, at_ms, None if event.__struct_config__.tag in DISPENSABLE else view_event(event, None))
        for seq, at_ms, event in rows
    ]


@pytest.mark.parametrize("read", [list, seen])
def test_the_seats_alone_are_brought_back_and_the_hand_as_it_began(
    read: Callable[[list[Row]], list[tuple[int, int, AnyEvent | None]]],
) -> None:
    desk = mid_hand()
    checkpoint, rows = checkpointed(desk)
    state = recover_seats(checkpoint, read(rows))
    assert state.seats == desk.state.seats
    assert (state.seq, state.at_ms, state.cast, state.hands) == (
        desk.state.seq,
        desk.state.at_ms,
        desk.state.cast,
        desk.state.hands,
    )
    again, live = cancelled(state), cancelled(desk.state)
    assert again.events == live.events, "cancelled, it is all the same"
    assert again.transfers == live.transfers
    assert encode_checkpoint(again.state) == encode_checkpoint(live.state)


def test_all_hands_before_it_are_passed_over_too() -> None:
    desk = played()
    desk.play_out("check", "call", "bring_in")
    desk.sit_in("cid")
    desk.deal()
    state = recover_seats(None, desk.rows)
    assert {seat.player: seat.account_chips for seat in state.seats.values()} == {
        seat.player: seat.account_chips for seat in desk.state.seats.values()
    }
    assert state.hands == desk.state.hands == 2


def test_without_a_hand_the_seats_are_the_whole_table() -> None:
    desk = Desk()
    desk.sit("ann")
    data = encode_checkpoint(desk.state)
    assert fingerprint(recover_seats(data, [])) == fingerprint(desk.state)
    assert bring_back_seats(data, [], {ANN: 1_000}).void is None


def test_what_the_ledger_holds_must_be_what_the_seats_hold() -> None:
    desk = mid_hand()
    checkpoint, rows = checkpointed(desk)
    held = {seat.player: seat.account_chips for seat in desk.state.seats.values()}
    assert bring_back_seats(checkpoint, seen(rows), held | {PlayerId("gone"): 0}).void == "journal"
    for wrong in (held | {ANN: held[ANN] - 1}, held | {PlayerId("gone"): 1}, {}):
        with pytest.raises(JournalBroken) as refused:
            bring_back_seats(checkpoint, seen(rows), wrong)
        assert refused.value.fields["reason"] == "ledger"


def hole(rows: list[Row]) -> list[Row]:
    return rows[:3] + rows[4:]


def begun_twice(rows: list[Row]) -> list[Row]:
    seq, at_ms, _ = rows[-1]
    return [*rows, (seq + 1, at_ms, rows[0][2])]


def seat_taken_twice(rows: list[Row]) -> list[Row]:
    sat = next(event for _, _, event in rows if isinstance(event, PlayerSat))
    return [*rows, (rows[-1][0] + 1, rows[-1][1], sat)]


def two_seats(rows: list[Row]) -> list[Row]:
    sat = next(event for _, _, event in rows if isinstance(event, PlayerSat))
    return [*rows, (rows[-1][0] + 1, rows[-1][1], replace(sat, seat=SeatNo(8)))]


@pytest.mark.parametrize("broken", [hole, begun_twice, seat_taken_twice, two_seats])
def test_seats_that_are_not_sure_are_not_brought_back(broken: Callable[[list[Row]], list[Row]]) -> None:
    checkpoint, rows = checkpointed(mid_hand())
    with pytest.raises(JournalBroken):
        recover_seats(checkpoint, broken(rows))
    with pytest.raises(JournalBroken):
        bring_back(checkpoint, broken(rows))


def test_an_event_that_is_needed_may_not_be_missing() -> None:
    checkpoint, rows = checkpointed(mid_hand())
    for at, (seq, at_ms, event) in enumerate(rows):
        if event.__struct_config__.tag not in DISPENSABLE:
            gone: list[tuple[int, int, AnyEvent | None]] = [*rows[:at], (seq, at_ms, None), *rows[at + 1 :]]
            with pytest.raises(JournalBroken):
                bring_back_seats(checkpoint, gone, {})


def test_a_hand_that_can_be_gone_on_with_is() -> None:
    desk = mid_hand()
    back = bring_back(*checkpointed(desk))
    assert back.void is None
    assert fingerprint(back.state) == fingerprint(desk.state)


def misdealt(rows: list[Row]) -> list[Row]:
    """An event of the hand that does not fit in it."""
    seq, at_ms, _ = rows[-1]
    return [*rows, (seq + 1, at_ms, Called(seat=SeatNo(8), to_chips=1, added_chips=1, stack_chips=1, all_in=False))]


def chips_made(rows: list[Row]) -> list[Row]:
    """An event of the hand after which there are more chips than before."""
    at = next(at for at, (_, _, event) in enumerate(rows) if isinstance(event, BringInPosted))
    seq, at_ms, event = rows[at]
    assert isinstance(event, BringInPosted)
    return [*rows[:at], (seq, at_ms, replace(event, stack_chips=event.stack_chips + 1)), *rows[at + 1 :]]


@pytest.mark.parametrize("broken", [misdealt, chips_made])
def test_a_hand_that_breaks_a_law_is_void_and_its_seats_are_as_they_were(
    broken: Callable[[list[Row]], list[Row]],
) -> None:
    desk = mid_hand()
    checkpoint, rows = checkpointed(desk)
    with pytest.raises(JournalBroken):
        recover(checkpoint, broken(rows))
    back = bring_back(checkpoint, broken(rows))
    assert back.void == "fault"
    assert back.state.seats == desk.state.seats
    stacks = {seat.player: seat.stack_chips for seat in cancelled(back.state).state.seats.values()}
    assert stacks == {"ann": 1_100, "dan": 500}, "Bob has left with what he had before the hand"


def test_a_hand_may_be_made_void_whatever_its_events_say() -> None:
    desk = mid_hand()
    back = bring_back(*checkpointed(desk), void="fault")
    assert (back.void, back.state.turns) == ("fault", {})
    desk = Desk()
    assert bring_back(None, desk.rows, void="fault").void is None, "where no hand runs there is nothing to cancel"


def begun_under(rules: int, rows: list[Row]) -> list[Row]:
    seq, at_ms, event = rows[0]
    assert isinstance(event, HandStarted)
    return [(seq, at_ms, replace(event, rules=rules)), *rows[1:]]


@pytest.mark.parametrize("rules", [0, RULES_NUMBER + 1])
def test_a_hand_of_other_rules_that_decide_it_alike_is_finished_under_its_own_variant(rules: int) -> None:
    desk = mid_hand()
    checkpoint, rows = checkpointed(desk)
    back = bring_back(checkpoint, begun_under(rules, rows))
    assert back.void is None
    assert back.state.hand is not None
    assert (back.state.hand.rules, back.state.turns) == (rules, desk.state.turns)


def no_ante(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules by which nobody's ante is taken."""
    evolve = stud.evolve

    def without_antes(hand: StudHand | None, event: HandEvent) -> StudHand:
        if isinstance(event, AntePosted):
            assert hand is not None
            return hand
        return evolve(hand, event)

    monkeypatch.setattr(stud, "evolve", without_antes)


def no_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that make the same events so far, and offer something else on the open turn."""
    options = betting.options
    monkeypatch.setattr(betting, "options", lambda *told: options(*told)[:-1])


@pytest.mark.parametrize("change", [no_ante, no_raise])
def test_a_hand_that_these_rules_decide_otherwise_is_void(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[pytest.MonkeyPatch], None]
) -> None:
    desk = mid_hand()
    checkpoint, rows = checkpointed(desk)
    with monkeypatch.context() as patch:
        change(patch)
        assert bring_back(checkpoint, rows).void is None, "under its own number nothing is asked"
        back = bring_back(checkpoint, begun_under(RULES_NUMBER - 1, rows))
    assert back.void == "rules"
    assert back.state.seats == desk.state.seats
    (event, *_) = cancelled(back.state, back.void).events
    assert isinstance(event, HandCancelled)
    assert event.reason == "rules"
