"""A betting round: who is to act, what is offered at what price, what a wager does (`rules.md` A3, A4).

A row is a rule, the stacks that are not 300 and a hand's tokens; `?3=fold,call(25)` holds the options of seat 3. The
ante is 1, so a stack of 6 has 5 for the round. The open pair's street is in `test_open_pair.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.rules import betting, stud
from engine.rules.actions import BringIn, Option, SeatNo
from engine.rules.betting import BettingRound, Bettor
from engine.rules.events import BringInPosted, Called, Completed, Raised
from tests.engine.rules.hands import choices, even, five, seven, told

FOURTH = "3:bring 1:call 2:call"
"""Three limp in with the bring-in; seat 1 opens fourth street, then 2 and 3 act."""

FIFTH = f"{FOURTH} 1:check 2:check 3:check"
"""Fourth street is checked; seat 1 opens fifth, where the bet is 20. A stack of 23 has 20 left."""

FIFTH4 = "3:bring 4:call 1:call 2:call 1:check 2:check 3:check 4:check"
FIFTH5 = "3:bring 4:call 5:call 1:call 2:call 1:check 2:check 3:check 4:check 5:check"

SHORT = dict[int, int]


def row(rule: str, short: SHORT, tokens: str) -> Any:
    return pytest.param(short, tokens, id=rule)


def filled(short: SHORT, tokens: str) -> SHORT:
    """Three seats with 300 each, or as many as the row names."""
    named = [seat for seat in (4, 5) if f"{seat}:" in tokens or seat in short]
    return even(300, seats=max([3, *named])) | short


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row("A3.2 brings in or completes, never folds", {}, "?3=bring(2),complete(10)"),
        row("A3.3 the next may complete, to the small bet and not on top", {}, "3:bring ?1=fold,call(2),complete(10)"),
        row("A3.3 so may one after a caller", {}, "3:bring 1:call ?2=fold,call(2),complete(10)"),
        row(
            "A3.3 completing is the bet, three raises follow", {}, "3:complete 1:raise 2:raise 3:raise ?1=fold,call(40)"
        ),
        row("A3.3 the poster may raise it", {}, "3:bring 1:complete 2:fold ?3=fold,call(10),raise(20)"),
        row("A3.3 a caller may raise it", {}, "3:bring 1:call 2:complete 3:fold ?1=fold,call(10),raise(20)"),
        row("A3.5 all call: no option for the poster", {}, "3:bring 1:call 2:call ?1=fold,check,bet(10)"),
        row("A3.6 a short poster: the price stays", {3: 2}, "?3=bring(1) 3:bring ?1=fold,call(2),complete(10)"),
        row("A3.6 just the bring-in", {3: 3}, "?3=bring(2) 3:bring ?1=fold,call(2),complete(10)"),
        row("A4 poster all-in for half", {3: 6}, "?3=bring(2),complete(5) 3:complete ?1=fold,call(5),raise(15)"),
        row("A4 poster all-in under half", {3: 5}, "?3=bring(2),complete(4) 3:complete ?1=fold,call(4),complete(10)"),
        row("A4 caller all-in for less than the bring-in", {1: 2}, "3:bring ?1=fold,call(1)"),
        row("A4 caller with the bring-in exactly", {1: 3}, "3:bring ?1=fold,call(2)"),
        row(
            "A4 caller all-in over half",
            {1: 8},
            "3:bring ?1=fold,call(2),complete(7) 1:complete ?2=fold,call(7),raise(17)",
        ),
        row("A4 caller all-in by the raise", {1: 15}, "3:complete ?1=fold,call(10),raise(14)"),
        row("A4 under half does not reopen to the poster", {1: 5}, "3:bring 1:complete 2:call ?3=fold,call(4)"),
        row("A4 under half does not reopen to a caller", {2: 5}, "3:bring 1:call 2:complete 3:call ?1=fold,call(4)"),
        row("A4 half does", {1: 6}, "3:bring 1:complete 2:call ?3=fold,call(5),raise(15)"),
        row(
            "A4 one yet to act completes, which reopens",
            {1: 5},
            "3:bring 1:complete 2:complete ?3=fold,call(10),raise(20)",
        ),
        row(
            "A4 4 and then 5: a full wager",
            {4: 5, 1: 6},
            "3:bring 4:complete 1:complete 2:call ?3=fold,call(5),raise(15)",
        ),
        row(
            "A4 4 and then 4: nothing", {4: 5, 1: 5}, "3:bring 4:complete ?1=fold,call(4) 1:call 2:call ?3=fold,call(4)"
        ),
        row(
            "A4 a short completion is none of the four",
            {1: 5},
            "3:bring 1:complete 2:complete 3:raise 2:raise 3:raise ?2=fold,call(40)",
        ),
        row("A4 a half one is", {1: 6}, "3:bring 1:complete 2:raise 3:raise 2:raise ?3=fold,call(35)"),
    ],
)
def test_a3_seven_card_first_round(short: SHORT, tokens: str) -> None:
    seven(tokens, stacks=filled(short, tokens))


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row("its price", {}, "?3=bring(6),complete(10) 3:bring ?1=fold,call(6),complete(10)"),
        row(
            "all-in a chip over it is over half of the bet",
            {1: 8},
            "3:bring ?1=fold,call(6),complete(7) 1:complete ?2=fold,call(7),raise(17)",
        ),
        row("and the poster's level counts as nothing", {1: 8}, "3:bring 1:complete 2:call ?3=fold,call(7),raise(17)"),
        row("a caller's too", {1: 8}, "3:bring 4:call 1:complete 2:fold 3:call ?4=fold,call(7),raise(17)"),
        row(
            "a short poster has made no wager even with half of the bet",
            {3: 6},
            "?3=bring(5) 3:bring ?1=fold,call(6),complete(10)",
        ),
    ],
)
def test_a3_a_bring_in_of_more_than_half_the_small_bet(short: SHORT, tokens: str) -> None:
    seven(tokens, stacks=filled(short, tokens), bring_in=6)


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row("A3.4 nothing to complete, no fold", {}, "?1=bring(10)"),
        row("A3.4 the first raise is to twice the small bet", {}, "1:bring ?2=fold,call(10),raise(20)"),
        row("A3.4 three raises follow", {}, "1:bring 2:raise 3:raise 1:raise ?2=fold,call(40)"),
        row("A3.4 a short poster has made the bet", {1: 5}, "?1=bring(4) 1:bring ?2=fold,call(10),raise(20)"),
        row("A3.4 which is one of four", {1: 5}, "1:bring 2:raise 3:raise 2:raise ?3=fold,call(40)"),
        row("A3.5 all call: no option for the poster", {}, "1:bring 2:call 3:call ?2=fold,check,bet(10)"),
        row(
            "A4 a five-card bring-in is a full bet to reopening",
            {2: 15},
            "1:bring ?2=fold,call(10),raise(14) 2:raise ?3=fold,call(14),raise(20) 3:call ?1=fold,call(14)",
        ),
        row("A4 half over it reopens", {2: 16}, "1:bring 2:raise 3:call ?1=fold,call(15),raise(25)"),
        row("A4 the caller of a full bet is closed as well", {3: 15}, "1:bring 2:call 3:raise 1:call ?2=fold,call(14)"),
    ],
)
def test_a3_five_card_first_round(short: SHORT, tokens: str) -> None:
    five(tokens, stacks=filled(short, tokens))


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row("brings in or completes", {}, "?1=bring(4),complete(10) 1:bring ?2=fold,call(4),complete(10)"),
        row("completing is the bet", {}, "1:bring 2:complete 3:raise 1:raise 2:raise ?3=fold,call(40)"),
        row("the poster is open", {}, "1:bring 2:call 3:complete ?1=fold,call(10),raise(20)"),
        row("a short poster has made no bet", {1: 3}, "?1=bring(2) 1:bring ?2=fold,call(4),complete(10)"),
        row("under half stays closed to the poster", {2: 5}, "1:bring ?2=fold,call(4)"),
        row("all-in for half", {2: 6}, "1:bring ?2=fold,call(4),complete(5) 2:complete ?3=fold,call(5),raise(15)"),
        row("another seat opens for one all-in, as he likes", {1: 1}, "?2=fold,bring(4),complete(10)"),
    ],
)
def test_a3_five_card_with_a_lower_bring_in(short: SHORT, tokens: str) -> None:
    five(tokens, stacks=filled(short, tokens), bring_in=4)


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row("he may fold, bring in or complete", {}, "?4=fold,bring(2),complete(10)"),
        row("if he folds, the next has the same choice", {}, "4:fold ?1=fold,bring(2),complete(10)"),
        row("with a short stack too", {4: 2}, "?4=fold,bring(1) 4:bring ?1=fold,call(2),complete(10)"),
        row("he may complete all-in", {4: 8}, "?4=fold,bring(2),complete(7)"),
        row("all but one fold: the last owes nothing", {}, "4:fold 1:fold"),
        row("a bring-in is owed by the rest", {}, "4:fold 1:bring ?2=fold,call(2),complete(10)"),
        row(
            "who called may be raised, who brought in may raise",
            {},
            "4:bring 1:call 2:complete ?4=fold,call(10),raise(20)",
        ),
        row("all fold to the bring-in: no more betting", {}, "4:bring 1:fold 2:fold"),
    ],
)
def test_a3_7_the_low_card_is_all_in_and_the_next_one_opens(short: SHORT, tokens: str) -> None:
    hand, _ = seven(tokens, stacks=even(300, seats=4) | {3: 1} | short)
    assert hand.over is tokens.endswith("1:fold" if "bring" not in tokens else "2:fold")


def test_a3_7_five_card_fold_or_bring_in() -> None:
    hand, _ = five("?2=fold,bring(10) 2:fold ?3=fold,bring(10) 3:fold", stacks=even(300, seats=4) | {1: 1})
    assert hand.over


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row("nothing to call against the all-in low card", {3: 1, 4: 1, 1: 1}, ""),
        row("nor for the low card against an all-in rest", {1: 1, 2: 1, 4: 1}, ""),
        row("he owes: he is asked", {3: 2, 1: 1, 4: 1}, "3:bring ?2=fold,call(2)"),
        row("mid-round: two fold, the last one owes nothing", {1: 3}, "3:bring 4:fold 1:call 2:fold"),
        row("mid-round: a free check is not asked for", {1: 3}, "3:bring 4:fold 1:call 2:call 2:fold"),
        row("mid-round: the caller owes", {1: 23}, f"{FIFTH4} 1:bet 2:fold 3:fold ?4=fold,call(20)"),
        row("and when he has called it is over", {1: 23}, f"{FIFTH4} 1:bet 2:fold 3:fold 4:call"),
        row("no round is opened for a lone one", {1: 3, 2: 3, 4: 3}, "3:bring 4:call 1:call 2:call"),
    ],
)
def test_a3_8_betting_ends_when_the_last_one_with_chips_owes_nothing(short: SHORT, tokens: str) -> None:
    hand, _ = seven(tokens, stacks=even(300, seats=4) | short)
    assert hand.over is (not tokens.split() or not tokens.split()[-1].startswith("?"))


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row("fold is always there", {}, f"{FOURTH} ?1=fold,check,bet(10) 1:fold ?2=fold,check,bet(10)"),
        row("small on fourth, big from fifth", {}, f"{FIFTH} ?1=fold,check,bet(20)"),
        row(
            "exactly one unit more", {}, f"{FIFTH} 1:bet ?2=fold,call(20),raise(40) 2:raise ?3=fold,call(40),raise(60)"
        ),
        row("check and raise", {}, f"{FIFTH} 1:check 2:bet 3:fold ?1=fold,call(20),raise(40)"),
        row("after the fourth wager fold or call", {}, f"{FIFTH} 1:bet 2:raise 3:raise 1:raise ?2=fold,call(80)"),
        row("also heads-up", {}, f"{FIFTH} 1:bet 2:raise 3:fold 1:raise 2:raise ?1=fold,call(80)"),
        row(
            "also for one with ten more",
            {2: 93},
            f"{FIFTH} 1:bet 2:call 3:raise 1:raise 2:call 3:raise 1:call ?2=fold,call(80)",
        ),
        row(
            "all-in for the very price",
            {2: 63},
            f"{FIFTH} 1:bet 2:call 3:raise 1:raise ?2=fold,call(60) 2:call ?3=fold,call(60),raise(80)",
        ),
        row(
            "the next round counts anew",
            {},
            f"{FOURTH} 1:bet 2:raise 3:raise 1:raise 2:call 3:call ?1=fold,check,bet(20)",
        ),
        row("a raise needs another one with chips", {1: 23, 3: 3}, f"{FOURTH} 1:check 2:check 1:bet ?2=fold,call(20)"),
        row("and another one is enough", {1: 23}, f"{FIFTH} 1:bet ?2=fold,call(20),raise(40)"),
        row("a short raise is offered", {2: 32}, f"{FIFTH} 1:bet ?2=fold,call(20),raise(29)"),
        row("a short bet too", {1: 5}, f"{FIFTH} ?1=fold,check,bet(2)"),
        row("a chip over the price is a raise", {2: 24}, f"{FIFTH} 1:bet ?2=fold,call(20),raise(21)"),
        row("the price exactly is a call", {2: 23}, f"{FIFTH} 1:bet ?2=fold,call(20)"),
    ],
)
def test_a4_turns_and_prices(short: SHORT, tokens: str) -> None:
    seven(tokens, stacks=filled(short, tokens))


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row(
            "15 on a 20 street: next to 35", {1: 18}, f"{FIFTH} ?1=fold,check,bet(15) 1:bet ?2=fold,call(15),raise(35)"
        ),
        row("10 on a 20 street is half: next to 30", {1: 13}, f"{FIFTH} 1:bet ?2=fold,call(10),raise(30)"),
        row("9 is under half: complete to 20", {1: 12}, f"{FIFTH} 1:bet ?2=fold,call(9),complete(20)"),
        row("and the next raise is to 40", {1: 12}, f"{FIFTH} 1:bet 2:complete ?3=fold,call(20),raise(40)"),
        row("9 over 20: next to 40", {2: 32}, f"{FIFTH} 1:bet 2:raise ?3=fold,call(29),raise(40)"),
        row("10 over 20: next to 50", {2: 33}, f"{FIFTH} 1:bet 2:raise ?3=fold,call(30),raise(50)"),
        row("19 over 20: next to 59", {2: 42}, f"{FIFTH} 1:bet 2:raise ?3=fold,call(39),raise(59)"),
        row(
            "a short raise is no wager of four",
            {2: 32},
            f"{FIFTH} 1:bet 2:raise 3:raise 1:raise 3:raise ?1=fold,call(80)",
        ),
        row("a half one is", {2: 33}, f"{FIFTH} 1:bet 2:raise 3:raise 1:raise ?3=fold,call(70)"),
        row("a short bet is none", {1: 12}, f"{FIFTH} 1:bet 2:complete 3:raise 2:raise 3:raise ?2=fold,call(80)"),
        row(
            "a short fourth wager: the price rises, one is left",
            {1: 300, 2: 300, 3: 72},
            f"{FIFTH} 1:bet 2:raise 3:call 1:raise 2:call 3:raise ?1=fold,call(69)",
        ),
        row(
            "short over short over a bet: 6, then 9",
            {2: 29, 3: 32},
            f"{FIFTH4} 1:bet 2:raise ?3=fold,call(26),raise(29) 3:raise ?4=fold,call(29),raise(40)",
        ),
        row(
            "the third makes half: base 30",
            {2: 29, 3: 32, 4: 33},
            f"{FIFTH5} 1:bet 2:raise 3:raise ?4=fold,call(29),raise(30) 4:raise ?5=fold,call(30),raise(50)",
        ),
        row(
            "a short opening, then half of the bet: base 12",
            {1: 12, 2: 15},
            f"{FIFTH4} 1:bet ?2=fold,call(9),complete(12) 2:complete ?3=fold,call(12),raise(32)",
        ),
        row(
            "a short opening, then a short one: base none",
            {1: 10, 2: 12},
            f"{FIFTH4} 1:bet 2:complete ?3=fold,call(9),complete(20)",
        ),
    ],
)
def test_a4_half_bet_rule(short: SHORT, tokens: str) -> None:
    seven(tokens, stacks=filled(short, tokens))


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row(
            "2 over 5: next to 10",
            {1: 13, 2: 9},
            f"{FOURTH} 1:bet ?2=fold,call(5),raise(7) 2:raise ?3=fold,call(7),raise(10)",
        ),
        row("1 over 5: next to 10", {2: 8}, f"{FOURTH} 1:bet 2:raise ?3=fold,call(6),raise(10)"),
        row("3 over 5 is over half: next to 13", {2: 10}, f"{FOURTH} 1:bet 2:raise ?3=fold,call(8),raise(13)"),
        row("opening for 2", {1: 4}, f"{FOURTH} 1:bet ?2=fold,call(2),complete(5)"),
        row("opening for 3", {1: 5}, f"{FOURTH} 1:bet ?2=fold,call(3),raise(8)"),
        row("first round: 2 over a bring-in of 1", {1: 3}, "3:bring 1:complete ?2=fold,call(2),complete(5)"),
        row("first round: 3 over a bring-in of 1", {1: 4}, "3:bring 1:complete ?2=fold,call(3),raise(8)"),
        row("2 does not reopen", {2: 9}, f"{FOURTH} 1:bet 2:raise 3:call ?1=fold,call(7)"),
        row("3 does", {2: 10}, f"{FOURTH} 1:bet 2:raise 3:call ?1=fold,call(8),raise(13)"),
    ],
)
def test_a4_half_of_an_odd_unit_is_not_rounded(short: SHORT, tokens: str) -> None:
    """Stakes 5/10, ante 1, bring-in 1: half of 5 lies between 2 and 3."""
    seven(tokens, stacks=even(300, seats=3) | short, small=5, big=10, bring_in=1)


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row("9 over: the bettor may only call", {2: 32}, f"{FIFTH} 1:bet 2:raise 3:call ?1=fold,call(29)"),
        row("10 over: he may raise", {2: 33}, f"{FIFTH} 1:bet 2:raise 3:call ?1=fold,call(30),raise(50)"),
        row("who has not acted may raise", {2: 32}, f"{FIFTH} 1:bet 2:raise ?3=fold,call(29),raise(40)"),
        row("which reopens to the bettor", {2: 32}, f"{FIFTH} 1:bet 2:raise 3:raise ?1=fold,call(40),raise(60)"),
        row(
            "two short ones add up", {2: 29, 3: 33}, f"{FIFTH4} 1:bet 2:raise 3:raise 4:call ?1=fold,call(30),raise(50)"
        ),
        row(
            "three do",
            {2: 29, 3: 32, 4: 33},
            f"{FIFTH5} 1:bet 2:raise 3:raise 4:raise 5:call ?1=fold,call(30),raise(50)",
        ),
        row("two that do not reach half", {2: 29, 3: 32}, f"{FIFTH4} 1:bet 2:raise 3:raise 4:call ?1=fold,call(29)"),
        row(
            "a caller counts from where he called",
            {2: 29, 4: 34},
            f"{FIFTH4} 1:bet 2:raise 3:call 4:raise ?1=fold,call(31),raise(51) 1:call ?3=fold,call(31)",
        ),
        row(
            "until somebody raises again",
            {2: 29, 4: 34},
            f"{FIFTH4} 1:bet 2:raise 3:call 4:raise 1:raise ?3=fold,call(51),raise(71)",
        ),
        row(
            "who checked may not complete a short opening",
            {2: 12},
            f"{FIFTH} 1:check 2:bet ?3=fold,call(9),complete(20) 3:call ?1=fold,call(9)",
        ),
        row("who checked may raise half of a bet", {2: 13}, f"{FIFTH} 1:check 2:bet 3:call ?1=fold,call(10),raise(30)"),
        row(
            "a called opening under half counts as nothing",
            {1: 12, 4: 15},
            f"{FIFTH4} 1:bet 2:call 3:call 4:complete ?2=fold,call(12),raise(32)",
        ),
        row(
            "called and raised to less than half in all",
            {1: 8, 4: 12},
            f"{FIFTH4} 1:bet 2:call 3:call 4:complete ?2=fold,call(9)",
        ),
        row(
            "a check, then a short opening and a short raise",
            {2: 12, 3: 15},
            f"{FIFTH4} 1:check 2:bet 3:complete 4:call ?1=fold,call(12),raise(32)",
        ),
    ],
)
def test_a4_reopening(short: SHORT, tokens: str) -> None:
    seven(tokens, stacks=filled(short, tokens))


@pytest.mark.parametrize(
    ("uncapped", "seats", "tokens"),
    [
        pytest.param(*case, id=rule)
        for rule, *case in [
            ("two from the start", True, 2, "2:bring 1:complete 2:raise 1:raise 2:raise ?1=fold,call(40),raise(50)"),
            ("where the house has none", False, 2, "2:bring 1:complete 2:raise 1:raise 2:raise ?1=fold,call(40)"),
            ("after two wagers", True, 3, f"{FIFTH} 1:bet 2:raise 3:fold 1:raise 2:raise ?1=fold,call(80),raise(100)"),
            ("after three", True, 3, f"{FIFTH} 1:bet 2:raise 3:raise 1:fold 2:raise ?3=fold,call(80),raise(100)"),
            ("not after the fourth", True, 3, f"{FIFTH} 1:bet 2:raise 3:raise 1:raise 2:fold ?3=fold,call(80)"),
            ("not while there are three", True, 3, f"{FIFTH} 1:bet 2:raise 3:raise 1:raise ?2=fold,call(80)"),
            (
                "the next round anew",
                True,
                3,
                f"{FIFTH} 1:bet 2:raise 3:raise 1:raise 2:fold 3:call "
                "1:bet 3:raise 1:raise 3:raise ?1=fold,call(80),raise(100)",
            ),
        ]
    ],
)
def test_a4_heads_up_uncapped(uncapped: bool, seats: int, tokens: str) -> None:  # noqa: FBT001 - a table's column
    seven(tokens, stacks=even(1000, seats=seats), heads_up_uncapped=uncapped)


def test_a4_heads_up_means_two_who_have_not_folded() -> None:
    """One who is all-in is still in the round, so three of them are not heads-up."""
    tokens = f"{FIFTH} 1:bet 2:call 3:raise 1:raise 3:raise ?1=fold,call(80)"
    seven(tokens, stacks=even(1000, seats=3) | {2: 23}, heads_up_uncapped=True)


def test_a4_amounts_are_to_with_added_beside_it() -> None:
    _, events = seven("3:bring 1:complete 2:raise 3:call", stacks=even(100, seats=3))
    assert told(events, BringInPosted) == [
        BringInPosted(
            seat=SeatNo(3), to_chips=2, added_chips=2, stack_chips=97, all_in=False, price_chips=2, full=False
        )
    ]
    assert told(events, Completed) == [
        Completed(seat=SeatNo(1), to_chips=10, added_chips=10, stack_chips=89, all_in=False, full=True, big=False)
    ]
    assert told(events, Raised) == [
        Raised(seat=SeatNo(2), to_chips=20, added_chips=20, stack_chips=79, all_in=False, full=True, big=False)
    ]
    assert told(events, Called) == [Called(seat=SeatNo(3), to_chips=20, added_chips=18, stack_chips=79, all_in=False)]


def test_options_tell_what_they_take_and_whether_they_reopen() -> None:
    hand, _ = seven(f"{FIFTH} 1:bet", stacks={1: 300, 2: 32, 3: 300})
    fold, call, short = stud.legal(hand)[SeatNo(2)]
    assert (fold.added_chips, fold.all_in, fold.full) == (0, False, True)
    assert (call.added_chips, call.all_in, call.full) == (20, False, True)
    assert (short.added_chips, short.all_in, short.full, short.size) == (29, True, False, None)


def test_a_short_bring_in_is_marked_all_in() -> None:
    hand, _ = seven(stacks={1: 300, 2: 300, 3: 2})
    assert stud.legal(hand) == {3: (Option(action=BringIn(to_chips=1), added_chips=1, all_in=True),)}
    assert choices(hand) == "?3=bring(1)"


def bettors(*stacks: int, folded: tuple[int, ...] = ()) -> list[Bettor]:
    return [
        Bettor(seat=SeatNo(seat), stack_chips=chips, folded=seat in folded)
        for seat, chips in enumerate(stacks, start=1)
    ]


def a_round(*, pointer: int = -1, price_chips: int = 0) -> BettingRound:
    return BettingRound(
        small_chips=20,
        big_chips=20,
        bring_in_chips=0,
        max_wagers=4,
        pointer=pointer,
        forced=False,
        first_round=False,
        price_chips=price_chips,
    )


@pytest.mark.parametrize(
    ("players", "pointer", "expected"),
    [
        pytest.param(bettors(50, 50, 50), -1, 0, id="the opener first"),
        pytest.param(bettors(50, 50, 50), 0, 1, id="then clockwise"),
        pytest.param(bettors(50, 50, 50), 2, 0, id="and around"),
        pytest.param(bettors(50, 50, 50, folded=(2,)), 0, 2, id="folded ones are passed over"),
        pytest.param(bettors(50, 0, 50), 0, 2, id="all-in ones too"),
        pytest.param(bettors(50, 0, 0), -1, None, id="a lone one with chips is not asked"),
        pytest.param(bettors(0, 0, 0), -1, None, id="nobody has chips"),
        pytest.param(bettors(50, 50, folded=(1,)), -1, None, id="nobody is left to play against"),
    ],
)
def test_to_act(players: list[Bettor], pointer: int, expected: int | None) -> None:
    assert betting.to_act(a_round(pointer=pointer), players) == expected


def test_to_act_asks_a_lone_one_with_chips_who_owes() -> None:
    assert betting.to_act(a_round(price_chips=10), bettors(50, 0)) == 0
