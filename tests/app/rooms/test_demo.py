"""The demo tables: both games at several stakes, each a table that may be opened."""

from app.rooms.demo import demo_tables
from engine.table.decide import checked_config


def test_both_games_at_several_stakes() -> None:
    configs = demo_tables()
    for config in configs:
        assert checked_config(config) == config
        assert config.min_buy_in_chips == 10 * config.variant.big_bet_chips
    stakes = {(config.variant.game, config.variant.small_bet_chips) for config in configs}
    assert stakes == {(game, small) for game in ("stud5", "stud7") for small in (2, 5, 20)}
    assert len({config.name for config in configs}) == len(configs)
