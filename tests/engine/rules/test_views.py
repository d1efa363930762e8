"""What a given viewer may see of an event and of a hand (`rules.md` A7, A9)."""

from __future__ import annotations

import msgspec
import pytest

from engine.rules.actions import SeatNo
from engine.rules.cards import HIDDEN, Card
from engine.rules.events import CardBurnt, CardDealt, CommonCardDealt, HandMucked, HandShown, HandStarted
from engine.rules.stud_hand import StudHand, evolve
from engine.rules.views import private_seats, view_event, view_hand
from tests.engine.rules.hands import even, five, seven, told

LIMPED = "3:bring 1:call 2:call"
TO_SEVENTH = LIMPED + 3 * " 1:check 2:check 3:check"

DOWN = CardDealt(seat=SeatNo(2), street=3, card=Card("7h"), face="down")
UP = CardDealt(seat=SeatNo(2), street=3, card=Card("7c"), face="up")
TABLED = CardDealt(seat=SeatNo(2), street=7, card=Card("Jh"), face="tabled")
BURNT = CardBurnt(street=4, card=Card("As"))
COMMON = CommonCardDealt(street=7, card=Card("5h"))


def seen(hand: StudHand, viewer: int | None) -> dict[int, str]:
    """Each seat's cards as the viewer sees them."""
    view = view_hand(hand, None if viewer is None else SeatNo(viewer))
    return {one.seat: " ".join(card.card for card in one.cards) for one in view.seats}


@pytest.mark.parametrize(
    ("event", "viewer", "card"),
    [
        (DOWN, 2, "7h"),
        (DOWN, 1, "??"),
        (DOWN, None, "??"),
        (UP, 1, "7c"),
        (UP, None, "7c"),
        (TABLED, 1, "Jh"),
        (TABLED, None, "Jh"),
        (BURNT, 1, "??"),
        (BURNT, None, "??"),
        (COMMON, None, "5h"),
    ],
)
def test_the_card_of_an_event(event: CardDealt | CardBurnt | CommonCardDealt, viewer: int | None, card: str) -> None:
    view = view_event(event, None if viewer is None else SeatNo(viewer))
    assert view.card == card
    assert type(view) is type(event)
    assert view.street == event.street


def test_nobody_sees_the_deck() -> None:
    _, events = seven(stacks=even(100, seats=3))
    started = told(events, HandStarted)[0]
    for viewer in (None, SeatNo(1), SeatNo(2), SeatNo(3)):
        view = view_event(started, viewer)
        assert view.deck == ()
        assert msgspec.structs.replace(view, deck=started.deck) == started


def test_an_event_that_hides_nothing_is_given_back_itself() -> None:
    assert view_event(UP, None) is UP
    assert view_event(DOWN, SeatNo(2)) is DOWN
    mucked = HandMucked(seat=SeatNo(2))
    assert view_event(mucked, None) is mucked


@pytest.mark.parametrize(("event", "seats"), [(DOWN, (2,)), (UP, ()), (TABLED, ()), (BURNT, ()), (COMMON, ())])
def test_private_seats(event: CardDealt | CardBurnt | CommonCardDealt, seats: tuple[int, ...]) -> None:
    assert private_seats(event) == seats


def test_a_running_hand_shows_boards_to_all_and_down_cards_to_their_owner() -> None:
    hand, _ = seven(LIMPED, stacks=even(100, seats=3))
    assert seen(hand, None) == {1: "?? ?? Qc Ad", 2: "?? ?? 7c 4d", 3: "?? ?? 2c 3c"}
    assert seen(hand, 2) == {1: "?? ?? Qc Ad", 2: "7h 7d 7c 4d", 3: "?? ?? 2c 3c"}
    hand, _ = five("1:bring", stacks=even(100, seats=3))
    assert seen(hand, 1) == {1: "Ah 2c", 2: "?? Ks", 3: "?? Jh"}


def test_the_last_down_card_is_its_owners_too() -> None:
    hand, _ = seven(TO_SEVENTH, stacks=even(100, seats=3))
    assert seen(hand, 1)[1] == "Ah Kd Qc Ad 9h 8s 3h"
    assert seen(hand, 1)[2] == "?? ?? 7c 4d 5s Td ??"


def test_a9_a_folded_hand_is_its_owners_for_ever() -> None:
    hand, _ = seven(f"{TO_SEVENTH} 1:check 2:bet 3:fold 1:call", stacks=even(100, seats=3))
    assert seen(hand, 3)[3] == "6h 6d 2c 3c 4h 8d 9s"
    assert seen(hand, None)[3] == seen(hand, 1)[3] == "?? ?? 2c 3c 4h 8d ??"


def test_a9_a_mucked_hand_is_its_owners_for_ever() -> None:
    hand, events = seven(f"{TO_SEVENTH} 1:check 2:bet 3:fold 1:call", stacks=even(100, seats=3))
    assert [one.seat for one in told(events, HandMucked)] == [1]
    assert seen(hand, 1)[1] == "Ah Kd Qc Ad 9h 8s 3h"
    assert seen(hand, None)[1] == seen(hand, 2)[1] == "?? ?? Qc Ad 9h 8s ??"


def test_a9_a_shown_hand_is_everybodys() -> None:
    hand, events = seven(f"{TO_SEVENTH} 1:check 2:bet 3:fold 1:call", stacks=even(100, seats=3))
    assert [one.seat for one in told(events, HandShown)] == [2]
    assert seen(hand, None)[2] == seen(hand, 1)[2] == "7h 7d 7c 4d 5s Td Jh"


def test_a9_tabled_hands_are_everybodys_and_a_folded_one_is_not() -> None:
    hand, _ = seven("3:bring 1:complete 2:call 3:fold", stacks={1: 11, 2: 11, 3: 100})
    assert seen(hand, None) == {1: "Ah Kd Qc Ad 9h 8s 3h", 2: "7h 7d 7c 4d 5s Td Jh", 3: "?? ?? 2c"}


def test_a9_the_last_player_standing_shows_nothing_by_winning() -> None:
    hand, _ = seven(f"{LIMPED} 1:bet 2:fold 3:fold", stacks=even(100, seats=3))
    assert seen(hand, None)[1] == "?? ?? Qc Ad"


def test_a_snapshot_tells_the_hand() -> None:
    hand, _ = seven(f"{LIMPED} 1:bet 2:raise", stacks={1: 100, 2: 20, 3: 100}, dealer=2)
    view = view_hand(hand, None)
    assert (view.hand, view.variant, view.dealer, view.street, view.opener) == ("hand", hand.variant, 2, 4, 1)
    assert (view.price_chips, view.wagers, view.open_pair, view.common) == (17, 2, False, None)
    assert [pot.amount_chips for pot in view.pots] == [9]
    assert [one.seat for one in view.seats] == [3, 1, 2]
    two = view.seats[2]
    assert (two.player, two.name, two.start_chips, two.stack_chips) == ("p2", "Seat 2", 20, 0)
    assert (two.round_chips, two.total_chips, two.folded, two.all_in) == (17, 20, False, True)
    assert [card.face for card in two.cards] == ["down", "down", "up", "up"]


def test_a_common_card_is_in_the_snapshot() -> None:
    hand, _ = seven(LIMPED, stacks=even(100, seats=3))
    hand.common = Card("5h")
    assert view_hand(hand, None).common == "5h"


def test_who_was_not_dealt_in_sees_what_a_spectator_sees() -> None:
    hand, events = seven(LIMPED, stacks=even(100, seats=3))
    assert view_hand(hand, SeatNo(8)) == view_hand(hand, None)
    assert [view_event(event, SeatNo(8)) for event in events] == [view_event(event, None) for event in events]


@pytest.mark.parametrize(("tokens", "street"), [("", 3), (LIMPED, 4), (TO_SEVENTH, 7)])
def test_a_snapshot_tells_the_street(tokens: str, street: int) -> None:
    hand, _ = seven(tokens, stacks=even(100, seats=3))
    assert view_hand(hand, None).street == street


def test_a_snapshot_before_the_first_card() -> None:
    _, events = seven(stacks=even(100, seats=3))
    view = view_hand(evolve(None, events[0]), SeatNo(1))
    assert (view.street, view.opener, view.pots, [one.cards for one in view.seats]) == (0, None, (), [(), (), ()])
    assert HIDDEN not in told(events, HandStarted)[0].deck


def test_reprs_of_views_tell_no_card() -> None:
    hand, _ = seven(LIMPED, stacks=even(100, seats=3))
    own = view_hand(hand, SeatNo(1))
    assert "Ah" not in repr(own)
    assert repr(own.seats[0].cards[0]) == "<CardView>"
