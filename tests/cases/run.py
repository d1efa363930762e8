"""Judges a worked case: what it expects beside what the engine does."""

from __future__ import annotations

from typing import Any

from engine.rules.cards import parse_cards
from engine.rules.dealing import deck_plan
from engine.rules.ranking import strength
from tests.cases.case import Case
from tests.cases.play import CaseFailed, Outcome, play

WAITING = frozenset({"banked"})
"""Kinds that the engine does not play yet."""

NEEDED_CARDS = {"stud7": 7, "stud5": 5}


def judge(case: Case) -> None:
    """Raise `CaseFailed` with what differs, if anything does."""
    match case.kind:
        case "stud7" | "stud5":
            _compare_outcome(case.expect, play(case))
        case "compare":
            got = _better(case.a, case.b)
            _same("better hand", case.expect, got)
        case "deck_plan":
            stub, mode = _deck_plan(case.players_receiving_3rd_to_7th)
            _same("stub_before_7th", case.expect["stub_before_7th"], stub)
            _same("mode", case.expect["mode"], mode)
        case "banked":
            raise CaseFailed("this kind waits")


def _compare_outcome(expect: dict[str, Any], got: Outcome) -> None:
    if "pots" in expect:
        _same("pots", [(amount, sorted(seats)) for amount, seats in expect["pots"]], got.pots)
    _same("awards", _without_zeros(expect.get("awards", {})), got.awards)
    _same("refund", _without_zeros(expect.get("refund", {})), got.refund)
    _same("stacks", expect["stacks"], got.stacks)
    if "show_order" in expect:
        _same("show_order", expect["show_order"], got.show_order)
    for street, seat in expect.get("first", {}).items():
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
    """The stub before 7th street and how it is dealt: three cards each on third street, then a burn before each."""
    *earlier, last = receiving
    burnt = len(earlier) - 1
    stub = 52 - 3 * earlier[0] - sum(earlier[1:]) - burnt
    return stub, deck_plan(stub=stub, players=last, burnt=burnt)
