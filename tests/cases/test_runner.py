"""The runner of worked cases finds what is wrong, says it in one line, and goes on."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.rules.cards import DECK
from tests.cases import play
from tests.cases.__main__ import main
from tests.cases.case import BrokenFile, load
from tests.cases.run import verdict

STEAL = {
    "id": "steal",
    "kind": "stud7",
    "ante": 1,
    "bring_in": 2,
    "small": 10,
    "big": 20,
    "stacks": {1: 100, 2: 100, 3: 100},
    "cards": {1: "Ah Kh 2h", 2: "As Ks 2c", 3: "Qh Qs 2d"},
    "actions": "?2=bring(2),complete(10) 2:bring 3:fold 1:fold",
    "expect": {
        "pots": [[3, [2]]],
        "awards": {2: 3},
        "refund": {2: 2},
        "stacks": {1: 99, 2: 102, 3: 99},
        "show_order": [],
        "first": {3: 2},
    },
}
SPLIT = {"id": "split", "kind": "compare", "a": "Ah Kh Qh Jh Th", "b": "As Ks Qs Js Ts", "expect": "tie"}
SHORT = {
    "id": "short",
    "kind": "deck_plan",
    "players_receiving_3rd_to_7th": [8, 8, 8, 8, 8],
    "expect": {"stub_before_7th": 1, "mode": "community"},
}


def steal(**fields: Any) -> dict[str, Any]:
    return STEAL | fields


def expecting(**fields: Any) -> dict[str, Any]:
    return steal(expect=STEAL["expect"] | fields)  # type: ignore[operator]


@pytest.mark.parametrize("raw", [STEAL, SPLIT, SHORT], ids=lambda raw: str(raw["id"]))
def test_a_right_case_passes(raw: dict[str, Any]) -> None:
    assert verdict(raw) == ("ok", "")


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (expecting(pots=[[3, [1, 2]]]), "pots expected [(3, [1, 2])] got [(3, [2])]"),
        (expecting(awards={}), "awards expected {} got {2: 3}"),
        (expecting(refund={2: 1}), "refund expected {2: 1} got {2: 2}"),
        (
            expecting(stacks={1: 99, 2: 101, 3: 100}),
            "stacks expected {1: 99, 2: 101, 3: 100} got {1: 99, 2: 102, 3: 99}",
        ),
        (expecting(show_order=[2]), "show_order expected [2] got []"),
        (expecting(first={3: 1}), "first on street 3 expected 1 got 2"),
        (expecting(first={4: 1}), "first on street 4 expected 1 got None"),
        (steal(actions="?2=bring(2)"), "?2=bring(2): got bring(2),complete(10)"),
        (steal(actions="?1=fold"), "?1=fold: expected seat 1 to act, got [2]"),
        (steal(actions="2:bring 1:fold"), "1:fold: expected seat 1 to act, got [3]"),
        (steal(actions="2:fold"), "2:fold: only bring,complete offered"),
        (steal(actions="2:bring 3:fold"), "the actions end, but [1] is to act"),
        (
            steal(actions="2:bring 3:fold 1:fold 2:fold"),
            "2:fold: expected seat 2 to act, got nobody",
        ),
        (steal(actions="2-bring"), "2-bring: no token of a case"),
        (steal(actions="?2:bring"), "?2:bring: no token of a case"),
        (SPLIT | {"expect": "a"}, "better hand expected a got tie"),
        (SHORT | {"expect": {"stub_before_7th": 2, "mode": "community"}}, "stub_before_7th expected 2 got 1"),
        (SHORT | {"expect": {"stub_before_7th": 1, "mode": "burn"}}, "mode expected burn got community"),
    ],
)
def test_a_wrong_case_says_what_differs(raw: dict[str, Any], complaint: str) -> None:
    assert verdict(raw) == ("FAIL", complaint)


@pytest.mark.parametrize(
    ("raw", "part"),
    [
        (steal(cards={1: "Ah Kh 2h", 2: "As Ks 2h"}), "NotACard"),
        (steal(cards={1: "Ah Kh 1h"}), "NotACard"),
        (steal(deck_order="Ah Ah"), "NotACard"),
        (steal(ante=-1), "BadVariant: variant/bad_value {'field': 'ante_chips', 'reason': 'out_of_range'}"),
        (steal(stacks={1: 100}), "LawBroken"),
        (steal(stacks={1: 100, 2: 0}), "LawBroken"),
        (SPLIT | {"a": "Ah Kh Qh Jh"}, "NotAHand"),
        ({key: value for key, value in STEAL.items() if key != "stacks"}, "`stacks`"),
        (steal(small="10"), "`$.small`"),
        (steal(expect={"pots": []}), "`stacks`"),
        (expecting(pots=[[3]]), "`$.expect.pots[0]`"),
        (SPLIT | {"expect": "c"}, "`$.expect`"),
    ],
)
def test_a_broken_case_fails_alone(raw: dict[str, Any], part: str) -> None:
    word, complaint = verdict(raw)
    assert word == "FAIL"
    assert part in complaint


def test_the_deck_gives_each_seat_what_it_is_named_whoever_folds() -> None:
    cards = {1: "Ah Ad 2c 2d 2h 2s 3c", 2: "7h 7d 9c", 3: "Kh Kd Kc Ks 9h 9d 9s"}
    raw = steal(
        cards=cards,
        burns="Th Td Tc",
        actions="1:bring 2:fold 3:call 3:check 1:check 1:check 3:check 1:check 3:check 1:check 3:check",
        expect={"stacks": {1: 97, 2: 99, 3: 104}},
    )
    assert verdict(raw) == ("ok", "")


def test_burnt_cards_that_come_back_may_be_named_as_burns_and_as_a_seats_last_card() -> None:
    # Eight stay to the sixth street and four go on: the stub's one card and the three burns are their last cards.
    cards = {
        1: "Ac Ad 2c As Ah 2d 2h",
        2: "Kc Kd 3c Ks Kh 3d 5h",
        3: "Qc Qd 4c Qs Qh 4d 3h",
        4: "Jc Jd 5c Js Jh 5d 5s",
        5: "Tc Td 6c Ts Th 6d",
        6: "9d 9h 7c 9s 2s 6h",
        7: "8d 8h 8c 4s 3s 6s",
        8: "7d 7h 9c 7s 8s 4h",
    }
    checks = " ".join(f"{seat}:check" for seat in range(1, 9))
    raw = steal(
        stacks=dict.fromkeys(range(1, 9), 100),
        cards=cards,
        burns="5h 3h 5s",
        actions=f"1:bring {' '.join(f'{seat}:call' for seat in range(2, 9))} {checks} {checks} "
        "1:bet 2:call 3:call 4:call 5:fold 6:fold 7:fold 8:fold 1:check 2:check 3:check 4:check",
        expect={"stacks": {1: 181, 2: 77, 3: 77, 4: 77, 5: 97, 6: 97, 7: 97, 8: 97}},
    )
    assert verdict(raw) == ("ok", "")
    assert verdict(raw | {"burns": "3h 5h 5s"}) == ("FAIL", "to be burnt is 3h on street 4, got 5h")


def test_a_deck_order_may_stop_with_the_deal() -> None:
    assert verdict(steal(deck_order="Ah As Qh Kh Ks Qs 2h 2c 2d")) == ("ok", "")


def test_a_deck_order_that_deals_other_cards_than_those_named_is_told() -> None:
    raw = steal(deck_order="Ah As Qh Kh Ks Qs 2h 2c 2d", cards={1: "Kh Ah 2h"})
    assert verdict(raw) == ("FAIL", "seat 1 is to get Kh on street 3, got Ah")


def test_a_deck_that_cannot_be_laid_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    # A deal that is another one each time stands for all whose layout never settles.
    decks = itertools.cycle([list(DECK), list(reversed(DECK))])
    monkeypatch.setattr(play, "_lay_out", lambda case, events: next(decks))
    assert verdict(STEAL) == ("FAIL", "the deck cannot be laid out as the case names it")


@pytest.mark.parametrize("kind", ["banked", "omaha"])
def test_a_kind_that_nobody_plays_yet_waits(kind: str) -> None:
    assert verdict({"id": "later", "kind": kind}) == ("waits", "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{id: a, kind: compare}", "holds no list of cases"),
        ("- {id: a", "is no YAML"),
        ("- just text", "entry 1 has no id or no kind"),
        ("- {id: a, kind: banked}\n- {kind: banked}", "entry 2 has no id or no kind"),
        ("- {id: 7, kind: banked}", "entry 1 has no id or no kind"),
        ("", "holds no list of cases"),
    ],
)
def test_a_broken_file_says_why(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(BrokenFile, match=reason):
        load(path)


def test_main_prints_a_line_a_case_and_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(yaml.safe_dump([STEAL, SPLIT | {"expect": "b"}, {"id": "later", "kind": "banked"}, SHORT]))
    assert main([str(path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "steal ok",
        "split FAIL: better hand expected b got tie",
        "later waits",
        "short ok",
        "2 passed, 1 failed",
    ]


def test_main_goes_on_after_a_broken_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, missing = tmp_path / "good.yaml", tmp_path / "bad.yaml", tmp_path / "missing.yaml"
    good.write_text(yaml.safe_dump([SPLIT]))
    bad.write_bytes(b"\xff\xfe\x00")
    assert main([str(missing), str(bad), str(good)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{missing} FAIL: cannot be read: No such file or directory"
    assert lines[1].startswith(f"{bad} FAIL: is no YAML")
    assert lines[2:] == ["split ok", "1 passed, 2 failed"]


def test_main_succeeds_only_if_nothing_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(yaml.safe_dump([STEAL, {"id": "later", "kind": "banked"}]))
    assert main([str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 0 failed"


def test_main_without_a_file_says_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err == "usage: python -m tests.cases FILE...\n"
