"""The tables of a room that shows what it can do: both games, three stakes each."""

from __future__ import annotations

from typing import Final

from app.store.tables import PLAY
from engine.rules.variants import five_card_stud, seven_card_stud
from engine.table.events import TableConfig

STAKES: Final = ((2, 4), (5, 10), (20, 40))
BUY_IN_BIG_BETS: Final = 10
"""The least that one buys in for (`rules.md` A10)."""

_NAMES: Final = {
    "stud5": ("Rue de Lappe", "Rue Lepic", "Rue de Rivoli"),
    "stud7": ("Avenue Junot", "Avenue Foch", "Avenue Montaigne"),
}


def demo_tables() -> list[TableConfig]:
    """The tables to open when a room has none, cheapest first."""
    return [
        TableConfig(
            name=_NAMES[variant.game][place],
            variant=variant,
            currency=PLAY,
            min_buy_in_chips=BUY_IN_BIG_BETS * big_bet_chips,
        )
        for place, (small_bet_chips, big_bet_chips) in enumerate(STAKES)
        for variant in (
            five_card_stud(small_bet_chips=small_bet_chips, big_bet_chips=big_bet_chips),
            seven_card_stud(small_bet_chips=small_bet_chips, big_bet_chips=big_bet_chips),
        )
    ]
