"""Ids: of their kind, of one shape, and never the same twice."""

import re

from app.ids import RandomIds
from engine.table.ports import IdSource


def test_an_id_begins_with_its_kind_and_never_comes_twice() -> None:
    source: IdSource = RandomIds()
    given = [source.new("t") for _ in range(1_000)]
    assert all(re.fullmatch(r"t_[0-9a-f]{16}", one) for one in given)
    assert len(set(given)) == len(given)
