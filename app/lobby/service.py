"""The lobby: which tables there are, and one table's rules as data, as of each table's last commit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from app.lobby.schemas import (
    BuyInBody,
    ClocksBody,
    RakeBody,
    RulesBody,
    SeatBody,
    StreetBody,
    TableBody,
    TableDetailBody,
)
from app.refusals import NoSuchTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.rules.variants import Game, Street, Variant
    from engine.table.events import TableConfig, TableId
    from engine.table.views import TableView

MIN_PLAYERS = 2


class OpenTable(Protocol):
    """A table as the lobby sees it."""

    @property
    def watching(self) -> int: ...

    def public_view(self) -> TableView: ...


class OpenTables(Protocol):
    """All tables of the house."""

    def __iter__(self) -> Iterator[OpenTable]: ...

    def get(self, table: TableId) -> OpenTable | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a player looks for; None leaves it open."""

    game: Game | None = None
    min_small_bet_chips: int | None = None
    max_small_bet_chips: int | None = None
    min_free_seats: int = 0

    def matches(self, table: TableBody) -> bool:
        return (
            (self.game is None or table.game == self.game)
            and (self.min_small_bet_chips is None or table.small_bet_chips >= self.min_small_bet_chips)
            and (self.max_small_bet_chips is None or table.small_bet_chips <= self.max_small_bet_chips)
            and table.seats - table.taken >= self.min_free_seats
        )


class Lobby:
    """Answers from memory: it asks neither the database nor a table's task."""

    def __init__(self, tables: OpenTables) -> None:
        self._tables = tables

    def tables(self, wanted: Wanted) -> list[TableBody]:
        """The tables that match, by game, stakes and name."""
        found = [table for table in (TableBody(**_line(one)) for one in self._tables) if wanted.matches(table)]
        return sorted(found, key=lambda table: (table.game, table.small_bet_chips, table.name, table.id))

    def table(self, table: TableId) -> TableDetailBody:
        """One table with its rules and who sits there. Raises `NoSuchTable`."""
        found = self._tables.get(table)
        if found is None:
            raise NoSuchTable
        view = found.public_view()
        config = view.config
        return TableDetailBody(
            **_line(found),
            rules=_rules(config),
            buy_in=BuyInBody(min_chips=config.min_buy_in_chips, max_chips=config.max_buy_in_chips),
            clocks=ClocksBody.model_validate(config),
            players=[SeatBody.model_validate(seat) for seat in view.seats],
        )


def _line(table: OpenTable) -> dict[str, Any]:
    view = table.public_view()
    config, variant = view.config, view.config.variant
    return {
        "id": view.table,
        "name": config.name,
        "game": variant.game,
        "currency": config.currency,
        "small_bet_chips": variant.small_bet_chips,
        "big_bet_chips": variant.big_bet_chips,
        "ante_chips": variant.ante_chips,
        "bring_in_chips": variant.bring_in_chips,
        "min_buy_in_chips": config.min_buy_in_chips,
        "max_buy_in_chips": config.max_buy_in_chips,
        "seats": variant.seats,
        "taken": len(view.seats),
        "house_bots": sum(seat.house_bot for seat in view.seats),
        "watching": table.watching,
        "hands": view.hands,
    }


def _rules(config: TableConfig) -> RulesBody:
    variant = config.variant
    return RulesBody(
        game=variant.game,
        min_players=MIN_PLAYERS,
        max_players=variant.seats,
        ante_chips=variant.ante_chips,
        bring_in_chips=variant.bring_in_chips,
        bring_in_is_bet=variant.bring_in_is_bet,
        small_bet_chips=variant.small_bet_chips,
        big_bet_chips=variant.big_bet_chips,
        max_wagers=variant.max_wagers,
        heads_up_uncapped=variant.heads_up_uncapped,
        streets=[_street(variant, street) for street in variant.streets],
        rake=RakeBody.model_validate(variant.rake),
        dealer=config.dealer,
    )


def _street(variant: Variant, street: Street) -> StreetBody:
    return StreetBody(
        number=street.number,
        deal=list(street.deal),
        burn=street.burn,
        bet_chips=variant.big_bet_chips if street.big_bet else variant.small_bet_chips,
        open_pair_doubles=street.open_pair_doubles,
        open_pair_bet_chips=variant.big_bet_chips if street.open_pair_doubles else None,
    )
