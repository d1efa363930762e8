"""A hand of the history is read back by whoever knows the events."""

import msgspec

from app.history.schemas import HandHistory, PastEvent
from engine.rules.actions import SeatNo
from engine.rules.events import Checked, HandId
from engine.table.events import TableId


def test_a_history_comes_back_from_its_json() -> None:
    event = PastEvent(seq=7, at_ms=9, event=Checked(seat=SeatNo(2)))
    told = HandHistory(hand=HandId("h"), table=TableId("t"), currency="PLAY", seat=None, events=(event,))
    assert msgspec.json.decode(msgspec.json.encode(told), type=HandHistory) == told
