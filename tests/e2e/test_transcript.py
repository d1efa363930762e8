"""The session in docs/protocol.md is one that the server had: it fits the schema, and a client can follow it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.wire.export import export
from avenue_sdk.codec import read_frame
from avenue_sdk.messages import Events, Snapshot
from avenue_sdk.state import TableState, state_of
from tests.app.wire.json_schema import fits
from tests.e2e.transcript import PAGE, TO_CLIENT, TO_SERVER, frames_of, in_page, record


def follow(text: str) -> TableState:
    """Read the server's frames as a client does, and give the table at the end."""
    state: TableState | None = None
    for direction, frame in frames_of(text):
        if direction == TO_CLIENT:
            told = read_frame(json.dumps(frame))
            if isinstance(told, Snapshot):
                state = state_of(told)
            elif isinstance(told, Events):
                assert state is not None
                assert told.seq == state.seq + 1
                for event in told.events:
                    state = state.after(event, told.at_ms)
    assert state is not None
    return state


@pytest.fixture(scope="module")
def page() -> str:
    return in_page(PAGE.read_text(encoding="utf-8"))


def test_every_frame_of_the_page_fits_the_schema(page: str) -> None:
    definitions = export()["$defs"]
    frames = frames_of(page)
    assert len(frames) > 12
    for direction, frame in frames:
        union = "ClientFrame" if direction == TO_SERVER else "ServerFrame"
        assert fits(frame, definitions[union], definitions), frame


def test_a_client_can_follow_the_page(page: str) -> None:
    state = follow(page)
    assert (state.table.hands, state.seat, state.hand) == (1, None, None)


def test_each_command_of_the_page_has_one_answer(page: str) -> None:
    frames = [frame for _, frame in frames_of(page)]
    asked = [frame["id"] for frame in frames if frame["type"] not in ("hello", "ack") and "id" in frame]
    assert [frame["id"] for frame in frames if frame["type"] == "ack"] == asked


async def test_the_script_records_a_session_that_a_client_can_follow(tmp_path: Path) -> None:
    text = await record()
    assert follow(text).table.hands == 1
    assert "p_ada" in text
