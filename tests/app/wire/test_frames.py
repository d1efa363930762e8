"""What a client sends is read strictly; what is wrong with it is a code, and nothing of it is told back."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.wire import client
from app.wire.frames import Unreadable, decode, encode
from app.wire.server import Error
from engine.limits import MAX_CHIPS, MAX_FRAME_BYTES
from engine.rules.actions import Raise


def refused(text: str) -> tuple[str, dict[str, object], str | None]:
    with pytest.raises(Unreadable) as caught:
        decode(text)
    return caught.value.refusal.code, caught.value.refusal.fields, caught.value.frame_id


def sit(**fields: object) -> str:
    return json.dumps({"type": "sit", "id": "a", "buy_in_chips": 100, **fields})


def test_every_type_of_frame_is_read() -> None:
    assert decode('{"type": "hello"}') == client.Hello()
    assert decode(sit(seat=3)) == client.Sit(id="a", buy_in_chips=100, seat=3)
    assert decode('{"type": "stand_up", "id": "b"}') == client.StandUp(id="b")
    assert decode('{"type": "sit_out", "id": "b"}') == client.SitOut(id="b")
    assert decode('{"type": "sit_in", "id": "b"}') == client.SitIn(id="b")
    assert decode('{"type": "top_up", "id": "b", "added_chips": 9}') == client.TopUp(id="b", added_chips=9)
    act = '{"type": "act", "id": "c", "hand": "h", "turn": 4, "action": {"verb": "raise", "to_chips": 20}}'
    assert decode(act) == client.Act(id="c", hand="h", turn=4, action=Raise(to_chips=20))


@pytest.mark.parametrize(
    "amount", ["-1", "-0", "0", str(MAX_CHIPS + 1), str(2**63), "1e308", '"20"', "20.0", "true", "null", "[20]", "{}"]
)
def test_b058_b059_an_amount_is_a_whole_number_in_range(amount: str) -> None:
    text = sit().replace("100", amount)
    assert refused(text) == ("frame/bad_field", {"at": "buy_in_chips"}, "a")


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "0x10", "01", "1_0", "", "2,5"])
def test_b157_what_json_does_not_know_is_no_json(amount: str) -> None:
    assert refused(sit().replace("100", amount))[0] == "frame/bad_json"


@pytest.mark.parametrize("amount", ['"20"', "20.0", "true", "null", "[20]"])
def test_amounts_of_actions_are_as_strict(amount: str) -> None:
    text = f'{{"type": "act", "id": "c", "hand": "h", "turn": 4, "action": {{"verb": "call", "to_chips": {amount}}}}}'
    assert refused(text) == ("frame/bad_field", {"at": "action.to_chips"}, "c")


def test_b124_a_frame_cannot_say_who_sends_it() -> None:
    assert refused(sit(player="somebody-else")) == ("frame/bad_field", {"at": ""}, "a")
    nested = '{"type": "act", "id": "c", "hand": "h", "turn": 4, "action": {"verb": "fold", "seat": 2}}'
    assert refused(nested) == ("frame/bad_field", {"at": "action"}, "c")


@pytest.mark.parametrize("kind", ['"sat"', "7", "null", '""', '["sit"]'])
def test_unknown_types(kind: str) -> None:
    assert refused(f'{{"type": {kind}, "id": "a"}}') == ("frame/unknown_type", {}, "a")


def test_a_frame_without_a_type() -> None:
    assert refused("{}")[0] == "frame/unknown_type"
    assert refused("[]") == ("frame/bad_field", {"at": ""}, None)
    assert refused("3") == ("frame/bad_field", {"at": ""}, None)


@pytest.mark.parametrize("frame_id", ['""', '"with a blank"', '"\\u00e9"', f'"{"x" * 65}"', "7", "null"])
def test_ids_are_short_and_printable(frame_id: str) -> None:
    text = f'{{"type": "stand_up", "id": {frame_id}}}'
    assert refused(text) == ("frame/bad_command_id", {"max_chars": 64}, None)


def test_a_command_needs_an_id() -> None:
    assert refused('{"type": "stand_up"}') == ("frame/bad_command_id", {"max_chars": 64}, None)


@pytest.mark.parametrize("text", ["", "{", '{"type": "hello"} {"type": "hello"}', "hello", "\x00", '{"type": "hello"'])
def test_what_is_no_json(text: str) -> None:
    assert refused(text) == ("frame/bad_json", {}, None)


def test_deep_nesting_in_a_frame_is_refused() -> None:
    assert refused('{"type": "hello", "x": ' + "[" * 2000 + "]" * 2000 + "}")[0] == "frame/bad_json"
    assert refused("[" * 4000)[0] == "frame/bad_field"


def test_of_a_name_that_stands_twice_the_last_counts() -> None:
    assert decode('{"type": "top_up", "id": "b", "added_chips": 9, "added_chips": 7}') == client.TopUp(
        id="b", added_chips=7
    )


@pytest.mark.parametrize("filler", ["x", "é"])
def test_the_bound_counts_bytes(filler: str) -> None:
    room = MAX_FRAME_BYTES - len('{"type":"hello"}')
    fits = '{"type":"hello"' + " " * room + "}"
    assert decode(fits) == client.Hello()
    assert refused(fits + " ") == ("frame/too_large", {"max_bytes": MAX_FRAME_BYTES}, None)
    assert refused(filler * MAX_FRAME_BYTES + filler)[0] == "frame/too_large"


def test_nothing_of_a_refused_frame_is_told_back() -> None:
    for text in (
        sit(seat="s3cret"),
        sit(s3cret=1),
        '{"type": "s3cret"}',
        '{"s3cret": 1}',
        '{"type": "hello", "s3cret": 1}',
    ):
        assert "s3cret" not in repr(refused(text))


@given(
    st.text(max_size=200)
    | st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists).map(json.dumps)
)
def test_any_text_is_a_frame_or_a_refusal(text: str) -> None:
    with contextlib.suppress(Unreadable):
        decode(text)


def test_frames_go_out_with_all_their_fields() -> None:
    assert json.loads(encode(Error(id=None, code="frame/binary"))) == {
        "type": "error",
        "id": None,
        "code": "frame/binary",
        "fields": {},
    }
