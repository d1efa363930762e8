"""Runs of hands: many random ones, or one as it was written down."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from engine.rules.actions import Action, Options, SeatNo
from engine.rules.cards import parse_cards
from engine.rules.variants import Game
from tests.cases.case import HandCase
from tests.cases.play import variant_of, words
from tests.oracle.differences import Mismatch
from tests.oracle.plans import Plan, Players, draw
from tests.oracle.replay import play
from tests.oracle.tally import Tally


def run(*, game: Game, seed: int, hands: int, first: int = 0) -> Tally:
    """Play the hands of a seed from number `first` on."""
    tally = Tally()
    with pokerkit_quiet():
        for number in range(first, first + hands):
            tally.add(play(*draw(game=game, seed=seed, number=number)))
    return tally


def replay_case(case: HandCase) -> str | None:
    """Play a hand that is written down with its whole deck; gives the mismatch, or None."""
    plan = Plan(
        name=case.id,
        variant=variant_of(case),
        dealer=case.dealer,
        stacks={SeatNo(seat): chips for seat, chips in case.stacks.items()},
        deck=parse_cards(case.deck_order or ""),
    )
    with pokerkit_quiet():
        return play(plan, scripted(case.actions)).mismatch


def scripted(actions: str) -> Players:
    """Players who do what is written, such as `3:raise`, and complain when the text ends too early."""
    tokens = iter(actions.split())

    def choose(seat: SeatNo, options: Options) -> Action:
        token = next(tokens, None)
        named = {f"{seat}:{word}": action for word, action in words(options).items()}
        if token not in named:
            raise Mismatch(f"the text says {token or 'nothing more'} where {', '.join(named)} can be done")
        return named[token]

    return choose


@contextmanager
def pokerkit_quiet() -> Iterator[None]:
    """PokerKit warns where a player folds for free and where burnt cards are dealt: both are the rules here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
