"""Laws of every hand, over random variants, stakes, stacks, seats, dealers, decks and choices.

A failure prints the example and a blob that replays it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import msgspec
import pytest
from hypothesis import event as note
from hypothesis import given, settings

from engine.rules import stud
from engine.rules.actions import Action, Bet, BringIn, Call, Check, Complete, Fold, Raise, SeatNo
from engine.rules.cards import DECK
from engine.rules.errors import ActionRefused, NotYourTurn
from engine.rules.events import (
    AntePosted,
    BetMade,
    BetsCollected,
    BringInPosted,
    Called,
    CardBurnt,
    CardDealt,
    CommonCardDealt,
    Completed,
    HandCancelled,
    HandEnded,
    HandEvent,
    PotAwarded,
    Raised,
    RakeTaken,
    UncalledReturned,
)
from engine.rules.stud_hand import StudHand
from tests.cases.play import words
from tests.engine.rules.hands import told
from tests.engine.rules.naive_betting import Reading
from tests.engine.rules.random_hands import Chooser, Setup, choosers, play_on, setups, whole

PRICED = (BringIn, Call, Complete, Bet, Raise)

hands = given(setup=setups(), chooser=choosers())


def state_bytes(hand: StudHand) -> bytes:
    return msgspec.msgpack.encode(hand)


@hands
def test_chips_are_conserved_after_every_event(setup: Setup, chooser: Chooser) -> None:
    _, events, _ = whole(setup, chooser)
    hand = stud.evolve(None, events[0])
    in_play = rake = 0
    for event in events[1:]:
        before = {player.seat: player.stack_chips for player in hand.players}
        hand = stud.evolve(hand, event)
        match event:
            case AntePosted() | BringInPosted() | Completed() | BetMade() | Raised() | Called():
                in_play += event.added_chips
                assert 0 < event.added_chips == before[event.seat] - event.stack_chips
                assert event.all_in is (event.stack_chips == 0)
            case UncalledReturned():
                in_play -= event.returned_chips
                assert 0 < event.returned_chips == event.stack_chips - before[event.seat]
            case RakeTaken():
                in_play -= event.amount_chips
                rake += event.amount_chips
            case PotAwarded():
                in_play -= sum(share.amount_chips for share in event.shares)
            case _:
                pass
        assert (hand.chips_in_play(), hand.rake_chips) == (in_play, rake)
        assert all(player.stack_chips >= 0 for player in hand.players)
        assert sum(player.stack_chips for player in hand.players) + in_play + rake == setup.chips()
    assert in_play == 0


@hands
def test_nets_and_rake_sum_to_zero_and_the_results_are_the_stacks(setup: Setup, chooser: Chooser) -> None:
    hand, events, _ = whole(setup, chooser)
    (ended,) = told(events, HandEnded)
    assert ended is events[-1]
    assert sum(one.net_chips for one in ended.results) + ended.rake_chips == 0
    start = {one.seat: one.stack_chips for one in setup.seats}
    assert {one.seat: one.stack_chips - one.net_chips for one in ended.results} == start
    assert [(one.seat, one.stack_chips) for one in ended.results] == [(p.seat, p.stack_chips) for p in hand.players]


@hands
def test_pots_hold_no_uncalled_chip_and_the_rake_stays_under_its_cap(setup: Setup, chooser: Chooser) -> None:
    _, events, _ = whole(setup, chooser)
    put_in: dict[int, int] = {one.seat: 0 for one in setup.seats}
    for event in events:
        match event:
            case AntePosted() | BringInPosted() | Completed() | BetMade() | Raised() | Called():
                put_in[event.seat] += event.added_chips
            case UncalledReturned():
                put_in[event.seat] -= event.returned_chips
            case BetsCollected():
                highest, second = sorted(put_in.values())[-1:-3:-1]
                assert highest == second
                assert sum(pot.amount_chips for pot in event.pots) == sum(put_in.values())
                assert all(pot.amount_chips and pot.seats for pot in event.pots)
            case _:
                pass
    rake, pots = setup.variant.rake, ([()] + [one.pots for one in told(events, BetsCollected)])[-1]
    taken = {one.pot: one.amount_chips for one in told(events, RakeTaken)}
    assert sum(taken.values()) <= rake.cap_chips
    for number, chips in taken.items():
        assert 0 < chips <= pots[number].amount_chips * rake.basis_points // 10_000


@hands
def test_the_engine_asks_and_offers_what_the_rules_say(setup: Setup, chooser: Chooser) -> None:
    """Beside a second opinion that reads the hand's events anew at every turn."""
    hand, events = setup.start()
    compare_with_reading(hand, events)
    for turn in play_on(hand, chooser):
        events += turn.events
        compare_with_reading(hand, events)


def compare_with_reading(hand: StudHand, events: list[HandEvent]) -> None:
    legal = stud.legal(hand)
    asked = None if hand.over else Reading(hand.variant, events).question()
    if asked is None:
        assert hand.over
        assert not legal
        return
    seat, said = asked
    assert list(legal) == [seat]
    assert {word: getattr(action, "to_chips", None) for word, action in words(legal[SeatNo(seat)]).items()} == said


@settings(max_examples=50)
@hands
def test_what_is_listed_is_accepted_and_all_else_refused_without_a_trace(setup: Setup, chooser: Chooser) -> None:
    hand, _ = setup.start()
    turns = play_on(hand, chooser)
    while legal := stud.legal(hand):
        ((seat, options),) = legal.items()
        assert options
        assert len(dict.fromkeys(option.action for option in options)) == len(options)
        before = state_bytes(hand)
        for option in options:
            twin = hand.copy()
            assert stud.apply(twin, seat, option.action)
            assert state_bytes(twin) != before
        for wish in wishes(hand):
            if wish not in [option.action for option in options]:
                with pytest.raises(ActionRefused):
                    stud.apply(hand, seat, wish)
        for other in range(10):
            if other != seat:
                for option in options:
                    with pytest.raises(NotYourTurn):
                        stud.apply(hand, SeatNo(other), option.action)
                with pytest.raises(NotYourTurn):
                    stud.on_timeout(hand, SeatNo(other))
        assert state_bytes(hand) == before
        next(turns)
    for wish in wishes(hand):
        with pytest.raises(NotYourTurn):
            stud.apply(hand, hand.players[0].seat, wish)


def wishes(hand: StudHand) -> Iterator[Action]:
    """Every verb, at every amount where something changes and beside it."""
    yield from (Fold(), Check())
    round_, variant = hand.round, hand.variant
    amounts = {0, round_.price_chips, round_.base_chips, variant.bring_in_chips}
    for unit in (round_.small_chips, round_.big_chips):
        amounts |= {unit, round_.price_chips + unit, round_.base_chips + unit, round_.base_chips + -(-unit // 2)}
    for player in hand.players:
        amounts |= {player.stack_chips, player.round_chips + player.stack_chips}
    for to_chips in sorted({amount + step for amount in amounts for step in (-1, 0, 1)} | {2**31, 2**63}):
        yield from (verb(to_chips=to_chips) for verb in PRICED)


@hands
def test_same_deck_and_same_actions_give_the_same_bytes(setup: Setup, chooser: Chooser) -> None:
    _, events, turns = whole(setup, chooser)
    hand, again = setup.start()
    for turn in turns:
        again += stud.apply(hand, turn.seat, turn.action)
    assert msgspec.json.encode(again) == msgspec.json.encode(events)


@hands
def test_the_fold_is_the_state_live_replayed_and_after_coding(setup: Setup, chooser: Chooser) -> None:
    hand, events = setup.start()
    replayed: StudHand | None = None
    decoded: StudHand | None = None
    batch = events
    turns = play_on(hand, chooser)
    while True:
        for event in batch:
            read = msgspec.json.decode(msgspec.json.encode(event), type=HandEvent)
            assert read == event
            replayed, decoded = stud.evolve(replayed, event), stud.evolve(decoded, read)
            assert state_bytes(decoded) == state_bytes(replayed)
        assert replayed is not None
        assert state_bytes(replayed) == state_bytes(hand)
        assert replayed == hand
        turn = next(turns, None)
        if turn is None:
            break
        batch = turn.events
    assert hand.over


@hands
def test_a_hand_ends_within_a_bound(setup: Setup, chooser: Chooser) -> None:
    hand, events, turns = whole(setup, chooser)
    assert hand.over
    assert stud.legal(hand) == {}
    assert len(turns) <= setup.most_actions()
    note(f"{len(told(events, PotAwarded))} pots")
    note(f"{len(told(events, BetsCollected))} rounds with bets")
    note("common card" if told(events, CommonCardDealt) else "no common card")


@hands
def test_every_card_is_in_one_place(setup: Setup, chooser: Chooser) -> None:
    hand, events = setup.start()
    assert_census(hand, events)
    for turn in play_on(hand, chooser):
        events += turn.events
        assert_census(hand, events)


def assert_census(hand: StudHand, events: list[HandEvent]) -> None:
    """Dealt, common, burnt and stub make the deck; a burnt card that came back to a seat is no longer burnt (A7)."""
    held = [one.card for one in told(events, CardDealt)]
    common = [one.card for one in told(events, CommonCardDealt)]
    burnt = [one.card for one in told(events, CardBurnt) if one.card not in held]
    assert sorted([*held, *common, *burnt, *hand.deck[hand.next_card :]]) == sorted(DECK)
    assert sorted(card for player in hand.players for card in player.cards) == sorted(held)


@hands
def test_silence_has_an_offered_action_and_so_every_silent_hand_ends(setup: Setup, chooser: Chooser) -> None:
    hand, _ = setup.start()
    asked = 0
    while legal := stud.legal(hand):
        ((seat, options),) = legal.items()
        action = stud.on_timeout(hand, seat)
        offered = [option.action for option in options]
        assert action in offered
        if Check() in offered:
            assert action == Check()
        elif Fold() in offered:
            assert action == Fold()
        else:
            assert isinstance(action, BringIn)
        # Now and then somebody does something, so that silence is tried everywhere.
        asked += 1
        stud.apply(hand, seat, action if asked % 3 else chooser.choose(options))
    assert hand.over


@hands
def test_a_copy_is_independent(setup: Setup, chooser: Chooser) -> None:
    hand, _ = setup.start()
    while not hand.over:
        before = state_bytes(hand)
        twin = hand.copy()
        assert twin == hand
        turn = next(play_on(twin, chooser))
        assert state_bytes(hand) == before
        after = state_bytes(twin)
        kept = hand.copy()
        stud.apply(hand, turn.seat, turn.action)
        assert state_bytes(kept) == before
        assert state_bytes(twin) == after == state_bytes(hand)


@hands
def test_cancel_gives_every_stack_back(setup: Setup, chooser: Chooser) -> None:
    hand, _ = setup.start()
    start = {one.seat: one.stack_chips for one in setup.seats}
    while not hand.over:
        twin = hand.copy()
        (cancelled,) = stud.cancel(twin, "table_closed")
        assert isinstance(cancelled, HandCancelled)
        assert {one.seat: one.stack_chips for one in cancelled.results} == start
        assert {one.seat: one.stack_chips for one in twin.players} == start
        assert (twin.over, twin.chips_in_play(), twin.rake_chips, stud.legal(twin)) == (True, 0, 0, {})
        next(play_on(hand, chooser))


def test_the_laws_try_every_verb() -> None:
    assert {*PRICED, Fold, Check} == set(get_args(Action))
