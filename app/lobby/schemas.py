"""Bodies of the lobby: a table in the list, and one table with its rules spelled out as codes and numbers."""

from __future__ import annotations

from app.schemas import ToldBody
from engine.rules.variants import Face, Game


class TableBody(ToldBody):
    """A table in the list. `taken` counts seated players, the `house_bots` among them included."""

    id: str
    name: str
    game: Game
    currency: str
    small_bet_chips: int
    big_bet_chips: int
    ante_chips: int
    bring_in_chips: int
    min_buy_in_chips: int
    max_buy_in_chips: int | None
    seats: int
    taken: int
    house_bots: int
    watching: int
    hands: int


class TablesBody(ToldBody):
    tables: list[TableBody]


class StreetBody(ToldBody):
    """`number` is how many cards each player then holds, `deal` the faces of the cards dealt on it.

    `bet_chips` is the size of a wager. Where `open_pair_doubles` and a pair shows, it may be `open_pair_bet_chips` too.
    """

    number: int
    deal: list[Face]
    burn: bool
    bet_chips: int
    open_pair_doubles: bool
    open_pair_bet_chips: int | None


class RakeBody(ToldBody):
    """In hundredths of a percent of each called pot, rounded down, and at most the cap a hand."""

    basis_points: int
    cap_chips: int


class RulesBody(ToldBody):
    """Everything that decides a hand here. `max_wagers` is the cap of a round for all players together."""

    game: Game
    min_players: int
    max_players: int
    ante_chips: int
    bring_in_chips: int
    bring_in_is_bet: bool
    small_bet_chips: int
    big_bet_chips: int
    max_wagers: int
    heads_up_uncapped: bool
    streets: list[StreetBody]
    rake: RakeBody
    dealer: int


class BuyInBody(ToldBody):
    min_chips: int
    max_chips: int | None


class ClocksBody(ToldBody):
    turn_ms: int
    time_bank_ms: int
    pause_ms: int
    quiet_pause_ms: int
    absent_ms: int


class SeatBody(ToldBody):
    seat: int
    name: str
    stack_chips: int
    house_bot: bool
    sitting_out: bool


class TableDetailBody(TableBody):
    rules: RulesBody
    buy_in: BuyInBody
    clocks: ClocksBody
    players: list[SeatBody]
