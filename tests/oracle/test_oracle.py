"""Our rules and PokerKit agree on random hands, and planted bugs show that they would not if we were wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
import yaml

from engine.rules import betting, dealing, pots, ranking, showdown, stud
from engine.rules.actions import BringIn, Check, Fold, Options, SeatNo
from engine.rules.betting import BettingRound, Bettor
from engine.rules.cards import RANK_OF, SUIT_OF
from engine.rules.events import AntePosted, HandEvent, Pot, Share
from engine.rules.pots import Contribution
from engine.rules.stud_hand import HandPlayer, StudHand
from engine.rules.variants import Game
from tests.bench import engine_speed
from tests.cases.case import HandCase, read
from tests.oracle.__main__ import main
from tests.oracle.betting_log import PokerKitMemory
from tests.oracle.differences import Difference
from tests.oracle.plans import draw
from tests.oracle.replay import play
from tests.oracle.run import pokerkit_quiet, replay_case, run
from tests.oracle.tally import Tally, describe

GAMES: tuple[Game, ...] = ("stud5", "stud7")
KNOWN_SEED = 6

Plant = Callable[[pytest.MonkeyPatch], None]


@pytest.mark.parametrize("game", GAMES)
def test_new_random_hands_agree_with_pokerkit(game: Game) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"{game}, seed {seed}")  # noqa: T201 - pytest shows it when the test fails
    assert_agrees(run(game=game, seed=seed, hands=200))


@pytest.mark.parametrize("game", GAMES)
def test_known_hands_agree_and_meet_every_difference_of_rules(game: Game) -> None:
    tally = run(game=game, seed=KNOWN_SEED, hands=400)
    assert_agrees(tally)
    rare = {Difference.POTS_MERGED}
    only_seven = {Difference.OPEN_PAIR, Difference.COMMON_CARD_SPEAKS, Difference.SHORT_DECK}
    expected = {*Difference} - rare - (only_seven if game == "stud5" else set())
    assert {*tally.difference_hands} - rare == expected
    unreached = {what for what, hands in tally.reached.items() if not hands}
    short_decks = {"a last street dealt without a burn", "a common card"}
    assert unreached == (short_decks if game == "stud5" else set())


def test_pots_that_pokerkit_merges_before_it_splits_them_are_recognised() -> None:
    # Of the pots that the same two split, three leave an odd chip each; merged they leave one.
    with pokerkit_quiet():
        played = play(*draw(game="stud5", seed=572954135, number=4))
    assert played.mismatch is None
    assert played.differences[Difference.POTS_MERGED] == 1


def test_a_described_hand_plays_again() -> None:
    with pokerkit_quiet():
        played = play(*draw(game="stud7", seed=KNOWN_SEED, number=3))
    assert played.turns > 0
    assert replay_case(case_of(describe(played))) is None


def test_the_command_prints_seed_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--hands", "3", "--seed", "8", "--game", "stud7"]) == 0
    printed = capsys.readouterr().out
    assert "stud7, seed 8, hands 0 to 2" in printed
    assert printed.splitlines()[-1].split() == ["mismatches", "0"]


def test_the_speed_comparison_plays_the_same_hands_in_both(capsys: pytest.CaptureFixture[str]) -> None:
    engine_speed.main(["--hands", "3", "--windows", "1", "--game", "stud7"])
    printed = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[1] for line in printed if " x" in line] == [
        "ours",
        "ours, with a fresh deck",
        "ours, events encoded",
        "PokerKit",
    ]


def cap_of_five(patch: pytest.MonkeyPatch) -> None:
    start = stud.start

    def uncapped(**given: Any) -> tuple[StudHand, list[HandEvent]]:
        return start(**{**given, "variant": msgspec.structs.replace(given["variant"], max_wagers=5)})

    patch.setattr(stud, "start", uncapped)


def cap_forgets_the_bring_in(patch: pytest.MonkeyPatch) -> None:
    fold_bring_in = betting.fold_bring_in

    def forgets(round_: BettingRound, bettor: Bettor, event: Any) -> None:
        fold_bring_in(round_, bettor, event)
        round_.wagers = 0

    patch.setattr(betting, "fold_bring_in", forgets)


def odd_chip_lost(patch: pytest.MonkeyPatch) -> None:
    def split(amount_chips: int, winners: Sequence[Any]) -> tuple[Share, ...]:
        return tuple(Share(seat=seat, amount_chips=amount_chips // len(winners)) for seat in winners)

    patch.setattr(pots, "split_pot", split)


def odd_chip_to_the_last(patch: pytest.MonkeyPatch) -> None:
    split = pots.split_pot
    patch.setattr(pots, "split_pot", lambda amount_chips, winners: split(amount_chips, winners[::-1]))


def suits_turned_round(patch: pytest.MonkeyPatch) -> None:
    def door(player: HandPlayer) -> tuple[int, int]:
        return RANK_OF[player.board()[0]], -SUIT_OF[player.board()[0]]

    patch.setattr(dealing, "_door", door)


def ace_low_at_the_door(patch: pytest.MonkeyPatch) -> None:
    def door(player: HandPlayer) -> tuple[int, int]:
        return RANK_OF[player.board()[0]] % 14, SUIT_OF[player.board()[0]]

    patch.setattr(dealing, "_door", door)


def low_board_opens(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(dealing, "showing", lambda cards: -ranking.showing(cards))


def ante_counts_as_a_bet(patch: pytest.MonkeyPatch) -> None:
    evolve = stud.evolve

    def counts(hand: StudHand | None, event: HandEvent) -> StudHand:
        state = evolve(hand, event)
        if isinstance(event, AntePosted):
            state.player(event.seat).round_chips += event.added_chips
        return state

    patch.setattr(stud, "evolve", counts)


def half_a_bet_is_too_little(patch: pytest.MonkeyPatch) -> None:
    def is_full(round_: BettingRound, to_chips: int) -> bool:
        return 2 * (to_chips - round_.base_chips) > round_.unit_chips

    patch.setattr(betting, "is_full", is_full)


def any_all_in_is_a_full_wager(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(betting, "is_full", lambda round_, to_chips: True)


def nobody_remembers_having_acted(patch: pytest.MonkeyPatch) -> None:
    def mark_acted(round_: BettingRound, bettor: Bettor) -> None:
        bettor.acted_at_chips = 0

    patch.setattr(betting, "mark_acted", mark_acted)


def no_fold_with_a_free_check(patch: pytest.MonkeyPatch) -> None:
    options = betting.options

    def kept(round_: BettingRound, bettors: Sequence[Bettor], index: int) -> Options:
        found = options(round_, bettors, index)
        free = any(isinstance(option.action, Check) for option in found)
        return tuple(option for option in found if not (free and isinstance(option.action, Fold)))

    patch.setattr(betting, "options", kept)


def every_opener_is_forced(patch: pytest.MonkeyPatch) -> None:
    options = betting.options

    def forced(round_: BettingRound, bettors: Sequence[Bettor], index: int) -> Options:
        found = options(round_, bettors, index)
        opens = any(isinstance(option.action, BringIn) for option in found)
        return tuple(option for option in found if not (opens and isinstance(option.action, Fold)))

    patch.setattr(betting, "options", forced)


def no_open_pairs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(dealing, "shows_pair", lambda player: False)


def uncalled_bets_stay(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(pots, "uncalled", lambda contributions: None)


def one_pot_for_all(patch: pytest.MonkeyPatch) -> None:
    def build(contributions: Sequence[Contribution]) -> tuple[Pot, ...]:
        seats = tuple(one.seat for one in contributions if not one.folded)
        return (Pot(amount_chips=sum(one.total_chips for one in contributions), seats=seats),)

    patch.setattr(pots, "build_pots", build)


def burns_never_dealt(patch: pytest.MonkeyPatch) -> None:
    deck_plan = dealing.deck_plan
    patch.setattr(dealing, "deck_plan", lambda **cards: deck_plan(**{**cards, "burnt": 0}))


def short_stub_burnt(patch: pytest.MonkeyPatch) -> None:
    deck_plan = dealing.deck_plan

    def plan(*, stub: int, players: int, burnt: int) -> dealing.DeckPlan:
        return "community" if stub == players else deck_plan(stub=stub, players=players, burnt=burnt)

    patch.setattr(dealing, "deck_plan", plan)


def common_card_silent(patch: pytest.MonkeyPatch) -> None:
    opener = dealing.opener

    def without_it(hand: StudHand, *, first_round: bool) -> tuple[SeatNo, bool]:
        twin = hand.copy()
        twin.common = None
        return opener(twin, first_round=first_round)

    patch.setattr(dealing, "opener", without_it)


def kickers_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(showdown, "strength", lambda cards: ranking.strength(cards) >> 12)


def pokerkit_raises_by_one_more(patch: pytest.MonkeyPatch) -> None:
    wagers_to = PokerKitMemory.wagers_to

    def more(*given: Any) -> tuple[int, ...]:
        return tuple(to_chips + 1 for to_chips in wagers_to(*given))

    patch.setattr(PokerKitMemory, "wagers_to", more)


PLANTED: list[tuple[Plant, Game]] = [
    (cap_of_five, "stud7"),
    (cap_of_five, "stud5"),
    (cap_forgets_the_bring_in, "stud5"),
    (odd_chip_lost, "stud7"),
    (odd_chip_to_the_last, "stud5"),
    (suits_turned_round, "stud7"),
    (ace_low_at_the_door, "stud5"),
    (low_board_opens, "stud5"),
    (ante_counts_as_a_bet, "stud7"),
    (half_a_bet_is_too_little, "stud7"),
    (any_all_in_is_a_full_wager, "stud5"),
    (nobody_remembers_having_acted, "stud7"),
    (no_fold_with_a_free_check, "stud5"),
    (every_opener_is_forced, "stud7"),
    (no_open_pairs, "stud7"),
    (uncalled_bets_stay, "stud5"),
    (one_pot_for_all, "stud7"),
    (burns_never_dealt, "stud7"),
    (short_stub_burnt, "stud7"),
    (common_card_silent, "stud7"),
    (kickers_ignored, "stud5"),
    (pokerkit_raises_by_one_more, "stud7"),
]


@pytest.mark.parametrize(("plant", "game"), PLANTED, ids=lambda value: getattr(value, "__name__", value))
def test_a_planted_bug_is_found(plant: Plant, game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    found = first_mismatch(game)
    assert found is not None
    # What is printed of it leads to the same place again.
    assert replay_case(case_of(found)) == case_of(found).note


def first_mismatch(game: Game) -> str | None:
    for number in range(0, 400, 20):
        tally = run(game=game, seed=KNOWN_SEED, hands=20, first=number)
        if tally.mismatches:
            return tally.mismatched[0]
    return None


def case_of(line: str) -> HandCase:
    (raw,) = yaml.safe_load(line)
    case = read(raw)
    assert isinstance(case, HandCase)
    return case


def assert_agrees(tally: Tally) -> None:
    assert not tally.mismatches, "\n".join([*tally.lines(), *tally.mismatched])
    assert tally.to_the_end == tally.hands
