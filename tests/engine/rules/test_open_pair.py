"""An open pair on fourth street: two sizes of a wager (`rules.md` A5).

Stakes 10/20, ante 1, bring-in 2: a stack of 18 has 15 left on fourth street. Seat 2 shows a pair of sevens there and
opens; then 3 and 1 act, or 3, 4 and 1, or 3, 4, 5 and 1.
"""

from __future__ import annotations

import pytest

from engine.rules.events import BetMade, Raised, RoundOpened
from tests.engine.rules.hands import even, seven, told
from tests.engine.rules.test_betting import SHORT, filled, row

PAIR = {2: "7h 7d 7c 7s 5s Td Jh"}
LIMPED = "3:bring 1:call 2:call"
LIMPED4 = "3:bring 4:call 1:call 2:call"
LIMPED5 = "3:bring 4:call 5:call 1:call 2:call"


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row("small or big", {}, f"{LIMPED} ?2=fold,check,bet(10),bet2(20)"),
        row("not the pair's owner alone", {}, f"{LIMPED} 2:check ?3=fold,check,bet(10),bet2(20)"),
        row("the last one too", {}, f"{LIMPED} 2:check 3:check ?1=fold,check,bet(10),bet2(20)"),
        row("also when the owner has folded", {}, f"{LIMPED} 2:fold ?3=fold,check,bet(10),bet2(20)"),
        row("after a small bet by either", {}, f"{LIMPED} 2:bet ?3=fold,call(10),raise(20),raise2(30)"),
        row("after a small raise too", {}, f"{LIMPED} 2:bet 3:raise ?1=fold,call(20),raise(30),raise2(40)"),
        row("after a big bet by big only", {}, f"{LIMPED} 2:bet2 ?3=fold,call(20),raise(40)"),
        row("after a big raise by big only", {}, f"{LIMPED} 2:bet 3:raise2 ?1=fold,call(30),raise(50)"),
        row("for the rest of the round", {}, f"{LIMPED} 2:bet2 3:raise 1:raise ?2=fold,call(60),raise(80)"),
        row("the cap counts any size", {}, f"{LIMPED} 2:bet 3:raise 1:raise2 2:raise ?3=fold,call(60)"),
        row("four small ones", {}, f"{LIMPED} 2:bet 3:raise 1:raise 2:raise ?3=fold,call(40)"),
        row("fifth street is big anyway", {}, f"{LIMPED} 2:check 3:check 1:check ?2=fold,check,bet(20)"),
    ],
)
def test_a5_sizes(short: SHORT, tokens: str) -> None:
    seven(tokens, stacks=filled(short, tokens), cards=PAIR)


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row("both cut to one number: one word", {2: 10}, f"{LIMPED} ?2=fold,check,bet(7)"),
        row("the small bet exactly", {2: 13}, f"{LIMPED} ?2=fold,check,bet(10)"),
        row("the big one cut", {2: 14}, f"{LIMPED} ?2=fold,check,bet(10),bet2(11)"),
        row("the big bet exactly", {2: 23}, f"{LIMPED} ?2=fold,check,bet(10),bet2(20)"),
        row("raises cut to one", {3: 18}, f"{LIMPED} 2:bet ?3=fold,call(10),raise(15)"),
        row("the big raise cut", {3: 28}, f"{LIMPED} 2:bet ?3=fold,call(10),raise(20),raise2(25)"),
        row("a raise over a big bet cut", {3: 30}, f"{LIMPED} 2:bet2 ?3=fold,call(20),raise(27)"),
        row(
            "raises of one who has chips in, cut to one",
            {2: 30},
            f"{LIMPED} 2:bet 3:raise 1:fold ?2=fold,call(20),raise(27)",
        ),
        row("completions cut to one", {2: 7, 3: 12}, f"{LIMPED} 2:bet ?3=fold,call(4),complete(9)"),
    ],
)
def test_a5_options_are_cut_to_the_stack(short: SHORT, tokens: str) -> None:
    seven(tokens, stacks=filled(short, tokens), cards=PAIR)


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row("15 is a small wager, whatever word", {2: 18}, f"{LIMPED} 2:bet2 ?3=fold,call(15),raise(25),raise2(35)"),
        row("19 too", {2: 22}, f"{LIMPED} 2:bet2 ?3=fold,call(19),raise(29),raise2(39)"),
        row("20 is big", {2: 23}, f"{LIMPED} 2:bet2 ?3=fold,call(20),raise(40)"),
        row("19 over a small bet is small", {3: 32}, f"{LIMPED} 2:bet 3:raise2 ?1=fold,call(29),raise(39),raise2(49)"),
        row("20 over it is big", {3: 33}, f"{LIMPED} 2:bet 3:raise2 ?1=fold,call(30),raise(50)"),
        row("11 over it by the plain word", {3: 24}, f"{LIMPED} 2:bet 3:raise2 ?1=fold,call(21),raise(31),raise2(41)"),
        row("an all-in over a big bet leaves it big", {3: 38}, f"{LIMPED} 2:bet2 3:raise ?1=fold,call(35),raise(55)"),
    ],
)
def test_a5_an_all_in_between_small_and_big_is_a_small_wager(short: SHORT, tokens: str) -> None:
    seven(tokens, stacks=filled(short, tokens), cards=PAIR)


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row(
            "opening for 4: both sizes stay open", {2: 7}, f"{LIMPED} 2:bet ?3=fold,call(4),complete(10),complete2(20)"
        ),
        row("completed small", {2: 7}, f"{LIMPED} 2:bet 3:complete ?1=fold,call(10),raise(20),raise2(30)"),
        row("completed big", {2: 7}, f"{LIMPED} 2:bet 3:complete2 ?1=fold,call(20),raise(40)"),
        row("opening for 5, half of small", {2: 8}, f"{LIMPED} 2:bet ?3=fold,call(5),raise(15),raise2(25)"),
        row("4 over small", {3: 17}, f"{LIMPED} 2:bet 3:raise ?1=fold,call(14),raise(20),raise2(30)"),
        row("5 over small", {3: 18}, f"{LIMPED} 2:bet 3:raise ?1=fold,call(15),raise(25),raise2(35)"),
        row("9 over big is under half of big", {3: 32}, f"{LIMPED} 2:bet2 3:raise ?1=fold,call(29),raise(40)"),
        row("10 over big is half", {3: 33}, f"{LIMPED} 2:bet2 3:raise ?1=fold,call(30),raise(50)"),
        row("9 over a big raise", {1: 42}, f"{LIMPED} 2:bet 3:raise2 1:raise ?2=fold,call(39),raise(50)"),
        row(
            "a short one is no wager of four",
            {2: 7},
            f"{LIMPED4} 2:bet 3:complete 4:raise 1:raise 3:raise ?4=fold,call(40)",
        ),
        row("a half one is", {2: 8}, f"{LIMPED4} 2:bet 3:raise 4:raise2 1:raise ?3=fold,call(55)"),
    ],
)
def test_a5_half_of_small_until_a_big_wager_then_of_big(short: SHORT, tokens: str) -> None:
    seven(tokens, stacks=filled(short, tokens), cards=PAIR)


@pytest.mark.parametrize(
    ("short", "tokens"),
    [
        row(
            "who checked faces 4",
            {3: 7},
            f"{LIMPED} 2:check 3:bet ?1=fold,call(4),complete(10),complete2(20) 1:call ?2=fold,call(4)",
        ),
        row("who checked faces 5", {3: 8}, f"{LIMPED} 2:check 3:bet 1:call ?2=fold,call(5),raise(15),raise2(25)"),
        row("who bet small faces 4 more", {3: 17}, f"{LIMPED} 2:bet 3:raise 1:call ?2=fold,call(14)"),
        row(
            "who bet small faces 5 more",
            {3: 18},
            f"{LIMPED} 2:bet 3:raise 1:call ?2=fold,call(15),raise(25),raise2(35)",
        ),
        row("who bet big faces 9 more", {3: 32}, f"{LIMPED} 2:bet2 3:raise 1:call ?2=fold,call(29)"),
        row("who bet big faces 10 more", {3: 33}, f"{LIMPED} 2:bet2 3:raise 1:call ?2=fold,call(30),raise(50)"),
        row(
            "4 and 1 add up to half of small",
            {3: 17, 4: 18},
            f"{LIMPED4} 2:bet 3:raise 4:raise 1:call ?2=fold,call(15),raise(25),raise2(35)",
        ),
        row(
            "9 and 1 add up to half of big",
            {3: 32, 4: 33},
            f"{LIMPED4} 2:bet2 3:raise 4:raise 1:call ?2=fold,call(30),raise(50)",
        ),
        row(
            "25 since the small bet reopens, 5 since the call does not",
            {3: 33, 5: 38},
            f"{LIMPED5} 2:bet 3:raise2 4:call 5:raise 1:call ?2=fold,call(35),raise(50) 2:call ?4=fold,call(35)",
        ),
    ],
)
def test_a5_reopening(short: SHORT, tokens: str) -> None:
    seven(tokens, stacks=filled(short, tokens), cards=PAIR)


def test_a5_with_equal_stakes_there_is_one_size() -> None:
    seven(f"{LIMPED} ?2=fold,check,bet(10)", stacks=even(300, seats=3), cards=PAIR, big=10)


@pytest.mark.parametrize(
    ("rule", "tokens", "cards", "short", "open_pair"),
    [
        ("a pair shows", LIMPED, PAIR, {}, True),
        ("none does", LIMPED, {}, {}, False),
        ("a down card makes no open pair", LIMPED, {2: "7h 4c 7c 4d 5s Td Jh"}, {}, False),
        ("the owner is all-in", LIMPED, PAIR, {2: 3}, True),
        ("he was gone before", "3:bring 1:call 2:fold", PAIR, {}, False),
    ],
)
def test_a5_the_flag(
    rule: str,
    tokens: str,
    cards: dict[int, str],
    short: SHORT,
    open_pair: bool,  # noqa: FBT001 - a table's column
) -> None:
    _, events = seven(tokens, stacks=even(300, seats=3) | short, cards=cards)
    opened = told(events, RoundOpened)[-1]
    assert (opened.open_pair, opened.small_chips, opened.big_chips) == (open_pair, 10, 20 if open_pair else 10)


def test_a5_the_flag_is_for_fourth_street_alone() -> None:
    _, events = seven(f"{LIMPED} 2:check 3:check 1:check", stacks=even(300, seats=3), cards=PAIR)
    assert [one.open_pair for one in told(events, RoundOpened)] == [False, True, False]


def test_a5_events_tell_a_big_wager_from_a_small_one() -> None:
    _, events = seven(f"{LIMPED} 2:bet 3:raise2 1:raise", stacks=even(300, seats=3), cards=PAIR)
    assert [(one.to_chips, one.big) for one in told(events, BetMade)] == [(10, False)]
    assert [(one.to_chips, one.big) for one in told(events, Raised)] == [(30, True), (50, True)]
