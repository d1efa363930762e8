"""Hands as text for people: each street with its boards, what everyone did, who was paid."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.history.text import hand_text, name_text
from engine.rules import stud
from engine.rules.actions import Action, Bet, BringIn, Call, Check, Complete, Fold, Raise, SeatNo
from engine.rules.cards import DECK, Card, parse_cards
from engine.rules.events import HandEvent, HandId, HandSeat, PlayerId
from engine.rules.ranking import HandName, name_of, strength
from engine.rules.variants import Rake, Variant, five_card_stud, seven_card_stud
from engine.rules.views import view_event


def seats(*stacks: int) -> list[HandSeat]:
    names = ("Ada", "Bob", "Chloé")
    return [
        HandSeat(seat=SeatNo(number), player=PlayerId(name), name=name, stack_chips=stack)
        for number, (name, stack) in enumerate(zip(names, stacks, strict=False), start=1)
    ]


def stacked(first: str) -> tuple[Card, ...]:
    """A deck that begins with these cards, in dealing order."""
    top = parse_cards(first)
    return (*top, *(card for card in DECK if card not in top))


def played(variant: Variant, stacks: Sequence[int], deck: Sequence[Card], *actions: Action) -> list[HandEvent]:
    hand, events = stud.start(hand=HandId("h-1"), variant=variant, dealer=0, seats=seats(*stacks), deck=deck)
    for action in actions:
        (seat,) = stud.legal(hand)
        events += stud.apply(hand, seat, action)
    assert hand.over
    return events


def as_seen_by(events: Sequence[HandEvent], viewer: int | None) -> str:
    return hand_text([view_event(event, None if viewer is None else SeatNo(viewer)) for event in events])


FIVE = five_card_stud(small_bet_chips=4, big_bet_chips=8, rake=Rake(basis_points=500, cap_chips=3))
SEVEN = seven_card_stud(small_bet_chips=5, big_bet_chips=10)
# Two players: a down card and a door card each, then for each street a burn and a card each.
FIVE_DECK = stacked("Kh 3c Kd 9s  2c Ks 8h  2d 5h 5d  2h 7c 6d")


def test_a_hand_to_the_showdown() -> None:
    actions = (BringIn(to_chips=4), Raise(to_chips=8), Call(to_chips=8), Check(), Check())
    events = played(FIVE, (100, 60), FIVE_DECK, *actions, Bet(to_chips=8), Call(to_chips=8), Check(), Check())
    assert as_seen_by(events, None).splitlines() == [
        "Hand h-1",
        "Five-Card Stud, limit 4/8, ante 1, bring-in 4",
        "",
        "Seat 1: Ada with 100",
        "Seat 2: Bob with 60",
        "  Ante 1: Ada, Bob",
        "",
        "Second street",
        "  Ada  ?? | Kd",
        "  Bob  ?? | 9s",
        "  Bob brings in for 4",
        "  Ada raises to 8",
        "  Bob calls 4",
        "",
        "Third street, pot 18",
        "  Ada  ?? | Kd Ks",
        "  Bob  ?? | 9s 8h",
        "  Ada checks",
        "  Bob checks",
        "",
        "Fourth street, pot 18",
        "  Ada  ?? | Kd Ks 5h",
        "  Bob  ?? | 9s 8h 5d",
        "  Ada bets 8",
        "  Bob calls 8",
        "",
        "Fifth street, pot 34",
        "  Ada  ?? | Kd Ks 5h 7c",
        "  Bob  ?? | 9s 8h 5d 6d",
        "  Ada checks",
        "  Bob checks",
        "",
        "Showdown",
        "  Ada shows Kh Kd Ks 5h 7c: three of a kind, kings",
        "  Bob mucks",
        "  Rake 1 from the pot",
        "  Pot: 33 to Ada",
        "",
        "Result",
        "  Ada  116 (+16)",
        "  Bob  43 (-17)",
    ]


def test_side_pots_all_ins_and_cards_turned_up() -> None:
    deck = stacked("Ah 9c 3c  Ad 9d 4s  2c 9h Kh  2d Ac Jc 5d")
    actions = (Complete(to_chips=5), Raise(to_chips=10), Raise(to_chips=15), Raise(to_chips=20), Call(to_chips=15))
    checked_down: list[Action] = [Call(to_chips=20), *[Check()] * 8]
    lines = as_seen_by(played(SEVEN, (40, 17, 40), deck, *actions, *checked_down), None).splitlines()
    assert "  Ante 2: Ada, Bob, Chloé" in lines
    assert "  Bob calls 5 and is all-in" in lines
    assert "Fourth street, pot 61" in lines
    assert lines[lines.index("Showdown") :] == [
        "Showdown",
        "  Ada shows Ah Ad 2c Ac 2s 4c 5h: full house, aces full of twos",
        "  Bob mucks",
        "  Chloé mucks",
        "  Side pot 1: 10 to Ada",
        "  Main pot: 51 to Ada",
        "",
        "Result",
        "  Ada    79 (+39)",
        "  Bob    0 (-17)",
        "  Chloé  18 (-22)",
    ]


def test_an_uncalled_bet_and_an_early_end() -> None:
    lines = as_seen_by(played(FIVE, (100, 60), FIVE_DECK, BringIn(to_chips=4), Raise(to_chips=8), Fold()), None)
    assert lines.partition("Second street\n")[2].splitlines() == [
        "  Ada  ?? | Kd",
        "  Bob  ?? | 9s",
        "  Bob brings in for 4",
        "  Ada raises to 8",
        "  Bob folds",
        "  4 uncalled goes back to Ada",
        "  Pot: 10 to Ada",
        "",
        "Result",
        "  Ada  105 (+5)",
        "  Bob  55 (-5)",
    ]


def test_words_for_names() -> None:
    assert named("Ah Kd 9c 5s 2h") == "high card, ace"
    assert named("6h 6d 9c 5s 2h") == "pair of sixes"
    assert named("Ah Ad Kc Ks 2h") == "two pair, aces and kings"
    assert named("5h 5d 5c Ks 2h") == "three of a kind, fives"
    assert named("Ah 2d 3c 4s 5h") == "straight to the five"
    assert named("Qh 2h 3h 4h 7h") == "flush, queen high"
    assert named("9h 9d 9c Js Jh") == "full house, nines full of jacks"
    assert named("9h 9d 9c 9s Jh") == "four of a kind, nines"
    assert named("9h Th 8h 7h Jh") == "straight flush to the jack"
    assert named("Ah Th Qh Kh Jh") == "royal flush"


def named(cards: str) -> str:
    name: HandName = name_of(strength(parse_cards(cards)))
    return name_text(name)


@pytest.mark.parametrize("viewer", [None, 1, 2])
def test_b218_b188_ones_own_down_cards_and_no_others(viewer: int | None) -> None:
    events = played(FIVE, (100, 60), FIVE_DECK, BringIn(to_chips=4), Fold())
    text = as_seen_by(events, viewer)
    assert ("Kh" in text) == (viewer == 1)
    assert ("3c" in text) == (viewer == 2)
    assert "??" in text


def _stays(action: Action) -> bool:
    return not isinstance(action, Fold)


def random_hand(seed: int, variant: Variant) -> list[HandEvent]:
    dice = random.Random(seed)
    deck = list(DECK)
    dice.shuffle(deck)
    stacks = [dice.choice([1, 7, 30, 200]) for _ in range(3)]
    hand, events = stud.start(hand=HandId("h-1"), variant=variant, dealer=0, seats=seats(*stacks), deck=deck)
    while not hand.over:
        ((seat, options),) = stud.legal(hand).items()
        every: list[Action] = [one.action for one in options]
        staying = list(filter(_stays, every))
        events += stud.apply(hand, seat, dice.choice(staying if staying and dice.random() < 0.9 else every))
    return events


@given(st.integers(min_value=0), st.sampled_from([FIVE, SEVEN]), st.sampled_from([None, 1, 2, 3]))
def test_every_hand_can_be_told(seed: int, variant: Variant, viewer: int | None) -> None:
    events = random_hand(seed, variant)
    text = as_seen_by(events, viewer)
    assert text.count("\nResult\n") == 1
    for line in text.splitlines():
        assert line == line.rstrip()


def test_a_cancelled_hand_says_so() -> None:
    hand, events = stud.start(hand=HandId("h-1"), variant=SEVEN, dealer=0, seats=seats(50, 50), deck=DECK)
    events += stud.cancel(hand, "fault")
    assert as_seen_by(events, None).splitlines()[-3:] == [
        "Cancelled (fault): every stack is what it was before the ante",
        "  Ada  50 (+0)",
        "  Bob  50 (+0)",
    ]
