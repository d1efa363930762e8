"""Cursors name a row and come back as they went out; others are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.paging import Place, at_cursor, cursor_of
from app.refusals import BadBody
from engine.limits import MAX_CHIPS


@given(st.integers(0, MAX_CHIPS), st.text(min_size=1))
def test_a_cursor_comes_back(at_ms: int, row_id: str) -> None:
    place = Place(at_ms, row_id)
    assert at_cursor(cursor_of(place)) == place


@pytest.mark.parametrize(
    "cursor", ["", ".", "1", "1.", ".x", "-1.x", "1e3.x", "x.y", f"{2**53}.x", "9" * 99 + ".x", "²3.x"]
)
def test_what_is_no_cursor(cursor: str) -> None:
    with pytest.raises(BadBody) as caught:
        at_cursor(cursor)
    assert caught.value.fields == {"errors": [{"at": "query.before", "reason": "not_a_cursor"}]}
