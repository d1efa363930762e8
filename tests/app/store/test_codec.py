"""What stands in the journal of an event, and what it takes to read it back."""

from __future__ import annotations

import msgspec
import pytest

from app.store.codec import PLAIN_JSON, SEALED_JSON, EventCodec, join, split
from app.store.errors import UnreadableEvent
from app.store.sealing import HandSeal
from engine.rules.actions import SeatNo
from engine.rules.cards import DECK, Card
from engine.rules.errors import LawBroken
from engine.rules.events import CardBurnt, CardDealt, HandId, HandStarted
from engine.rules.views import view_event
from engine.table.events import AnyEvent, TableId, TopUpQueued
from tests.app.store.house import CONFIG, NoJournal, SqlTable, seals
from tests.fakes import VirtualClock

CODEC = EventCodec()
UP = CardDealt(seat=SeatNo(2), street=3, card=Card("As"), face="up")
DOWN = CardDealt(seat=SeatNo(2), street=3, card=Card("As"), face="down")
BURNT = CardBurnt(street=4, card=Card("Kd"))
STARTED = HandStarted(hand=HandId("t1-1"), variant=CONFIG.variant, rules=1, dealer=0, seats=(), deck=DECK)


def seal_of(hand: str = "t1-1", *, seed: int = 7) -> HandSeal:
    made = seals(seed)
    made.begin(TableId("t1"), HandId(hand))
    seal = made.running(TableId("t1"))
    assert seal is not None
    return seal


def test_what_everyone_may_see_is_json_with_its_type_and_format() -> None:
    encoded = CODEC.encode(UP, seq=1, seal=None)
    assert (encoded.format, encoded.type) == (1, "card_dealt")
    assert encoded.payload == b'{"type":"card_dealt","seat":2,"street":3,"card":"As","face":"up"}'


def test_what_is_secret_is_the_public_view_and_a_sealed_part() -> None:
    encoded = CODEC.encode(DOWN, seq=1, seal=seal_of())
    assert (encoded.format, encoded.type) == (2, "card_dealt")
    public, sealed = split(format=2, payload=encoded.payload)
    assert public == b'{"type":"card_dealt","seat":2,"street":3,"card":"??","face":"down"}'
    assert len(sealed) == 12 + len(b'{"card":"As"}') + 16
    assert join(format=2, public=public, sealed=sealed) == encoded.payload


@pytest.mark.parametrize("event", [DOWN, BURNT, STARTED], ids=lambda event: type(event).__name__)
def test_a_secret_is_never_written_without_a_seal(event: AnyEvent) -> None:
    with pytest.raises(LawBroken):
        CODEC.encode(event, seq=1, seal=None)


@pytest.mark.parametrize(
    "event",
    [UP, DOWN, BURNT, STARTED, TopUpQueued(seat=SeatNo(1), added_chips=2**53 - 1)],
    ids=lambda event: type(event).__name__,
)
def test_an_event_comes_back_as_it_was(event: AnyEvent) -> None:
    encoded = CODEC.encode(event, seq=5, seal=seal_of())
    assert CODEC.decode(format=encoded.format, payload=encoded.payload, seq=5, seal=seal_of()) == event


async def test_everything_that_happens_at_a_table_comes_back_and_without_a_key_as_the_public_saw_it() -> None:
    table = await SqlTable.open(NoJournal(), epoch=1, clock=VirtualClock())
    for player in ("ann", "bob", "cid", "dan"):
        await table.sit(player)
    for _ in range(20):
        await table.play_hand()
    seal = seal_of()
    events = [event for commit in table.commits for event in commit.events]
    for seq, event in enumerate(events, start=1):
        encoded = CODEC.encode(event, seq=seq, seal=seal)
        read = CODEC.decode(format=encoded.format, payload=encoded.payload, seq=seq, seal=seal)
        assert read == event
        assert CODEC.public(format=encoded.format, payload=encoded.payload) == view_event(event, None)
        assert (encoded.format == SEALED_JSON) == (view_event(event, None) != event)
    assert len({type(event) for event in events}) > 15, "hands of every kind were among them"


def test_what_an_earlier_version_wrote_in_the_open_is_read_and_shown_to_nobody() -> None:
    payload = msgspec.json.encode(DOWN)
    assert CODEC.decode(format=PLAIN_JSON, payload=payload, seq=1, seal=None) == DOWN
    assert CODEC.public(format=PLAIN_JSON, payload=payload) == view_event(DOWN, None)


@pytest.mark.parametrize("payload", [b"", b"{", b'{"type":"card_dealt","card":"As"}', b'{"type":"none"}', b"\xff"])
def test_what_is_no_event_is_told_without_what_it_holds(payload: bytes) -> None:
    with pytest.raises(UnreadableEvent) as caught:
        CODEC.decode(format=PLAIN_JSON, payload=payload, seq=1, seal=None)
    assert caught.value.fields == {"reason": "not_an_event", "format": 1}
    assert caught.value.__suppress_context__, "what msgspec says of it may show a card"


@pytest.mark.parametrize("seq", [4, 6])
def test_a_sealed_card_opens_at_its_own_number_alone(seq: int) -> None:
    payload = CODEC.encode(DOWN, seq=5, seal=seal_of()).payload
    with pytest.raises(UnreadableEvent) as caught:
        CODEC.decode(format=SEALED_JSON, payload=payload, seq=seq, seal=seal_of())
    assert caught.value.fields == {"reason": "seal_broken", "hand": "t1-1"}
    assert caught.value.__suppress_context__


def test_a_sealed_card_opens_with_its_own_public_part_alone() -> None:
    """A down card that is given to another seat, or a sealed part under another event, is no card."""
    payload = CODEC.encode(DOWN, seq=5, seal=seal_of()).payload
    with pytest.raises(UnreadableEvent):
        CODEC.decode(format=SEALED_JSON, payload=payload.replace(b'"seat":2', b'"seat":3'), seq=5, seal=seal_of())


@pytest.mark.parametrize("place", range(0, 60, 7))
def test_a_changed_byte_of_the_sealed_part_is_found(place: int) -> None:
    public, sealed = split(format=SEALED_JSON, payload=CODEC.encode(DOWN, seq=5, seal=seal_of()).payload)
    at = place % len(sealed)
    changed = sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]
    for broken in (changed, sealed[:at], b""):
        payload = join(format=SEALED_JSON, public=public, sealed=broken)
        with pytest.raises(UnreadableEvent) as caught:
            CODEC.decode(format=SEALED_JSON, payload=payload, seq=5, seal=seal_of())
        assert "As" not in repr(caught.value) + str(caught.value.fields)


def test_without_a_key_nothing_sealed_is_read() -> None:
    encoded = CODEC.encode(DOWN, seq=5, seal=seal_of())
    for seal, reason in ((None, "no_key"), (seal_of(seed=8), "seal_broken"), (seal_of("t1-2"), "seal_broken")):
        with pytest.raises(UnreadableEvent) as caught:
            CODEC.decode(format=SEALED_JSON, payload=encoded.payload, seq=5, seal=seal)
        assert caught.value.fields["reason"] == reason


def test_a_format_from_later_is_not_guessed_at() -> None:
    with pytest.raises(UnreadableEvent) as caught:
        CODEC.decode(format=3, payload=b"{}", seq=1, seal=None)
    assert caught.value.fields == {"reason": "unknown_format", "format": 3}
    with pytest.raises(UnreadableEvent):
        CODEC.public(format=3, payload=b"{}")


def test_an_encoded_event_shows_no_card() -> None:
    assert repr(CODEC.encode(UP, seq=1, seal=None)) == "<EncodedEvent card_dealt>"
