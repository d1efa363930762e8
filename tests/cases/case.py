"""A worked case as data: a hand with its exact outcome, two hands to compare, or a short deck.

A case is a map with `id`, `kind` and `expect`. Kinds are `stud7`, `stud5`, `compare` and `deck_plan`; any other is for
a game that the engine does not play yet. Cards are two characters and chips are whole. Actions are one string of
tokens: `3:raise` is seat 3 raising, `?3=fold,call(25),raise(40)` asserts whose turn it is and the whole of his options.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from engine.rules.variants import Rake


class HandExpected(msgspec.Struct, frozen=True):
    """What a hand of stud must come to. A field that is left out is not compared; an amount left out is 0."""

    stacks: dict[int, int]
    pots: list[tuple[int, list[int]]] | None = None
    awards: dict[int, int] | None = None
    refund: dict[int, int] | None = None
    show_order: list[int] | None = None
    first: dict[int, int] | None = None


class DeckExpected(msgspec.Struct, frozen=True):
    stub_before_7th: int
    mode: Literal["burn", "no-burn", "recycle", "community"]


class HandCase(msgspec.Struct, frozen=True):
    """A hand of stud. `dealer` 0 stands before seat 1.

    `cards` names what each seat gets, in order, as far as it matters; `deck_order` the whole deal, burns included.
    `rake` is none unless a case of ours sets it: a house's share is no part of the worked hands.
    """

    id: str
    kind: Literal["stud7", "stud5"]
    stacks: dict[int, int]
    ante: int
    bring_in: int
    small: int
    big: int
    expect: HandExpected
    note: str = ""
    dealer: int = 0
    cards: dict[int, str] = {}
    burns: str | None = None
    community: str | None = None
    deck_order: str | None = None
    actions: str = ""
    heads_up_uncapped: bool = False
    rake: Rake = Rake()


class CompareCase(msgspec.Struct, frozen=True):
    """Two hands of five to seven cards, of which one is better or neither."""

    id: str
    a: str
    b: str
    expect: Literal["a", "b", "tie"]
    note: str = ""


class DeckCase(msgspec.Struct, frozen=True):
    """How seventh street is dealt when so many players got a card on each street from the third on."""

    id: str
    players_receiving_3rd_to_7th: list[int]
    expect: DeckExpected
    note: str = ""


Case = HandCase | CompareCase | DeckCase

TYPES: dict[str, type[Case]] = {
    "stud7": HandCase,
    "stud5": HandCase,
    "compare": CompareCase,
    "deck_plan": DeckCase,
}
"""The kinds that the engine plays. Any other kind waits."""


class BrokenFile(ValueError):
    """A file that holds no list of cases."""


def load(path: Path) -> list[dict[str, Any]]:
    """Read the cases of a file as plain maps, each with an `id` and a `kind`; raises `BrokenFile`."""
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BrokenFile(f"cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise BrokenFile(f"is no YAML: {' '.join(str(error).split())}") from error
    if not isinstance(found, list):
        raise BrokenFile("holds no list of cases")
    for number, raw in enumerate(found, start=1):
        if not isinstance(raw, dict) or not isinstance(raw.get("id"), str) or not isinstance(raw.get("kind"), str):
            raise BrokenFile(f"entry {number} has no id or no kind")
    return found


def read(raw: dict[str, Any]) -> Case:
    """Make a case of a map; raises `msgspec.ValidationError` for what is none. Its kind must be one of `TYPES`."""
    return msgspec.convert(raw, type=TYPES[raw["kind"]])
