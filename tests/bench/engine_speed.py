"""How fast the bare rules play beside PokerKit: `python -m tests.bench.engine_speed`. It asserts nothing about time.

Both play the same hands: same seats, stacks, decks and actions, drawn as for `tests.oracle` and kept where the rules of
both are one; before any timing each hand is played by both and must end with the same stacks. PokerKit deals by itself
from our decks. All contenders take turns in short windows, so that a busy machine slows them alike: read the ratios
first, the hands per second second.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import get_args

import msgspec
import pytest
from pokerkit import Automation, State
from pokerkit import Card as TheirCard

from engine.deal.shuffle import SystemDecks
from engine.rules import stud
from engine.rules.actions import Action, BringIn, Call, Check, Fold, Options, SeatNo
from engine.rules.cards import DECK, Card
from engine.rules.events import HandEnded
from engine.rules.variants import Game
from tests.oracle.plans import Plan, Players, draw
from tests.oracle.pokerkit_hand import AUTOMATIONS, CARDS, new_state
from tests.oracle.replay import play, start_hand
from tests.oracle.run import pokerkit_quiet

Run = Callable[[], None]

DEALING = (Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING)


TheirDecks = deque[tuple[TheirCard, ...]]


class Recorded(msgspec.Struct, frozen=True):
    """A hand with its actions in order, each with the seat that takes it, and the stacks that it must come to.

    `their_stacks` are PokerKit's at the start and `end_stacks` both's at the end, clockwise from the dealer's left.
    """

    plan: Plan
    actions: tuple[tuple[SeatNo, Action], ...]
    their_stacks: tuple[int, ...]
    their_deck: tuple[TheirCard, ...]
    end_stacks: tuple[int, ...]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.engine_speed", description="Time the bare rules beside PokerKit on the same hands."
    )
    parser.add_argument("--hands", type=int, default=150, help="hands in a window (default 150)")
    parser.add_argument("--windows", type=int, default=15, help="windows of each contender (default 15)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the hands (default 1)")
    parser.add_argument("--game", choices=get_args(Game), help="one game only (default: both)")
    options = parser.parse_args(arguments)
    for game in [options.game] if options.game else get_args(Game):
        hands = recorded(game=game, seed=options.seed, count=options.hands)
        actions = sum(len(hand.actions) for hand in hands)
        _say(
            f"{game}, seed {options.seed}: {options.windows} windows of {len(hands)} hands, {actions} actions; medians"
        )
        with pokerkit_deals() as decks:
            _table(_contenders(hands, decks), hands=len(hands), actions=actions, windows=options.windows)


def recorded(*, game: Game, seed: int, count: int) -> list[Recorded]:
    """The first hands of the seed on which PokerKit's rules and ours are one, checked to end alike in both."""
    found: list[Recorded] = []
    number = 0
    with pokerkit_quiet():
        while len(found) < count:
            plan, players = draw(game=game, seed=seed, number=number)
            number += 1
            actions: list[tuple[SeatNo, Action]] = []
            played = play(plan, _noting(players, actions))
            if played.mismatch:
                raise AssertionError(played.mismatch)
            if not played.differences:
                found.append(_recorded(plan, actions))
    with pokerkit_deals() as decks:
        for hand in found:
            assert tuple(play_theirs(hand, decks).stacks) == hand.end_stacks
    return found


def play_ours(hand: Recorded) -> None:
    state, _ = start_hand(hand.plan)
    for seat, action in hand.actions:
        stud.apply(state, seat, action)


def play_ours_fresh(hand: Recorded, decks: SystemDecks[Card]) -> None:
    """With the cost of a deck from the system's generator; the hand is still played with its own."""
    decks.deck()
    play_ours(hand)


def play_ours_encoded(hand: Recorded, encoder: msgspec.json.Encoder) -> None:
    """With each list of events encoded as JSON, as journal and wire need it."""
    state, events = start_hand(hand.plan)
    encoder.encode(events)
    for seat, action in hand.actions:
        encoder.encode(stud.apply(state, seat, action))


def play_theirs(hand: Recorded, decks: TheirDecks) -> State:
    """PokerKit's hand, played to its end; it must be within `pokerkit_deals`."""
    decks.append(hand.their_deck)
    state = new_state(hand.plan.variant, hand.their_stacks, automations=(*AUTOMATIONS, *DEALING))
    for _, action in hand.actions:
        match action:
            case Fold():
                state.fold()
            case Check() | Call():
                state.check_or_call()
            case BringIn() if not hand.plan.variant.bring_in_is_bet:
                state.post_bring_in()
            case _:
                state.complete_bet_or_raise_to()
    return state


@contextmanager
def pokerkit_deals() -> Iterator[TheirDecks]:
    """Where PokerKit would shuffle, it takes the next of these decks."""
    decks: TheirDecks = deque()

    def lay_out(cards: deque[TheirCard]) -> None:
        cards.clear()
        cards.extend(decks.popleft())

    with pytest.MonkeyPatch.context() as patch, pokerkit_quiet():
        patch.setattr("pokerkit.state.shuffle", lay_out)
        yield decks


def _recorded(plan: Plan, actions: Sequence[tuple[SeatNo, Action]]) -> Recorded:
    hand, events = start_hand(plan)
    start_stacks = tuple(player.start_chips for player in hand.players)
    for seat, action in actions:
        events = stud.apply(hand, seat, action)
    ended = events[-1]
    assert isinstance(ended, HandEnded)
    return Recorded(
        plan=plan,
        actions=tuple(actions),
        their_stacks=start_stacks,
        their_deck=tuple(CARDS[card] for card in plan.deck),
        end_stacks=tuple(result.stack_chips for result in ended.results),
    )


def _noting(players: Players, actions: list[tuple[SeatNo, Action]]) -> Players:
    def choose(seat: SeatNo, options: Options) -> Action:
        action = players(seat, options)
        actions.append((seat, action))
        return action

    return choose


def _contenders(hands: Sequence[Recorded], decks: TheirDecks) -> dict[str, Run]:
    """What is timed; the bare rules first, to which the ratios are."""
    return {
        "ours": partial(_each, play_ours, hands),
        "ours, with a fresh deck": partial(_each, partial(play_ours_fresh, decks=SystemDecks(DECK)), hands),
        "ours, events encoded": partial(_each, partial(play_ours_encoded, encoder=msgspec.json.Encoder()), hands),
        "PokerKit": partial(_each, partial(play_theirs, decks=decks), hands),
    }


def _each(run: Callable[[Recorded], object], hands: Sequence[Recorded]) -> None:
    for hand in hands:
        run(hand)


def _table(runs: dict[str, Run], *, hands: int, actions: int, windows: int) -> None:
    """Time the runs in turn, window by window; the ratio is to the first run in the same window."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()  # Warm up.
    for _ in range(windows):
        for name, run in runs.items():
            began = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - began)
    first = next(iter(seconds.values()))
    _say(f"  {'':<26}{'hands/s':>10}{'actions/s':>12}{'µs/hand':>10}{'µs/action':>11}{'time':>8}")
    for name, taken in seconds.items():
        median = statistics.median(taken)
        ratio = statistics.median(mine / base for mine, base in zip(taken, first, strict=True))
        _say(
            f"  {name:<26}{hands / median:>10,.0f}{actions / median:>12,.0f}{median / hands * 1e6:>10,.0f}"
            f"{median / actions * 1e6:>11,.1f}{'x' + format(ratio, '.2f'):>8}"
        )


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
