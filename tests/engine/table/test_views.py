"""A table as somebody sees it: his own cards and nobody else's, and the fold of what he is sent."""

import pytest

from engine.rules.actions import SeatNo
from engine.rules.cards import HIDDEN
from engine.rules.events import PlayerId
from engine.table.views import TableView, hand_seat, table_view
from tests.engine.table.desk import ANN, BOB, CID, Desk, config
from tests.fakes import laid_out

DECK = laid_out("As Ad Ac", "2c 3d 5h")


def dealt() -> Desk:
    desk = Desk()
    desk.sit("ann")
    desk.sit("bob")
    desk.deal(DECK)
    return desk


def cards_at(view: TableView, seat: int) -> list[str]:
    assert view.hand is not None
    return [card.card for one in view.hand.seats if one.seat == seat for card in one.cards]


def test_an_empty_table() -> None:
    view = table_view(Desk().state, None)
    assert (view.table, view.seq, view.hands, view.seats, view.hand, view.turns) == ("t1", 1, 0, (), None, ())


def test_a_player_sees_his_own_cards_and_the_open_ones() -> None:
    desk = dealt()
    view = table_view(desk.state, ANN)
    assert cards_at(view, 1) == ["As", "Ad", "Ac"]
    assert cards_at(view, 2) == [HIDDEN, HIDDEN, "5h"]


@pytest.mark.parametrize("viewer", [None, CID, PlayerId("")])
def test_who_is_not_in_the_hand_sees_the_open_cards_alone(viewer: PlayerId | None) -> None:
    desk = dealt()
    desk.sit("cid")
    view = table_view(desk.state, viewer)
    assert cards_at(view, 1) == [HIDDEN, HIDDEN, "Ac"]
    assert cards_at(view, 2) == [HIDDEN, HIDDEN, "5h"]


def test_the_hands_own_cast_says_who_sees_what() -> None:
    assert hand_seat({SeatNo(3): ANN}, ANN) == 3
    assert hand_seat({SeatNo(3): ANN}, BOB) is None
    assert hand_seat({SeatNo(3): ANN}, None) is None
    assert hand_seat({}, ANN) is None


def test_a_stack_is_what_is_behind_right_now() -> None:
    desk = dealt()
    desk.top_up("bob", 40)
    desk.sit("cid", 500)
    stacks = {seat.player: (seat.stack_chips, seat.queued_chips) for seat in table_view(desk.state, None).seats}
    assert stacks == {"ann": (998, 0), "bob": (998, 40), "cid": (500, 0)}


def test_what_a_seat_is_doing_is_shown() -> None:
    desk = dealt()
    desk.sit("bot", house_bot=True)
    desk.sit_out("bot")
    desk.stand_up("ann")
    seats = {seat.player: seat for seat in table_view(desk.state, None).seats}
    assert (seats[ANN].leaving, seats[ANN].sitting_out, seats[ANN].house_bot) == (True, False, False)
    bot = seats[PlayerId("bot")]
    assert (bot.leaving, bot.sitting_out, bot.house_bot, bot.time_bank_ms) == (False, True, True, 60_000)


def test_seats_stand_in_order_whoever_came_first() -> None:
    desk = Desk()
    for player, seat in (("ann", 5), ("bob", 2), ("cid", 8)):
        desk.sit(player, seat=seat)
    assert [seat.seat for seat in table_view(desk.state, None).seats] == [2, 5, 8]


def test_an_open_turn_is_shown_to_all_with_its_clock() -> None:
    desk = Desk(config(time_bank_ms=7_000))
    desk.sit("ann")
    desk.sit("bob")
    desk.deal()
    (turn,) = table_view(desk.state, None).turns
    assert (turn.deadline_ms, turn.time_bank_ms) == (desk.now_ms + 20_000, 7_000)
    desk.wait(20_000)
    (turn,) = table_view(desk.state, None).turns
    assert (turn.deadline_ms, turn.time_bank_ms) == (desk.now_ms + 7_000, 0)


def test_when_a_hand_is_over_nothing_of_it_is_left_to_see() -> None:
    desk = dealt()
    desk.play_out("bring_in", "fold")
    for viewer in (None, ANN, BOB):
        view = table_view(desk.state, viewer)
        assert (view.hand, view.turns) == (None, ())


def test_a_view_tells_no_card_when_it_is_printed() -> None:
    desk = dealt()
    told = repr(table_view(desk.state, ANN))
    assert not [card for card in DECK if f"'{card}'" in told]
