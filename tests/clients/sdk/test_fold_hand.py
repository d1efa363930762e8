"""Single events of a hand, where a reader wants to see what they do. All of them together are in `test_fold.py`."""

from __future__ import annotations

import pytest

from avenue_sdk.fold_hand import begin_hand, fold_hand
from avenue_sdk.messages import (
    AntePosted,
    BetsCollected,
    BringInPosted,
    CardDealt,
    Completed,
    Folded,
    HandName,
    HandSeat,
    HandShown,
    HandStarted,
    HandView,
    Pot,
    PotAwarded,
    Rake,
    RakeTaken,
    RoundOpened,
    Share,
    UncalledReturned,
    Variant,
)

VARIANT = Variant(
    game="stud7",
    seats=8,
    streets=(),
    ante_chips=2,
    bring_in_chips=4,
    small_bet_chips=10,
    big_bet_chips=20,
    max_wagers=4,
    heads_up_uncapped=False,
    rake=Rake(basis_points=0, cap_chips=0),
)
STARTED = HandStarted(
    hand="t-1",
    variant=VARIANT,
    rules=1,
    dealer=0,
    seats=(
        HandSeat(seat=2, player="a", name="Ada", stack_chips=100),
        HandSeat(seat=5, player="b", name="Bo", stack_chips=2),
    ),
    deck=(),
    commitment="",
)


@pytest.fixture
def hand() -> HandView:
    """Both have posted, Bo with all that he had; each has a card down and one up."""
    view = begin_hand(STARTED)
    view = fold_hand(view, AntePosted(seat=2, added_chips=2, stack_chips=98, all_in=False))
    view = fold_hand(view, AntePosted(seat=5, added_chips=2, stack_chips=0, all_in=True))
    for seat, down, up in ((2, "As", "Kd"), (5, "??", "2c")):
        view = fold_hand(view, CardDealt(seat=seat, street=3, card=down, face="down"))
        view = fold_hand(view, CardDealt(seat=seat, street=3, card=up, face="up"))
    return fold_hand(
        view,
        RoundOpened(street=3, seat=2, betting=True, forced=True, open_pair=False, small_chips=10, big_chips=10),
    )


def test_an_ante_is_no_part_of_the_round_s_bets(hand: HandView) -> None:
    ada, bo = hand.seats
    assert (ada.total_chips, ada.round_chips, ada.stack_chips, ada.all_in) == (2, 0, 98, False)
    assert (bo.total_chips, bo.round_chips, bo.stack_chips, bo.all_in) == (2, 0, 0, True)
    assert [card.card for card in bo.cards] == ["??", "2c"]
    assert (hand.street, hand.opener, hand.price_chips, hand.wagers) == (3, 2, 0, 0)


def test_the_price_is_the_full_bring_in_whatever_was_posted(hand: HandView) -> None:
    posted = BringInPosted(seat=2, to_chips=3, added_chips=3, stack_chips=95, all_in=False, price_chips=4, full=False)
    after = fold_hand(hand, posted)
    assert (after.price_chips, after.wagers, after.seats[0].round_chips) == (4, 0, 3)
    assert hand.price_chips == 0, "the view before is as it was"


def test_a_short_wager_raises_the_price_and_counts_for_nothing(hand: HandView) -> None:
    wager = Completed(seat=2, to_chips=6, added_chips=6, stack_chips=0, all_in=True, full=False, big=False)
    after = fold_hand(hand, wager)
    assert (after.price_chips, after.wagers, after.seats[0].all_in) == (6, 0, True)


def test_what_comes_back_was_never_put_in(hand: HandView) -> None:
    wager = Completed(seat=2, to_chips=10, added_chips=10, stack_chips=88, all_in=False, full=True, big=False)
    back = fold_hand(fold_hand(hand, wager), UncalledReturned(seat=2, returned_chips=10, stack_chips=98))
    assert (back.seats[0].total_chips, back.seats[0].round_chips, back.seats[0].stack_chips) == (2, 0, 98)


def test_a_round_s_bets_go_into_pots_and_out_of_them(hand: HandView) -> None:
    collected = fold_hand(hand, BetsCollected(street=3, pots=(Pot(amount_chips=4, seats=(2, 5)),)))
    raked = fold_hand(collected, RakeTaken(pot=0, amount_chips=1))
    paid = fold_hand(raked, PotAwarded(pot=0, shares=(Share(seat=5, amount_chips=3),)))
    assert [pot.amount_chips for pot in raked.pots] == [3]
    assert [pot.amount_chips for pot in paid.pots] == [0]
    assert (paid.seats[1].stack_chips, paid.seats[1].all_in) == (3, False)


def test_a_fold_keeps_the_cards_that_all_have_seen(hand: HandView) -> None:
    folded = fold_hand(hand, Folded(seat=2)).seats[0]
    assert (folded.folded, folded.all_in, [card.card for card in folded.cards]) == (True, False, ["As", "Kd"])


def test_showing_turns_the_cards_up_and_leaves_their_faces(hand: HandView) -> None:
    shown = HandShown(seat=5, cards=("2d", "2c"), name=HandName(category="pair", ranks=("2",)))
    cards = fold_hand(hand, shown).seats[1].cards
    assert [(card.card, card.face) for card in cards] == [("2d", "down"), ("2c", "up")]
