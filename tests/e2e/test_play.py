"""The whole house at once, a short run: `python -m tests.e2e.play` is the long one."""

from __future__ import annotations

import re
from pathlib import Path

from tests.e2e.play import BOTS_PER_TABLE, VARIANTS, run

HANDS = 160

MISCHIEF = {
    *("no json", "not a number", "binary", "a list", "unknown type", "hello again", "no id", "endless id"),
    *("a negative amount", "an amount in words", "beyond all chips", "more than he has", "in another's name"),
    *("a second seat", "another's turn", "a stale turn", "a hand that is over", "a negative raise", "an unknown deed"),
    *("huge", "beyond"),
}


async def test_sixteen_bots_and_a_nuisance_leave_the_house_in_order(tmp_path: Path) -> None:
    report = await run(hands=HANDS, seed=1, folder=tmp_path)
    assert report.hands >= HANDS
    assert report.bot_hands > HANDS * BOTS_PER_TABLE // 2
    assert report.told > report.events * BOTS_PER_TABLE // 2
    assert report.cards > report.hands * len(VARIANTS)
    assert {name for name, _ in report.mischief} == MISCHIEF
    assert report.mischief.total() > 100
    # Bots that race each other's top-ups and turns may be late; nothing else is refused to them.
    assert all(re.fullmatch(r"action/(stale_turn|stale_hand|no_hand|not_your_turn)", code) for code in report.refused)
