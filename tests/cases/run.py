"""Judges a worked case: what it expects beside what the engine does."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from engine.rules.cards import NotACard, parse_cards
from engine.rules.dealing import deck_plan
from engine.rules.errors import AvenueError
from engine.rules.ranking import NotAHand, strength
from tests.cases.case import TYPES, Case, CompareCase, DeckCase, HandCase, HandExpected, read
from tests.cases.play import CaseFailed, Outcome, play

Verdict = Literal["ok", "FAIL", "waits"]


def verdict(raw: dict[str, Any]) -> tuple[Verdict, str]:
    """Judge one case of a file: a word, and what is wrong if something is. A kind that nobody plays yet waits."""
    if raw["kind"] not in TYPES:
        return "waits", ""
    try:
        judge(read(raw))
    except (AvenueError, NotACard, NotAHand) as refused:
        return "FAIL", f"{type(refused).__name__}: {refused} {getattr(refused, 'fields', '')}".rstrip()
    except (CaseFailed, msgspec.ValidationError) as failure:
        return "FAIL", str(failure)
    return "ok", ""


def judge(case: Case) -> None:
    """Raise `CaseFailed` with what differs, if anything does."""
    match case:
        case HandCase():
            _compare_outcome(case.expect, play(case))
        case CompareCase():
            _same("better hand", case.expect, _better(case.a, case.b))
        case DeckCase():
            stub, mode = _deck_plan(case.players_receiving_3rd_to_7th)
            _same("stub_before_7th", case.expect.stub_before_7th, stub)
            _same("mode", case.expect.mode, mode)


def _compare_outcome(expect: HandExpected, got: Outcome) -> None:
    if expect.pots is not None:
        _same("pots", [(amount, sorted(seats)) for amount, seats in expect.pots], got.pots)
    if expect.awards is not None:
        _same("awards", _without_zeros(expect.awards), got.awards)
    if expect.refund is not None:
        _same("refund", _without_zeros(expect.refund), got.refund)
    _same("stacks", expect.stacks, got.stacks)
    if expect.show_order is not None:
        _same("show_order", expect.show_order, got.show_order)
    for street, seat in (expect.first or {}).items():
        _same(f"first on street {street}", seat, got.first.get(street))


def _without_zeros(amounts: dict[int, int]) -> dict[int, int]:
    return {seat: chips for seat, chips in amounts.items() if chips}


def _same(what: str, expected: object, got: object) -> None:
    if expected != got:
        raise CaseFailed(f"{what} expected {expected} got {got}")


def _better(first: str, second: str) -> str:
    a, b = strength(parse_cards(first)), strength(parse_cards(second))
    return "tie" if a == b else "a" if a > b else "b"


def _deck_plan(receiving: list[int]) -> tuple[int, str]:
    """The stub before 7th street and how it is dealt: three cards each on third street, a burn before each later."""
    *earlier, last = receiving
    burnt = len(earlier) - 1
    stub = 52 - 3 * earlier[0] - sum(earlier[1:]) - burnt
    return stub, deck_plan(stub=stub, players=last, burnt=burnt)
