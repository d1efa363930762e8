"""A worked case as data: a hand with its exact outcome, two hands to compare, or a short deck.

A case is a map with `id`, `kind` and `expect`. Kinds are `stud7`, `stud5`, `compare` and `deck_plan`; `banked` is for
the games against the bank. Cards are two characters and chips are whole. Actions are one string of tokens:
`3:raise` is seat 3 raising, `?3=fold,call(25),raise(40)` asserts whose turn it is and the whole of his options.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

Kind = Literal["stud7", "stud5", "compare", "deck_plan", "banked"]


class Case(msgspec.Struct, frozen=True):
    """One worked case. Fields that its kind does not use keep their defaults.

    `dealer` is a number in stud, 0 before seat 1, and the bank's five cards in a banked game.
    """

    id: str
    kind: Kind
    expect: Any
    note: str = ""
    dealer: int | str = 0
    ante: int = 0
    bring_in: int = 0
    small: int = 0
    big: int = 0
    stacks: dict[int, int] = {}
    cards: dict[int, str] = {}
    burns: str | None = None
    community: str | None = None
    deck_order: str | None = None
    actions: str = ""
    heads_up_uncapped: bool = False
    a: str = ""
    b: str = ""
    players_receiving_3rd_to_7th: list[int] = []


def load(path: Path) -> list[Case]:
    """Read the cases of a file; raises `msgspec.ValidationError` for what is no case."""
    return msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), type=list[Case])
