"""Laws of every hand that its cards decide: who opens, who shows, who is paid; each reckoned here a second time.

The reckoning is as plain as it can be, and of the engine uses only the ranking, which has tests of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import event as note
from hypothesis import given

from engine.rules.actions import SeatNo
from engine.rules.cards import RANK_OF, SUIT_OF, Card
from engine.rules.events import (
    AntePosted,
    BetMade,
    BringInPosted,
    Called,
    CardBurnt,
    CardDealt,
    CommonCardDealt,
    Completed,
    Folded,
    HandEvent,
    HandMucked,
    HandShown,
    HandsTabled,
    PotAwarded,
    Raised,
    RakeTaken,
    RoundOpened,
    UncalledReturned,
)
from engine.rules.pots import Contribution
from engine.rules.ranking import name_of, strength
from tests.engine.rules.hands import told
from tests.engine.rules.random_hands import Chooser, Setup, choosers, setups, whole
from tests.engine.rules.test_pots import chip_by_chip

hands = given(setup=setups(), chooser=choosers())


def order_of(setup: Setup) -> list[SeatNo]:
    """The seats clockwise from the dealer's left."""
    seats = sorted(one.seat for one in setup.seats)
    return [seat for seat in seats if seat > setup.dealer] + [seat for seat in seats if seat <= setup.dealer]


def folded_by(events: Sequence[HandEvent]) -> list[SeatNo]:
    return [one.seat for one in events if isinstance(one, Folded)]


@hands
def test_a3_a6_who_opens(setup: Setup, chooser: Chooser) -> None:
    _, events, _ = whole(setup, chooser)
    stack = {one.seat: one.stack_chips for one in setup.seats}
    up: dict[SeatNo, list[Card]] = {one.seat: [] for one in setup.seats}
    common: list[Card] = []
    for number, event in enumerate(events):
        match event:
            case AntePosted() | BringInPosted() | Completed() | BetMade() | Raised() | Called() | UncalledReturned():
                stack[event.seat] = event.stack_chips
            case CardDealt(face="up"):
                up[event.seat].append(event.card)
            case CommonCardDealt():
                common.append(event.card)
            case RoundOpened():
                live = [seat for seat in order_of(setup) if seat not in folded_by(events[:number])]
                if len(up[live[0]]) == 1:
                    speaker = min(live, key=lambda seat: (RANK_OF[up[seat][0]], SUIT_OF[up[seat][0]]))
                else:
                    best = max(board_value(up[seat] + common) for seat in live)
                    speaker = next(seat for seat in live if board_value(up[seat] + common) == best)
                after = live.index(speaker)
                funded = [seat for seat in live[after:] + live[:after] if stack[seat]]
                assert event.seat == (funded[0] if funded else speaker)
                assert event.betting is (len(funded) > 1)
            case _:
                pass


def board_value(cards: Sequence[Card]) -> tuple[list[int], list[int]]:
    """How often each rank shows, most often first and then from the highest: quads over trips over pairs over ranks."""
    counted = Counter(RANK_OF[card] for card in cards)
    ranks = sorted(counted, key=lambda rank: (counted[rank], rank), reverse=True)
    return [counted[rank] for rank in ranks], ranks


@hands
def test_a1_a7_the_deck_is_dealt_in_its_order(setup: Setup, chooser: Chooser) -> None:
    _, events, _ = whole(setup, chooser)
    used = [one for one in events if isinstance(one, CardDealt | CardBurnt | CommonCardDealt)]
    assert [one.card for one in used[:52]] == setup.deck[: len(used[:52])]
    burnt = [one.card for one in told(events, CardBurnt)]
    assert [one.card for one in used[52:]] == burnt[: len(used[52:])]
    for street in setup.variant.streets:
        seats = [one.seat for one in told(events, CardDealt) if one.street == street.number]
        assert seats == [seat for seat in order_of(setup) if seat in seats] * len(street.deal)


@hands
def test_a8_each_pot_goes_to_the_best_of_those_with_a_claim(setup: Setup, chooser: Chooser) -> None:
    hand, events, _ = whole(setup, chooser)
    put_in: dict[SeatNo, int] = {one.seat: 0 for one in setup.seats}
    for event in events:
        if isinstance(event, AntePosted | BringInPosted | Completed | BetMade | Raised | Called):
            put_in[event.seat] += event.added_chips
        elif isinstance(event, UncalledReturned):
            put_in[event.seat] -= event.returned_chips
    folded, order = folded_by(events), order_of(setup)
    live = [seat for seat in order if seat not in folded]
    common = [one.card for one in told(events, CommonCardDealt)]
    best = {seat: strength([*hand.player(seat).cards, *common]) if len(live) > 1 else 0 for seat in live}
    rake = {one.pot: one.amount_chips for one in told(events, RakeTaken)}
    expected: list[tuple[int, dict[SeatNo, int]]] = []
    contributions = [Contribution(seat=seat, total_chips=put_in[seat], folded=seat in folded) for seat in order]
    pots = [pot for pot in chip_by_chip(contributions) if pot.amount_chips] if any(put_in.values()) else []
    for number, pot in enumerate(pots):
        top = max(best[seat] for seat in pot.seats)
        winners = [seat for seat in order if seat in pot.seats and best[seat] == top]
        each, odd = divmod(pot.amount_chips - rake.get(number, 0), len(winners))
        expected.append((number, {seat: each + (odd if seat == winners[0] else 0) for seat in winners}))
    paid = [(one.pot, {share.seat: share.amount_chips for share in one.shares}) for one in told(events, PotAwarded)]
    assert paid == expected[::-1]


@hands
def test_a9_who_shows_in_which_order_and_who_may_muck(setup: Setup, chooser: Chooser) -> None:
    hand, events, _ = whole(setup, chooser)
    folded, order = folded_by(events), order_of(setup)
    live = [seat for seat in order if seat not in folded]
    turned = [one for one in events if isinstance(one, HandShown | HandMucked)]
    if len(live) == 1:
        assert not turned
        return
    assert [one.seat for one in turned] == expected_order(events, order, live)
    paid = {share.seat for one in told(events, PotAwarded) for share in one.shares if share.amount_chips}
    mucked = {one.seat for one in told(events, HandMucked)}
    assert not paid & mucked
    assert isinstance(turned[0], HandShown)
    if told(events, HandsTabled):
        assert not mucked
    note(f"{len(mucked)} mucked")
    common = [one.card for one in told(events, CommonCardDealt)]
    for shown in told(events, HandShown):
        assert shown.cards == hand.player(shown.seat).cards
        assert shown.name == name_of(strength([*shown.cards, *common]))


def expected_order(events: Sequence[HandEvent], order: list[SeatNo], live: list[SeatNo]) -> list[SeatNo]:
    if told(list(events), HandsTabled):
        return live
    last_round = max(number for number, event in enumerate(events) if isinstance(event, RoundOpened))
    wagers = [one.seat for one in events[last_round:] if isinstance(one, Completed | BetMade | Raised)]
    opened = told(list(events), RoundOpened)[-1].seat
    start = order.index(wagers[-1] if wagers else opened)
    return [seat for seat in order[start:] + order[:start] if seat in live]
