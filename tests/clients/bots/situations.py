"""Situations at a table, laid out by hand: what a strategy is asked about."""

from __future__ import annotations

from avenue_sdk import Options, TableState
from avenue_sdk.messages import (
    Action,
    Bet,
    BringIn,
    Call,
    CardView,
    Check,
    Complete,
    Fold,
    Game,
    HandSeatView,
    HandView,
    Option,
    Pot,
    Raise,
    Rake,
    SeatView,
    Street,
    TableConfig,
    TableView,
    Turn,
    Variant,
    You,
)

ME = 1
STREETS: dict[Game, tuple[int, ...]] = {"stud5": (2, 3, 4, 5), "stud7": (3, 4, 5, 6, 7)}
FIRST_BET, STACK = 10, 500

FREE = (Fold(), Check(), Bet(to_chips=10))
OWED = (Fold(), Call(to_chips=10), Raise(to_chips=20))
OPENED = (Fold(), Call(to_chips=4), Complete(to_chips=10))
FORCED = (BringIn(to_chips=4), Complete(to_chips=10))


def situation(
    mine: str,
    *others: str,
    game: Game = "stud7",
    offered: tuple[Action, ...] = OWED,
    pot_chips: int = 40,
    folded: str = "",
) -> tuple[TableState, Options]:
    """My turn in seat 1. `mine` are all my cards in dealing order, `others` the boards that are up against me.

    `folded` are the boards of folded seats, parted by commas. Who owes, owes what the call's price says.
    """
    cards = mine.split()
    price = next((one.to_chips for one in offered if isinstance(one, Call)), 0)
    seats = [_seat(ME, _mine(cards, game), total_chips=0)]
    boards = [*others, *[board for board in folded.split(",") if board]]
    for number, board in enumerate(boards, start=ME + 1):
        seats.append(_seat(number, _theirs(board, game, len(cards)), folded=number > ME + len(others)))
    hand = HandView(
        hand="t-1",
        variant=_variant(game),
        rules=1,
        commitment="",
        dealer=0,
        street=len(cards),
        opener=None,
        open_pair=False,
        price_chips=price,
        wagers=int(price >= FIRST_BET),
        pots=(Pot(amount_chips=pot_chips, seats=tuple(seat.seat for seat in seats)),),
        common=None,
        seats=tuple(seats),
    )
    options = tuple(_option(action) for action in offered)
    table = TableView(
        table="t",
        config=_config(game),
        seq=1,
        hands=1,
        seats=tuple(_seat_view(seat) for seat in seats),
        hand=hand,
        turns=(Turn(seat=ME, turn=1, options=options, deadline_ms=1, time_bank_ms=0),),
    )
    return TableState(table=table, you=You(player=f"p{ME}", name="Me", seat=ME), at_ms=0), Options(options)


def _mine(cards: list[str], game: Game) -> tuple[CardView, ...]:
    down = {0, 1, 6} if game == "stud7" else {0}
    return tuple(CardView(card=card, face="down" if place in down else "up") for place, card in enumerate(cards))


def _theirs(board: str, game: Game, count: int) -> tuple[CardView, ...]:
    hidden = CardView(card="??", face="down")
    before = 2 if game == "stud7" else 1
    up = tuple(CardView(card=card, face="up") for card in board.split())
    return (*(hidden,) * before, *up, *(hidden,) * (count - before - len(up)))


def _seat(number: int, cards: tuple[CardView, ...], *, total_chips: int = 10, folded: bool = False) -> HandSeatView:
    return HandSeatView(
        seat=number,
        player=f"p{number}",
        name=f"P{number}",
        start_chips=STACK,
        stack_chips=STACK - total_chips,
        round_chips=0,
        total_chips=total_chips,
        folded=folded,
        all_in=False,
        cards=cards,
    )


def _seat_view(seat: HandSeatView) -> SeatView:
    return SeatView(
        seat=seat.seat,
        player=seat.player,
        name=seat.name,
        stack_chips=seat.stack_chips,
        queued_chips=0,
        sitting_out=False,
        leaving=False,
        house_bot=False,
        time_bank_ms=0,
    )


def _option(action: Action) -> Option:
    return Option(action=action, added_chips=getattr(action, "to_chips", 0), all_in=False, size=None, full=True)


def _variant(game: Game) -> Variant:
    return Variant(
        game=game,
        seats=8,
        streets=tuple(
            Street(number=number, deal=("up",), big_bet=False, burn=False, open_pair_doubles=False)
            for number in STREETS[game]
        ),
        ante_chips=2,
        bring_in_chips=4,
        small_bet_chips=10,
        big_bet_chips=20,
        max_wagers=4,
        heads_up_uncapped=False,
        rake=Rake(basis_points=0, cap_chips=0),
    )


def _config(game: Game) -> TableConfig:
    return TableConfig(
        name="T",
        variant=_variant(game),
        currency="PLAY",
        min_buy_in_chips=200,
        max_buy_in_chips=None,
        dealer=0,
        turn_ms=20_000,
        time_bank_ms=0,
        pause_ms=0,
        quiet_pause_ms=0,
        absent_ms=600_000,
    )
