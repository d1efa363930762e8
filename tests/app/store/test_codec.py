from __future__ import annotations

import pytest

from app.store.codec import PLAIN_JSON, EventCodec
from app.store.errors import UnreadableEvent
from engine.rules.actions import SeatNo
from engine.rules.cards import DECK, Card
from engine.rules.events import CardDealt, HandId, HandStarted
from engine.table.events import AnyEvent, TopUpQueued
from tests.app.store.house import CONFIG, NoJournal, SqlTable
from tests.fakes import VirtualClock

CODEC = EventCodec()
DEALT = CardDealt(seat=SeatNo(2), street=3, card=Card("As"), face="down")


def test_an_event_at_rest_is_json_with_its_type_and_format() -> None:
    encoded = CODEC.encode(DEALT)
    assert (encoded.format, encoded.type) == (1, "card_dealt")
    assert encoded.payload == b'{"type":"card_dealt","seat":2,"street":3,"card":"As","face":"down"}'


@pytest.mark.parametrize(
    "event",
    [
        DEALT,
        TopUpQueued(seat=SeatNo(1), added_chips=2**53 - 1),
        HandStarted(hand=HandId("t-1"), variant=CONFIG.variant, rules=1, dealer=0, seats=(), deck=DECK),
    ],
    ids=lambda event: type(event).__name__,
)
def test_an_event_comes_back_as_it_was(event: AnyEvent) -> None:
    encoded = CODEC.encode(event)
    assert CODEC.decode(format=encoded.format, payload=encoded.payload) == event


async def test_everything_that_happens_at_a_table_comes_back() -> None:
    table = await SqlTable.open(NoJournal(), epoch=1, clock=VirtualClock())
    for player in ("ann", "bob", "cid", "dan"):
        await table.sit(player)
    for _ in range(20):
        await table.play_hand()
    events = [event for commit in table.commits for event in commit.events]
    for event in events:
        assert CODEC.decode(format=PLAIN_JSON, payload=CODEC.encode(event).payload) == event
    assert len({type(event) for event in events}) > 15, "hands of every kind were among them"


@pytest.mark.parametrize("payload", [b"", b"{", b'{"type":"card_dealt","card":"As"}', b'{"type":"none"}', b"\xff"])
def test_what_is_no_event_is_told_without_what_it_holds(payload: bytes) -> None:
    with pytest.raises(UnreadableEvent) as caught:
        CODEC.decode(format=PLAIN_JSON, payload=payload)
    assert caught.value.fields == {"reason": "not_an_event", "format": 1}
    assert caught.value.__suppress_context__, "what msgspec says of it may show a card"


def test_a_format_from_later_is_not_guessed_at() -> None:
    with pytest.raises(UnreadableEvent) as caught:
        CODEC.decode(format=2, payload=CODEC.encode(DEALT).payload)
    assert caught.value.fields == {"reason": "unknown_format", "format": 2}


def test_an_encoded_event_shows_no_card() -> None:
    assert repr(CODEC.encode(DEALT)) == "<EncodedEvent card_dealt>"
