"""The state of a hand, and folding events into it."""

from __future__ import annotations

import msgspec
import pytest

from engine.rules import stud
from engine.rules.actions import Fold, SeatNo
from engine.rules.errors import LawBroken
from engine.rules.events import (
    AntePosted,
    BetsCollected,
    CardDealt,
    Folded,
    HandEnded,
    Pot,
    PotAwarded,
    RakeTaken,
    RoundOpened,
    Share,
    UncalledReturned,
)
from engine.rules.stud_hand import evolve
from engine.rules.variants import Rake
from tests.engine.rules.hands import choices, even, seven, stacks, told

LIMPED = "3:bring 1:call 2:call"


def test_the_first_event_makes_the_hand_and_any_other_needs_one() -> None:
    _, events = seven(stacks=even(100, seats=3))
    begun = evolve(None, events[0])
    assert (begun.street_index, begun.next_card, begun.chips_in_play(), begun.over) == (-1, 0, 0, False)
    with pytest.raises(LawBroken):
        evolve(None, events[1])
    with pytest.raises(LawBroken):
        evolve(None, events[-1])


def test_a_fold_of_the_events_is_the_hand() -> None:
    hand, (first, *rest) = seven(f"{LIMPED} 1:bet 2:raise 3:fold", stacks=even(100, seats=3))
    again = evolve(None, first)
    for event in rest:
        again = evolve(again, event)
    assert again == hand
    assert msgspec.msgpack.encode(again) == msgspec.msgpack.encode(hand)
    assert choices(again) == choices(hand) == "?1=fold,call(20),raise(30)"


@pytest.mark.parametrize(
    "event",
    [
        Folded(seat=SeatNo(4)),
        AntePosted(seat=SeatNo(9), added_chips=1, stack_chips=0, all_in=True),
        UncalledReturned(seat=SeatNo(0), returned_chips=1, stack_chips=1),
        RoundOpened(
            street=4, seat=SeatNo(8), betting=True, forced=False, open_pair=False, small_chips=10, big_chips=10
        ),
    ],
)
def test_an_event_for_a_seat_that_was_not_dealt_in_is_a_broken_law(event: Folded) -> None:
    hand, _ = seven(LIMPED, stacks=even(100, seats=3))
    with pytest.raises(LawBroken):
        evolve(hand, event)


def test_a_pot_pays_no_more_than_it_holds_and_nobody_who_is_not_there() -> None:
    hand, _ = seven(LIMPED, stacks=even(100, seats=3))
    assert hand.pots[0].amount_chips == 9
    for event in (
        PotAwarded(pot=0, shares=(Share(seat=SeatNo(1), amount_chips=10),)),
        PotAwarded(pot=0, shares=(Share(seat=SeatNo(7), amount_chips=9),)),
        RakeTaken(pot=0, amount_chips=10),
    ):
        with pytest.raises(LawBroken):
            evolve(hand.copy(), event)


def test_a_hand_that_makes_or_loses_a_chip_cannot_end() -> None:
    for stray_chips in (1, -1):
        hand, _ = seven("3:bring 1:fold", stacks=even(100, seats=3))
        hand.player(SeatNo(1)).stack_chips += stray_chips
        with pytest.raises(LawBroken):
            stud.apply(hand, SeatNo(2), Fold())


def test_a_void_hand_has_no_rake_whatever_was_taken() -> None:
    hand, _ = seven(LIMPED, stacks=even(100, seats=3))
    evolve(hand, RakeTaken(pot=0, amount_chips=2))
    assert (hand.rake_chips, hand.chips_in_play()) == (2, 7)
    stud.cancel(hand, "broken")
    assert (hand.rake_chips, hand.chips_in_play(), stacks(hand)) == (0, 0, even(100, seats=3))


def test_a_copy_shares_nothing_that_changes() -> None:
    hand, _ = seven(LIMPED, stacks=even(100, seats=3))
    before = msgspec.msgpack.encode(hand)
    twin = hand.copy()
    assert twin == hand
    assert twin is not hand
    stud.apply(twin, SeatNo(1), Fold())
    assert msgspec.msgpack.encode(hand) == before
    assert twin != hand


def test_b023_live_all_in_and_folded_are_three_things() -> None:
    hand, _ = seven("3:bring 4:fold 1:complete 2:call 3:call", stacks={1: 100, 2: 11, 3: 100, 4: 100})
    flags = {player.seat: (player.folded, player.all_in) for player in hand.players}
    assert flags == {1: (False, False), 2: (False, True), 3: (False, False), 4: (True, False)}
    assert [player.seat for player in hand.live()] == [1, 2, 3]


def test_chips_in_play_are_pots_and_bets() -> None:
    hand, _ = seven("3:bring", stacks=even(100, seats=3))
    assert (hand.pots, hand.chips_in_play()) == ((), 5)
    hand, _ = seven(f"{LIMPED} 1:bet", stacks=even(100, seats=3))
    assert (hand.pots, hand.chips_in_play()) == ((Pot(amount_chips=9, seats=(SeatNo(1), SeatNo(2), SeatNo(3))),), 19)
    hand, _ = seven(f"{LIMPED} 1:bet 2:fold 3:fold", stacks=even(100, seats=3))
    assert hand.chips_in_play() == 0


def test_b071_cards_keep_their_order_and_facing() -> None:
    tokens = LIMPED + 3 * " 1:check 2:check 3:check"
    hand, _ = seven(tokens, stacks=even(100, seats=3))
    player = hand.player(SeatNo(1))
    assert player.cards == tuple(["Ah", "Kd", "Qc", "Ad", "9h", "8s", "3h"])
    assert player.faces == ("down", "down", "up", "up", "up", "up", "down")
    assert player.board() == ["Qc", "Ad", "9h", "8s"]


def test_the_street_and_the_round_are_told() -> None:
    hand, events = seven(LIMPED, stacks=even(100, seats=3))
    assert (hand.street.number, hand.on_last_street, hand.opener, hand.round.price_chips) == (4, False, 1, 0)
    assert [one.street for one in told(events, RoundOpened)] == [3, 4]
    assert hand.turn() == 0
    assert hand.next_card == len(told(events, CardDealt)) + 1
    assert len(hand.burns) == 1


@pytest.mark.parametrize(
    ("tokens", "called"),
    [
        ("3:bring 1:complete 2:call 3:call 1:check 2:check 3:check", False),
        (f"{LIMPED} 1:bet 2:call 3:fold", True),
        (f"{LIMPED} 1:check 2:check 3:check 1:bet 2:fold 3:call", True),
    ],
)
def test_a_late_bet_that_was_called_is_remembered(tokens: str, called: bool) -> None:  # noqa: FBT001 - a table's column
    hand, _ = seven(tokens, stacks=even(100, seats=3))
    assert hand.late_bet_called is called


def test_what_ends_a_hand_is_told_by_its_last_event() -> None:
    hand, events = seven(f"{LIMPED} 1:bet 2:call 3:fold 1:fold", stacks=even(100, seats=3), rake=Rake(500, 9))
    *_, last = events
    assert isinstance(last, HandEnded)
    assert (hand.over, hand.turn(), hand.rake_chips, last.rake_chips) == (True, None, 1, 1)
    assert stacks(hand) == {1: 87, 2: 115, 3: 97}
    assert told(events, BetsCollected)[-1].pots == (Pot(amount_chips=29, seats=(SeatNo(2),)),)


def test_reprs_name_the_hand_and_the_seat_alone() -> None:
    hand, _ = seven(stacks=even(100, seats=3))
    assert (repr(hand), repr(hand.players[0])) == ("<StudHand hand>", "<HandPlayer 1>")
