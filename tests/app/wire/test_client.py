"""What a client may say. How its text is read is shown in `test_frames.py`."""

from typing import get_args

import msgspec

from app.wire.client import ClientFrame, CommandFrame, Hello
from engine.rules.actions import Action


def test_every_frame_and_every_action_has_a_tag_of_its_own() -> None:
    for union, field in ((ClientFrame, "type"), (Action, "verb")):
        tags = [kind.__struct_config__.tag for kind in get_args(union)]
        assert len(set(tags)) == len(tags)
        assert all(kind.__struct_config__.tag_field == field for kind in get_args(union))


def test_every_frame_but_hello_carries_an_id_of_the_client_s() -> None:
    assert set(get_args(ClientFrame)) == {Hello, *get_args(CommandFrame)}
    for kind in get_args(CommandFrame):
        assert msgspec.structs.fields(kind)[0].name == "id"
        assert msgspec.structs.fields(kind)[0].required


def test_nothing_is_taken_that_is_not_described() -> None:
    for kind in (*get_args(ClientFrame), *get_args(Action)):
        assert kind.__struct_config__.forbid_unknown_fields, kind


def test_b124_no_frame_says_who_sends_it() -> None:
    named = {field.name for kind in get_args(ClientFrame) for field in msgspec.structs.fields(kind)}
    assert named == {"id", "buy_in_chips", "seat", "added_chips", "hand", "turn", "action"}
