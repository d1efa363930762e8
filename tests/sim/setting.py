"""The tables of a world: both games, stakes and terms drawn from its seed, some of them raked."""

from __future__ import annotations

import random

from app.store.tables import PLAY
from engine.rules.variants import Rake, Variant, five_card_stud, seven_card_stud
from engine.table.events import TableConfig


def some_tables(dice: random.Random) -> list[TableConfig]:
    """Two to four tables; both games are there."""
    games = ["stud5", "stud7", *dice.choices(("stud5", "stud7"), k=dice.randrange(3))]
    return [_table(dice, game, number) for number, game in enumerate(games, start=1)]


def _table(dice: random.Random, game: str, number: int) -> TableConfig:
    variant = _variant(dice, game)
    # Ten big bets is what a house asks for; here stacks are often shorter, so that somebody is soon all-in.
    low = max(1, variant.big_bet_chips * dice.choice((1, 2, 4, 10)) + dice.randrange(3))
    pause_ms = dice.choice((500, 1_000, 3_000))
    return TableConfig(
        name=f"Avenue {number}",
        variant=variant,
        currency=PLAY,
        min_buy_in_chips=low,
        max_buy_in_chips=dice.choice((None, 8 * low)),
        dealer=dice.randrange(variant.seats + 1),
        turn_ms=dice.choice((3_000, 8_000, 20_000)),
        time_bank_ms=dice.choice((0, 4_000, 60_000)),
        pause_ms=pause_ms,
        quiet_pause_ms=pause_ms + 5_000,
        absent_ms=dice.choice((20_000, 120_000, 600_000)),
    )


def _variant(dice: random.Random, game: str) -> Variant:
    small = dice.choice((2, 5, 20))
    rake = dice.choice((Rake(), Rake(basis_points=500, cap_chips=7), Rake(basis_points=1000, cap_chips=100)))
    uncapped = dice.random() < 0.3
    if game == "stud5":
        bring_in = dice.choice((None, max(1, small // 2)))
        return five_card_stud(
            small_bet_chips=small,
            big_bet_chips=2 * small,
            bring_in_chips=bring_in,
            heads_up_uncapped=uncapped,
            rake=rake,
        )
    return seven_card_stud(small_bet_chips=small, big_bet_chips=2 * small, heads_up_uncapped=uncapped, rake=rake)
