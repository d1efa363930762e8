"""The exported schema is what the frames are: committed, complete, and true of every frame that is sent or taken."""

from __future__ import annotations

import json
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.wire import export
from app.wire.frames import Unreadable, decode, encode
from app.wire.server import Ack, Error, Events, Snapshot, You
from engine.limits import MAX_CHIPS
from engine.rules.actions import Action
from engine.rules.cards import DECK, HIDDEN
from engine.rules.views import view_event
from engine.table.events import AnyEvent
from engine.table.views import hand_seat, table_view
from tests.app.wire.json_schema import fits
from tests.clients.world import PLAYERS, World

SCHEMA = export.export()
DEFINITIONS: dict[str, Any] = SCHEMA["$defs"]


def is_server_frame(text: str) -> bool:
    return fits(json.loads(text), DEFINITIONS["ServerFrame"], DEFINITIONS)


def is_client_frame(text: str) -> bool:
    return fits(json.loads(text), DEFINITIONS["ClientFrame"], DEFINITIONS)


def test_the_committed_schema_is_the_one_that_the_frames_make() -> None:
    assert export.main(["--check"]) == 0, "run `python -m app.wire.export` and then clients/sdk/generate.py"


def test_drift_is_found(tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(export, "SCHEMA_PATH", tmp_path / "protocol" / "schema.json")
    assert export.main(["--check"]) == 1
    assert export.main([]) == 0
    assert export.main(["--check"]) == 0
    export.SCHEMA_PATH.write_text(export.render().replace("Ack", "Okay"))
    assert export.main(["--check"]) == 1
    assert "python -m app.wire.export" in capsys.readouterr().err


def test_two_exports_are_the_same_text() -> None:
    assert export.render() == export.render()
    assert list(DEFINITIONS) == sorted(DEFINITIONS)


def test_every_event_is_described_under_its_own_tag() -> None:
    mapping = DEFINITIONS["Event"]["discriminator"]["mapping"]
    assert mapping == {event.__struct_config__.tag: f"#/$defs/{event.__name__}" for event in get_args(AnyEvent)}
    assert {reference["$ref"] for reference in DEFINITIONS["Event"]["oneOf"]} == set(mapping.values())


def test_every_reference_leads_somewhere_and_every_definition_is_used() -> None:
    text = json.dumps(SCHEMA)
    used = {part.split('"', 1)[0] for part in text.split("#/$defs/")[1:]}
    assert used | {"Command"} == set(DEFINITIONS)


@pytest.mark.parametrize("card", [*DECK, HIDDEN])
def test_a_card_fits_its_pattern(card: str) -> None:
    assert fits(card, DEFINITIONS["Card"], DEFINITIONS)


@pytest.mark.parametrize("text", ["", "T", "10d", "td", "TD", "?", "???", "1c", "Td ", "Tx", "?d"])
def test_what_is_no_card_does_not(text: str) -> None:
    assert not fits(text, DEFINITIONS["Card"], DEFINITIONS)


def test_a_server_always_sends_every_field_and_a_client_may_leave_out_what_has_a_default() -> None:
    config = DEFINITIONS["TableConfig"]
    assert config["required"] == list(config["properties"])
    assert not any("default" in field for field in config["properties"].values())
    assert DEFINITIONS["Sit"]["required"] == ["type", "id", "buy_in_chips"]
    assert DEFINITIONS["Sit"]["properties"]["seat"]["default"] is None
    assert all(one["additionalProperties"] is False for one in DEFINITIONS.values() if one.get("type") == "object")


@settings(max_examples=8)
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_every_frame_of_a_table_fits(seed: int) -> None:
    for told in World(seed).run(hands=1):
        for viewer in (None, PLAYERS[0]):
            seat = hand_seat(told.cast, viewer)
            event = view_event(told.event, seat)
            assert is_server_frame(encode(Events(seq=told.after.seq, at_ms=told.at_ms, events=(event,))))
            you = None if viewer is None else You(player=viewer, name="A", seat=None)
            table = table_view(told.after, viewer)
            assert is_server_frame(encode(Snapshot(now_ms=told.at_ms, you=you, table=table)))


def test_answers_fit_and_what_is_no_frame_does_not() -> None:
    assert is_server_frame(encode(Ack(id="a", seq=1)))
    assert is_server_frame(encode(Error(id=None, code="frame/bad_json")))
    assert is_server_frame(encode(Error(id="a", code="table/seat_taken", fields={"seat": 1})))
    assert not is_server_frame('{"type": "ack", "id": "a"}')
    assert not is_server_frame('{"type": "ack", "id": "a", "seq": 1, "more": 2}')
    assert not is_server_frame('{"type": "ack", "id": "a", "seq": true}')
    assert not is_server_frame('{"type": "wave"}')


FRAMES = [
    {"type": "hello"},
    {"type": "sit", "id": "a", "buy_in_chips": 100, "seat": 3},
    {"type": "top_up", "id": "a", "added_chips": 100},
    {"type": "stand_up", "id": "a"},
    {"type": "act", "id": "a", "hand": "h", "turn": 1, "action": {"verb": "raise", "to_chips": 20}},
    {"type": "act", "id": "a", "hand": "h", "turn": 1, "action": {"verb": "fold"}},
]

VALUES: list[Any] = [
    *("", "a", " ", "é", "x" * 64, "x" * 65, "fold", "hello"),
    *(0, 1, -1, 8, 9, MAX_CHIPS, MAX_CHIPS + 1),
    *(True, None, [], {}),
]


@settings(max_examples=400)
@given(frame=st.sampled_from(FRAMES), data=st.data())
def test_the_server_takes_exactly_what_the_schema_describes(frame: dict[str, Any], data: st.DataObject) -> None:
    changed = json.loads(json.dumps(frame))
    place = changed["action"] if "action" in changed and data.draw(st.booleans()) else changed
    name = data.draw(st.sampled_from([*place, "more"]))
    if data.draw(st.booleans()):
        place[name] = data.draw(st.sampled_from(VALUES))
    else:
        place.pop(name, None)
    text = json.dumps(changed)
    try:
        decode(text)
        taken = True
    except Unreadable:
        taken = False
    assert taken == is_client_frame(text), text


def test_two_structs_of_one_name_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fold(msgspec.Struct, frozen=True, tag_field="verb", tag="fold"):
        muck: bool = True

    monkeypatch.setitem(export.UNIONS, "Action", Fold | Action)
    definitions = export._Definitions()  # noqa: SLF001 - the guard is reached by no good frame
    with pytest.raises(TypeError, match="two structs of the wire are called Fold"):
        definitions.require_union("Action")


def test_a_type_without_a_schema_is_named() -> None:
    with pytest.raises(TypeError, match="float"):
        export._Definitions().schema_of(float)  # noqa: SLF001 - the guard is reached by no good frame
