"""Journals of every released format fold for ever, and to what they always folded to."""

from __future__ import annotations

import typing
from itertools import zip_longest

import pytest

from engine.table.events import AnyEvent
from tests.golden.make import events_of, rows_of
from tests.golden.playing import GAMES
from tests.golden.shelf import fold, names, read_expected, read_rows, write_rows


def test_there_is_a_journal_of_every_format_and_game() -> None:
    assert {f"format{number}-{game}" for number in (1, 2) for game in GAMES} == set(names())


@pytest.mark.parametrize("name", names())
def test_an_old_journal_folds_to_what_it_always_did(name: str) -> None:
    told = list(fold(events_of(name)))
    for found, expected in zip_longest(told, read_expected(name)):
        assert found == expected, f"after event {expected and expected['seq']}"


@pytest.mark.parametrize("name", names())
def test_every_row_is_of_the_type_that_it_says(name: str) -> None:
    for row, kept in zip(read_rows(name), events_of(name), strict=True):
        assert row.type == kept.event.__struct_config__.tag


def test_everything_that_can_happen_is_in_each_format() -> None:
    formats: dict[str, set[type[AnyEvent]]] = {}
    for name in names():
        formats.setdefault(name.partition("-")[0], set()).update(type(kept.event) for kept in events_of(name))
    for version, found in formats.items():
        assert found == set(typing.get_args(AnyEvent)), version


async def test_a_kept_journal_is_never_written_again() -> None:
    rows = await rows_of("stud5")
    with pytest.raises(FileExistsError):
        write_rows("format1-stud5", rows)
