"""The conversation on a table's socket, over a real server: what it takes, what it refuses, and how it ends."""

import asyncio
from typing import Any

import pytest

from app.gateway import service as service_module
from app.gateway.service import command_of
from app.rooms.viewer import Viewer
from app.wire import client
from engine.limits import COMMANDS_BURST, MAX_CHIPS, MAX_FRAME_BYTES
from engine.rules.actions import Fold, SeatNo
from engine.rules.events import HandId, PlayerId
from engine.table import commands
from tests.app.playing import Player, cheapest, folding, play_together
from tests.app.served import Guest, Served, Socket

ADA = Viewer(player=PlayerId("ada"), name="Ada", house_bot=True)


@pytest.mark.parametrize(
    ("frame", "command"),
    [
        (
            client.Sit(id="a", buy_in_chips=50, seat=2),
            commands.Sit(ADA.player, "a", name="Ada", seat=SeatNo(2), buy_in_chips=50, house_bot=True),
        ),
        (
            client.Sit(id="a", buy_in_chips=50),
            commands.Sit(ADA.player, "a", name="Ada", seat=None, buy_in_chips=50, house_bot=True),
        ),
        (client.StandUp(id="a"), commands.StandUp(ADA.player, "a")),
        (client.SitOut(id="a"), commands.SitOut(ADA.player, "a")),
        (client.SitIn(id="a"), commands.SitIn(ADA.player, "a")),
        (client.TopUp(id="a", added_chips=5), commands.TopUp(ADA.player, "a", added_chips=5)),
        (
            client.Act(id="a", hand="h", turn=3, action=Fold()),
            commands.Act(ADA.player, "a", hand=HandId("h"), turn=3, action=Fold()),
        ),
    ],
)
def test_a_frame_becomes_a_command_of_who_is_logged_in(
    frame: client.CommandFrame, command: commands.PlayerCommand
) -> None:
    assert command_of(frame, ADA) == command


async def two_at_a_table(served: Served, one: Socket, two: Socket) -> tuple[Socket, Socket, dict[str, Any]]:
    """Let both sit and a hand begin; gives who is to act, the other, and the turn with its hand."""
    seats = {await one.sit(100): one, await two.sit(100): two}
    for socket in (one, two):
        while not any(event["type"] == "turn_opened" for _, event in socket.events):
            await socket.hear()
    hand = next(event["hand"] for _, event in one.events if event["type"] == "hand_started")
    turn = next(event for _, event in one.events if event["type"] == "turn_opened")["turns"][0]
    actor = seats.pop(turn["seat"])
    (other,) = seats.values()
    return actor, other, {"hand": hand, **turn}


def act(turn: dict[str, Any], frame_id: str, action: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    chosen = cheapest(turn["options"]) if action is None else action
    return {"type": "act", "id": frame_id, "hand": turn["hand"], "turn": turn["turn"], "action": chosen, **fields}


async def test_a_hand_is_played_to_its_end_and_every_chip_accounted_for(served: Served) -> None:
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two, served.at(room.table) as eve:
        await one.sit(100)
        await two.sit(100)
        await play_together(one, two, hands=3)
        while sum(event["type"] == "hand_ended" for _, event in eve.events) < 3:
            await eve.hear()
    for socket in (one, two, eve):
        numbers = [seq for seq, _ in socket.events]
        assert numbers == list(
            range(socket.snapshot["table"]["seq"] + 1, socket.snapshot["table"]["seq"] + 1 + len(numbers))
        )
    nets = [
        result["net_chips"] for _, event in eve.events if event["type"] == "hand_ended" for result in event["results"]
    ]
    assert sum(nets) == 0
    down = [event["card"] for _, event in eve.events if event.get("face") == "down"]
    assert down
    assert set(down) == {"??"}


async def test_the_snapshot_says_who_one_is(served: Served) -> None:
    room = await served.table()
    guest = await served.guest()
    async with served.at(room.table, guest) as socket, served.at(room.table) as stranger:
        assert socket.snapshot["you"] == {"player": guest.id, "name": guest.name, "seat": None}
        assert stranger.snapshot["you"] is None
        assert socket.snapshot["table"] == stranger.snapshot["table"]


@pytest.mark.parametrize(
    ("frame", "code", "frame_id"),
    [
        (b"\x00\x01", "frame/binary", None),
        (b'{"type": "stand_up", "id": "a"}', "frame/binary", None),
        ("", "frame/bad_json", None),
        ("{]", "frame/bad_json", None),
        ("\x00", "frame/bad_json", None),
        ("[1, 2]", "frame/bad_field", None),
        ('"hello"', "frame/bad_field", None),
        ('{"type": "dance", "id": "a"}', "frame/unknown_type", "a"),
        ('{"type": "ack", "id": "a", "seq": 1}', "frame/unknown_type", "a"),
        ('{"type": "hello"}', "frame/unexpected_hello", None),
        ('{"type": "sit_out"}', "frame/bad_command_id", None),
        ('{"type": "sit_out", "id": "a", "player": "p_1"}', "frame/bad_field", "a"),
        ('{"type": "sit", "id": "a", "buy_in_chips": -40}', "frame/bad_field", "a"),
        ('{"type": "sit", "id": "a", "buy_in_chips": "40"}', "frame/bad_field", "a"),
        ('{"type": "sit", "id": "a", "buy_in_chips": 40.0}', "frame/bad_field", "a"),
        ('{"type": "sit", "id": "a", "buy_in_chips": NaN}', "frame/bad_json", None),
        ('{"type": "sit", "id": "a", "buy_in_chips": 40, "house_bot": true}', "frame/bad_field", "a"),
        ('{"type": "sit", "id": "a", "buy_in_chips": 39}', "table/buy_in_out_of_range", "a"),
        (f'{{"type": "sit", "id": "a", "buy_in_chips": {MAX_CHIPS}}}', "wallet/insufficient", "a"),
        ('{"type": "sit", "id": "a", "buy_in_chips": 10001}', "wallet/insufficient", "a"),
        ('{"type": "sit", "id": "a", "buy_in_chips": 40, "seat": 9}', "frame/bad_field", "a"),
        ('{"type": "stand_up", "id": "a"}', "table/not_seated", "a"),
        ('{"type": "top_up", "id": "a", "added_chips": 5}', "table/not_seated", "a"),
        ('{"type": "act", "id": "a", "hand": "h", "turn": 1, "action": {"verb": "fold"}}', "action/no_hand", "a"),
    ],
)  # fmt: skip
async def test_each_wrong_frame_gets_its_code_and_moves_nothing(
    served: Served, frame: str | bytes, code: str, frame_id: str | None
) -> None:
    room = await served.table()
    guest = await served.guest()
    async with served.at(room.table, guest) as socket:
        await socket.say(frame)
        answer = await socket.answer()
        assert (answer["type"], answer["code"], answer["id"]) == ("error", code, frame_id)
        assert room.public_view().seq == socket.snapshot["table"]["seq"]
        # The connection goes on.
        assert await socket.sit(40) == 1
    wallet = (await served.http.get("/api/wallet", headers=guest.headers)).json()
    assert wallet["balance_chips"] == 10_000 - 40


async def test_wrong_actions_get_their_codes_and_the_right_one_still_stands(served: Served) -> None:
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two, served.at(room.table) as eve:
        actor, other, turn = await two_at_a_table(served, one, two)
        seq = room.public_view().seq
        refusals = [
            (eve, act(turn, "e"), "account/not_logged_in"),
            (other, act(turn, "o"), "action/not_your_turn"),
            (actor, act(turn, "h") | {"hand": "another"}, "action/stale_hand"),
            (actor, act(turn, "t") | {"turn": turn["turn"] - 1}, "action/stale_turn"),
            (actor, act(turn, "t2") | {"turn": turn["turn"] + 1}, "action/stale_turn"),
            (actor, act(turn, "n1", {"verb": "check"}), "action/not_offered"),
            (actor, act(turn, "n2", {"verb": "bring_in", "to_chips": 3}), "action/wrong_amount"),
        ]
        for socket, frame, code in refusals:
            await socket.say(frame)
            answer = await socket.answer()
            assert (answer["type"], answer["id"], answer["code"]) == ("error", frame["id"], code)
        assert room.public_view().seq == seq
        await actor.say(act(turn, "right"))
        assert (await actor.answer())["type"] == "ack"


@pytest.mark.parametrize("to_chips", [-1, 0, 1, 3, 7, 9, 98, 100, 500, 2**31, 2**53, 2**63, 2**63 - 1])
async def test_b056_b061_b062_b064_amounts_are_never_made_to_fit(served: Served, to_chips: int) -> None:
    """Facing a price, every amount but an offered one is refused, and nothing of it becomes a call or a fold."""
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two:
        actor, other, turn = await two_at_a_table(served, one, two)
        await actor.say(act(turn, "b"))
        await actor.answer()
        opened = await other.event("turn_opened")
        facing = {"hand": turn["hand"], **opened["turns"][0]}
        seq = room.public_view().seq
        for verb in ("raise", "call", "bet", "complete"):
            await other.say(act(facing, f"x-{verb}", {"verb": verb, "to_chips": to_chips}))
            answer = await other.answer()
            assert answer["type"] == "error"
            assert answer["code"] in {"action/not_offered", "action/wrong_amount", "frame/bad_field"}
        assert room.public_view().seq == seq


async def test_b140_b146_the_same_id_is_done_once_and_answered_alike(served: Served) -> None:
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two:
        actor, _, turn = await two_at_a_table(served, one, two)
        for _ in range(5):
            await actor.say(act(turn, "same"))
        answers = [await actor.answer() for _ in range(5)]
        assert [answer["type"] for answer in answers] == ["ack"] * 5
        assert len({answer["seq"] for answer in answers}) == 1
        assert sum(event["type"] == "bring_in_posted" for _, event in actor.events) == 1
        await actor.say(act(turn, "same", {"verb": "fold"}))
        assert (await actor.answer())["code"] == "table/command_id_reused"


async def test_b116_b122_two_sits_of_one_player_take_one_seat_and_one_buy_in(served: Served) -> None:
    room = await served.table()
    guest = await served.guest()
    async with served.at(room.table, guest) as one, served.at(room.table, guest) as two:
        await asyncio.gather(
            one.say({"type": "sit", "id": "left", "buy_in_chips": 50, "seat": 2}),
            two.say({"type": "sit", "id": "right", "buy_in_chips": 50, "seat": 5}),
        )
        answers = [await one.answer(), await two.answer()]
        assert sorted(answer["type"] for answer in answers) == ["ack", "error"]
    wallet = (await served.http.get("/api/wallet", headers=guest.headers)).json()
    assert wallet["balance_chips"] == 9_950


async def test_an_ack_comes_after_the_events_of_its_command(served: Served) -> None:
    room = await served.table()
    guest = await served.guest()
    async with served.at(room.table, guest) as socket:
        answer = await socket.ask("sit", buy_in_chips=40)
        assert [frame["type"] for frame in socket.heard] == ["snapshot", "events", "ack"]
        assert socket.events[-1][0] == answer["seq"]


async def test_b121_several_sockets_of_one_player_all_hear_and_may_all_act(served: Served) -> None:
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with (
        served.at(room.table, ada) as one,
        served.at(room.table, ada) as twin,
        served.at(room.table, bob) as two,
    ):
        await one.sit(100)
        await two.sit(100)
        started = await twin.event("hand_started")
        await one.event("hand_started")
        cards = [
            [event["card"] for _, event in socket.events if event["type"] == "card_dealt"] for socket in (one, twin)
        ]
        assert cards[0] == cards[1]
        seat = twin.events[0][1]["seat"]
        # The turn may be either player's: whoever it is, the second socket of his acts as well as the first.
        opened = next(event for _, event in twin.events if event["type"] == "turn_opened")["turns"][0]
        actor = twin if opened["seat"] == seat else two
        await actor.say(act({"hand": started["hand"], **opened}, "x"))
        assert (await actor.answer())["type"] == "ack"


async def test_b124_b125_a_seat_belongs_to_the_player_not_to_his_socket(served: Served) -> None:
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, bob) as two:
        async with served.at(room.table, ada) as one:
            actor, _, _ = await two_at_a_table(served, one, two)
            held = [event["card"] for _, event in one.events if event["type"] == "card_dealt"]
        async with served.at(room.table, ada) as back:
            mine = next(seat for seat in back.snapshot["table"]["hand"]["seats"] if seat["player"] == ada.id)
            cards = [card["card"] for card in mine["cards"]]
            assert set(cards) <= set(held)
            assert "??" not in cards
            other = next(seat for seat in back.snapshot["table"]["hand"]["seats"] if seat["player"] == bob.id)
            assert [card["card"] for card in other["cards"] if card["face"] == "down"] == ["??"]
            assert actor in (one, two)
            await play_together(back_with(back, one), two)


def back_with(back: Socket, before: Socket) -> Socket:
    """A guest who is back remembers where he sat, and takes up the turn that the snapshot shows."""
    back.heard = before.heard + back.heard
    seats = [(seq, event) for seq, event in before.events if event["type"] == "player_sat"]
    table = back.snapshot["table"]
    hand = (table["seq"], {"type": "hand_started", "hand": table["hand"]["hand"]})
    back.events = [*seats, hand, (table["seq"], {"type": "turn_opened", "turns": table["turns"]})]
    return back


async def test_b185_a_hand_won_by_folds_shows_no_card_after_one_with_a_showdown(served: Served) -> None:
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two, served.at(room.table) as eve:
        await one.sit(100)
        await two.sit(100)
        players = Player(one), Player(two)
        await play_together(*players, choose=cheapest)
        await play_together(*players, choose=folding)
        while sum(event["type"] == "hand_ended" for _, event in eve.events) < 2:
            await eve.hear()
    ends = [place for place, (_, event) in enumerate(eve.events) if event["type"] == "hand_ended"]
    first, second = eve.events[: ends[0]], eve.events[ends[0] + 1 : ends[1]]
    assert any(event["type"] == "hand_shown" for _, event in first)
    assert not any(event["type"] in ("hand_shown", "hands_tabled") for _, event in second)
    assert {event["card"] for _, event in second if event.get("face") == "down"} == {"??"}


async def test_too_many_frames_are_refused_unread(served: Served) -> None:
    room = await served.table()
    guest = await served.guest()
    async with served.at(room.table, guest) as socket:
        for number in range(COMMANDS_BURST + 20):
            await socket.say({"type": "sit_out", "id": f"n{number}"})
        answers = [await socket.answer() for _ in range(COMMANDS_BURST + 20)]
        codes = [answer["code"] for answer in answers]
        assert codes[:COMMANDS_BURST] == ["table/not_seated"] * COMMANDS_BURST
        refused = [answer for answer in answers if answer["code"] == "frame/too_many"]
        assert refused
        assert all(answer["id"] is None and answer["fields"]["retry_after_ms"] > 0 for answer in refused)
        await asyncio.sleep(refused[-1]["fields"]["retry_after_ms"] / 1000 + 0.05)
        assert (await socket.ask("sit", buy_in_chips=40))["type"] == "ack"


async def test_a_stranger_may_look_and_nothing_more(served: Served) -> None:
    room = await served.table()
    async with served.at(room.table) as stranger:
        answer = await stranger.ask("sit", buy_in_chips=40)
        assert (answer["type"], answer["code"]) == ("error", "account/not_logged_in")
        assert room.watching == 1


@pytest.mark.parametrize("size", [MAX_FRAME_BYTES + 1, 3 * MAX_FRAME_BYTES])
async def test_a_frame_that_is_too_large_ends_the_connection_with_a_word(served: Served, size: int) -> None:
    room = await served.table()
    guest = await served.guest()
    async with served.at(room.table, guest) as socket:
        await socket.say("x" * size)
        assert await socket.closed() == (1009, "frame/too_large")
        assert socket.heard[-1] == {
            "type": "error",
            "id": None,
            "code": "frame/too_large",
            "fields": {"max_bytes": MAX_FRAME_BYTES},
        }
    assert room.public_view().seats == ()


async def test_a_huge_frame_ends_the_connection_at_once(served: Served) -> None:
    room = await served.table()
    async with served.at(room.table, await served.guest()) as socket:
        await socket.say("x" * (1024 * 1024))
        assert (await socket.closed())[0] == 1009


async def test_pieces_of_a_huge_frame_count_together(served: Served) -> None:
    room = await served.table()
    async with served.at(room.table, await served.guest()) as socket:
        await socket.connection.send(["x" * 1000] * 200)
        assert (await socket.closed())[0] == 1009


async def test_a_table_that_is_not_there(served: Served) -> None:
    async with served.socket("t_nowhere", await served.guest()) as socket:
        assert await socket.closed() == (4404, "table/not_found")


async def test_a_token_that_is_none(served: Served) -> None:
    room = await served.table()
    stranger = Guest(id="", name="", token="wrong")
    async with served.socket(room.table, stranger) as socket:
        await socket.say({"type": "hello"})
        assert await socket.closed() == (4401, "account/not_logged_in")
        assert [frame["type"] for frame in socket.heard] == ["error"]
    assert room.watching == 0


@pytest.mark.parametrize("first", ['{"type": "sit", "id": "a", "buy_in_chips": 40}', "{]", b"\x01", '{"type": "x"}'])
async def test_the_first_frame_is_hello(served: Served, first: str | bytes) -> None:
    room = await served.table()
    async with served.socket(room.table, await served.guest()) as socket:
        await socket.say(first)
        assert await socket.closed() == (4400, "connection/hello_expected")
        assert "snapshot" not in [frame["type"] for frame in socket.heard]
    assert room.public_view().seats == ()


async def test_hello_is_due(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "MAX_HELLO_WAIT_MS", 20)
    room = await served.table()
    async with served.socket(room.table) as socket:
        assert await socket.closed() == (4508, "connection/hello_too_late")


async def test_a_full_server_says_so(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "MAX_CONNECTIONS", 0)
    room = await served.table()
    async with served.socket(room.table) as socket:
        assert await socket.closed() == (1013, "connection/full")


async def test_a_mistake_of_ours_ends_one_connection_with_an_invitation(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = await served.table()
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two:
        with monkeypatch.context() as patch:
            patch.setattr(service_module, "command_of", None)
            await one.say({"type": "sit", "id": "a", "buy_in_chips": 40})
            assert await one.closed() == (1011, "fault/internal")
        assert await two.sit(40) == 1
    async with served.at(room.table, ada) as again:
        assert await again.sit(40) == 2
