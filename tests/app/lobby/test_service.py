"""The lobby by itself: which tables match, in which order, and a table's rules as data."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from app.lobby.service import Lobby, Wanted
from app.refusals import NoSuchTable
from engine.rules.actions import SeatNo
from engine.rules.events import PlayerId
from engine.rules.variants import Rake, Variant, five_card_stud, seven_card_stud
from engine.table.events import TableConfig, TableId
from engine.table.views import SeatView, TableView


@dataclass
class FakeTable:
    view: TableView
    watching: int = 0

    def public_view(self) -> TableView:
        return self.view


@dataclass
class FakeTables:
    tables: list[FakeTable] = field(default_factory=list)

    def __iter__(self) -> Iterator[FakeTable]:
        return iter(self.tables)

    def get(self, table: TableId) -> FakeTable | None:
        return next((one for one in self.tables if one.view.table == table), None)


def seat(number: int, *, house_bot: bool = False) -> SeatView:
    return SeatView(
        seat=SeatNo(number),
        player=PlayerId(f"p{number}"),
        name=f"player{number}",
        stack_chips=100 * number,
        queued_chips=0,
        sitting_out=number == 3,
        leaving=False,
        house_bot=house_bot,
        time_bank_ms=60_000,
    )


def table(name: str, variant: Variant, *seats: SeatView) -> FakeTable:
    config = TableConfig(name=name, variant=variant, currency="PLAY", min_buy_in_chips=100, max_buy_in_chips=500)
    view = TableView(table=TableId(name), config=config, seq=9, hands=4, seats=seats, hand=None, turns=())
    return FakeTable(view, watching=2)


CHEAP = five_card_stud(small_bet_chips=2, big_bet_chips=4)
DEAR = five_card_stud(small_bet_chips=20, big_bet_chips=40)
SEVEN = seven_card_stud(small_bet_chips=5, big_bet_chips=10, rake=Rake(basis_points=250, cap_chips=7))

TABLES = FakeTables(
    [
        table("seven", SEVEN, seat(1), seat(2, house_bot=True), seat(3)),
        table("dear", DEAR, *(seat(number) for number in range(1, 9))),
        table("cheap", CHEAP),
    ]
)


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (Wanted(), ["cheap", "dear", "seven"]),
        (Wanted(game="stud7"), ["seven"]),
        (Wanted(min_small_bet_chips=5), ["dear", "seven"]),
        (Wanted(max_small_bet_chips=5), ["cheap", "seven"]),
        (Wanted(min_small_bet_chips=5, max_small_bet_chips=5), ["seven"]),
        (Wanted(min_free_seats=1), ["cheap", "seven"]),
        (Wanted(min_free_seats=6), ["cheap"]),
        (Wanted(game="stud5", min_free_seats=8, min_small_bet_chips=3), []),
    ],
)
def test_filters(wanted: Wanted, names: list[str]) -> None:
    assert [one.name for one in Lobby(TABLES).tables(wanted)] == names


def test_a_line_of_the_list() -> None:
    line = Lobby(TABLES).tables(Wanted(game="stud7"))[0]
    assert (line.taken, line.house_bots, line.seats, line.watching, line.hands) == (3, 1, 8, 2, 4)
    assert (line.ante_chips, line.bring_in_chips, line.small_bet_chips, line.big_bet_chips) == (2, 2, 5, 10)
    assert (line.min_buy_in_chips, line.max_buy_in_chips) == (100, 500)


def test_the_rules_are_spelled_out_as_data() -> None:
    told = Lobby(TABLES).table(TableId("seven"))
    rules = told.rules.model_dump()
    assert rules["rake"] == {"basis_points": 250, "cap_chips": 7}
    assert (rules["max_wagers"], rules["heads_up_uncapped"], rules["bring_in_is_bet"]) == (4, False, False)
    assert [(one["number"], one["deal"], one["bet_chips"], one["burn"]) for one in rules["streets"]] == [
        (3, ["down", "down", "up"], 5, False),
        (4, ["up"], 5, True),
        (5, ["up"], 10, True),
        (6, ["up"], 10, True),
        (7, ["down"], 10, True),
    ]
    assert [(one["number"], one["open_pair_bet_chips"]) for one in rules["streets"] if one["open_pair_doubles"]] == [
        (4, 10)
    ]
    assert told.buy_in.model_dump() == {"min_chips": 100, "max_chips": 500}
    assert told.clocks.model_dump() == {
        "turn_ms": 20_000,
        "time_bank_ms": 60_000,
        "pause_ms": 3_000,
        "quiet_pause_ms": 60_000,
        "absent_ms": 600_000,
    }


def test_who_sits_there_is_told_without_accounts_or_cards() -> None:
    told = Lobby(TABLES).table(TableId("seven"))
    assert [one.model_dump() for one in told.players] == [
        {"seat": 1, "name": "player1", "stack_chips": 100, "house_bot": False, "sitting_out": False},
        {"seat": 2, "name": "player2", "stack_chips": 200, "house_bot": True, "sitting_out": False},
        {"seat": 3, "name": "player3", "stack_chips": 300, "house_bot": False, "sitting_out": True},
    ]


def test_a_table_that_is_not_there() -> None:
    with pytest.raises(NoSuchTable):
        Lobby(TABLES).table(TableId("nowhere"))
