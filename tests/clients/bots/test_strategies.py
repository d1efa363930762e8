"""Every strategy over real tables: it chooses what is offered, by its dice alone, and some play better than others."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avenue_bots.strategies import STRATEGIES, Strategy
from engine.rules.actions import Action
from engine.rules.variants import Variant, five_card_stud, seven_card_stud
from engine.table.state import TableState
from tests.clients.world import PLAYERS, World, seen_by

ACTION: msgspec.json.Decoder[Action] = msgspec.json.Decoder(Action)


def choosing(strategy: Strategy, random: Random) -> Any:
    """The strategy as what a world asks: it sees what its seat may see, and no more."""

    def choose(state: TableState, seat: int) -> Action:
        seen = seen_by(state, state.cast[seat])  # type: ignore[index]
        assert seen.options is not None
        dice = random.getstate()
        option = strategy(seen, seen.options, random)
        assert option in seen.options.all, "only what is offered may be chosen"
        random.setstate(dice)
        assert strategy(seen, seen.options, random) == option, "the same dice, the same choice"
        return ACTION.decode(msgspec.json.encode(option.action))

    return choose


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=15)
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_a_strategy_always_chooses_an_offered_option_and_every_hand_ends(name: str, seed: int) -> None:
    world = World(seed, seated=2 + seed % 7)
    choose = choosing(STRATEGIES[name], Random(seed))
    for _ in range(3):
        world.deal()
        for _ in range(20_000):
            if not world.state.turns:
                break
            assert world.act(choose), "what a strategy chooses is never refused"
        assert world.state.hand is None, "a hand ends by its players' choices"


@pytest.mark.parametrize(
    "variant",
    [five_card_stud(small_bet_chips=10, big_bet_chips=20), seven_card_stud(small_bet_chips=10, big_bet_chips=20)],
    ids=["stud5", "stud7"],
)
def test_caution_pays_against_the_others(variant: Variant) -> None:
    """Six seats, two of each: over some hundred hands the cautious ones win what the random ones lose."""
    won = play_out(variant, hands=250)
    assert sum(won.values()) == 0
    assert won["cautious"] > 0 > won["random"]


def play_out(variant: Variant, *, hands: int) -> Counter[str]:
    names = [name for _ in range(2) for name in STRATEGIES]
    world = World(7, variant=variant, seated=0)
    for player in PLAYERS[: len(names)]:
        world.sit(player, 100_000)
    choices = {player: choosing(STRATEGIES[name], Random(name)) for player, name in zip(PLAYERS, names, strict=False)}
    for _ in range(hands):
        world.deal()
        while world.state.turns:
            seat = next(iter(world.state.turns))
            world.act(choices[world.state.cast[seat]])
    won: Counter[str] = Counter()
    for taken in world.state.seats.values():
        won[names[PLAYERS.index(taken.player)]] += taken.stack_chips - 100_000
    return won
