"""Who follows a table gets every event once, as he may see it; what several may see alike is encoded once."""

import json
from typing import Any

import pytest

from app.refusals import ServerStops
from app.rooms import feed as feed_module
from app.rooms.feed import Feed, Subscription
from app.rooms.viewer import Viewer
from app.wire.frames import encode
from app.wire.server import ServerFrame
from engine.rules.actions import SeatNo
from engine.rules.cards import DECK
from engine.rules.events import CardDealt, Checked, HandId, HandSeat, HandStarted, PlayerId
from engine.rules.variants import seven_card_stud
from engine.table.events import AnyEvent, TableId
from engine.table.ports import Published
from tests.app.gateway.test_outgoing import Peer, made

ADA, BOB = PlayerId("ada"), PlayerId("bob")


def follower(player: PlayerId | None, *, house_bot: bool = False) -> tuple[Peer, Subscription]:
    peer, outgoing = made()
    viewer = None if player is None else Viewer(player=player, name=str(player), house_bot=house_bot)
    return peer, Subscription(outgoing, viewer)


def published(*events: AnyEvent, first_seq: int = 7, cast: dict[int, PlayerId] | None = None) -> Published:
    who = {1: ADA, 2: BOB} if cast is None else cast
    return Published(table=TableId("t"), first_seq=first_seq, at_ms=1234, events=events, cast=who)


def dealt(seat: int, card: int) -> CardDealt:
    return CardDealt(seat=SeatNo(seat), street=3, card=DECK[card], face="down")


def cards(peer: Peer) -> list[str]:
    return [event["card"] for text in peer.texts() for event in json.loads(text)["events"] if "card" in event]


async def test_everyone_sees_his_own_down_card_and_no_other() -> None:
    feed = Feed()
    (ada, one), (bob, two), (watcher, three) = follower(ADA), follower(BOB), follower(None)
    for subscription in (one, two, three):
        feed.add(subscription)
    feed.publish(published(dealt(1, 0), dealt(2, 1)))
    assert cards(ada) == ["2c", "??"]
    assert cards(bob) == ["??", "2d"]
    assert cards(watcher) == ["??", "??"]


async def test_a_seat_is_that_of_the_hand_the_events_belong_to() -> None:
    """Who sits down on a seat while its hand still runs sees nothing of that hand."""
    feed = Feed()
    newcomer, subscription = follower(PlayerId("newcomer"))
    feed.add(subscription)
    feed.publish(published(dealt(1, 0), cast={1: ADA}))
    feed.publish(published(dealt(1, 0), cast={}))
    assert cards(newcomer) == ["??", "??"]


async def test_a_deck_never_goes_out() -> None:
    feed = Feed()
    ada, subscription = follower(ADA)
    feed.add(subscription)
    seats = (HandSeat(seat=SeatNo(1), player=ADA, name="ada", stack_chips=100),)
    variant = seven_card_stud(small_bet_chips=5, big_bet_chips=10)
    started = HandStarted(hand=HandId("h"), variant=variant, rules=1, dealer=0, seats=seats, deck=DECK)
    feed.publish(published(started))
    assert json.loads(ada.texts()[0])["events"][0]["deck"] == []


async def test_frames_carry_the_number_of_their_first_event() -> None:
    feed = Feed()
    ada, subscription = follower(ADA)
    feed.add(subscription)
    feed.publish(published(Checked(seat=SeatNo(1)), first_seq=7))
    frame = json.loads(ada.texts()[0])
    assert (frame["type"], frame["seq"], frame["at_ms"]) == ("events", 7, 1234)
    assert frame["events"] == [{"type": "checked", "seat": 1}]


async def test_what_is_seen_alike_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[Any] = []

    def counting(frame: ServerFrame) -> str:
        encoded.append(frame)
        return encode(frame)

    monkeypatch.setattr(feed_module, "encode", counting)
    feed = Feed()
    peers = [follower(player) for player in (ADA, ADA, BOB, None, None, None, PlayerId("carl"))]
    for _, subscription in peers:
        feed.add(subscription)
    feed.publish(published(Checked(seat=SeatNo(1))))
    assert len(encoded) == 1
    feed.publish(published(dealt(1, 0)))
    assert len(encoded) == 3
    assert all(len(peer.texts()) == 2 for peer, _ in peers)
    shared = [peer.texts()[1] for peer, _ in peers[3:]]
    assert all(text is shared[0] for text in shared)


async def test_nobody_there_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "encode", None)
    Feed().publish(published(Checked(seat=SeatNo(1))))


async def test_b205_one_that_has_gone_does_not_stop_the_others() -> None:
    feed = Feed()
    followers = [follower(None) for _ in range(5)]
    for peer, subscription in followers:
        feed.add(subscription)
        if subscription is followers[2][1]:
            peer.fails_with = OSError()
    for number in range(3):
        feed.publish(published(Checked(seat=SeatNo(1)), first_seq=number))
    assert [len(peer.texts()) for peer, _ in followers] == [3, 3, 0, 3, 3]


async def test_who_leaves_hears_no_more() -> None:
    feed = Feed()
    ada, subscription = follower(ADA)
    feed.add(subscription)
    feed.remove(subscription)
    feed.remove(subscription)
    feed.publish(published(Checked(seat=SeatNo(1))))
    assert ada.texts() == []
    assert len(feed) == 0


@pytest.mark.parametrize(
    ("followers", "people"),
    [([], False), ([follower], True), (["bot"], False), (["bot", "ada"], True), (["bot", None], True)],
)
async def test_people_and_house_bots_are_told_apart(followers: list[Any], *, people: bool) -> None:
    feed = Feed()
    for one in followers:
        name = None if one is None or one is follower else PlayerId(one)
        feed.add(follower(name, house_bot=one == "bot")[1])
    assert feed.watched_by_people() == people


async def test_closing_ends_every_connection_with_the_same_code() -> None:
    feed = Feed()
    followers = [follower(ADA), follower(None)]
    for _, subscription in followers:
        feed.add(subscription)
    feed.close(ServerStops())
    assert [peer.closes() for peer, _ in followers] == [[(1012, "connection/server_stops")]] * 2
