"""Nothing that a player can send cancels a hand, wherever our own code breaks on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.rules import stud
from engine.rules.errors import Fault, LawBroken, Refusal
from engine.table import actor, change
from engine.table.commands import PlayerCommand, Sit, SitIn, SitOut, StandUp, TopUp
from engine.table.errors import TablePaused
from tests.engine.table.desk import ANN, BOB, CID, DAN, fingerprint, names
from tests.engine.table.rooms import Room

PLACES: list[tuple[Any, str]] = [
    (actor, "decide"),
    (actor, "commit_of"),
    (change, "evolve_table"),
    (change, "note_hand_event"),
    (change, "require_lawful"),
    (stud, "apply"),
    (stud, "legal"),
    (stud, "evolve"),
]

COMMANDS: dict[str, Callable[[Room], PlayerCommand]] = {
    "act": lambda room: room.wish("bring_in", "call", "check"),
    "sit": lambda room: Sit(player=DAN, command_id=room.id(), name="dan", seat=None, buy_in_chips=500),
    "stand_up_in_the_hand": lambda room: StandUp(player=room.on_turn(), command_id=room.id()),
    "stand_up": lambda room: StandUp(player=CID, command_id=room.id()),
    "sit_out": lambda room: SitOut(player=BOB, command_id=room.id()),
    "sit_in": lambda room: SitIn(player=CID, command_id=room.id()),
    "top_up_in_the_hand": lambda room: TopUp(player=ANN, command_id=room.id(), added_chips=5),
    "top_up": lambda room: TopUp(player=CID, command_id=room.id(), added_chips=5),
}


async def in_the_middle(room: Room) -> None:
    """Ann and Bob play a hand; Cid has sat down since, and sits out."""
    await room.sit("ann", "bob")
    await room.deal()
    await room.act("bring_in")
    await room.sit("cid")
    await room.ask(SitOut(player=CID, command_id=room.id()))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("module", "name"), PLACES, ids=lambda place: getattr(place, "__name__", place))
@pytest.mark.parametrize("error", [RuntimeError, KeyError, LawBroken, RecursionError])
async def test_a_mistake_of_ours_leaves_the_hand_as_it_was(
    monkeypatch: pytest.MonkeyPatch, command: str, module: Any, name: str, error: type[Exception]
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise error

    async with Room() as room:
        await in_the_middle(room)
        hand = room.state.hand
        wish, faults = COMMANDS[command], 0
        for _ in range(3):
            before, asked = fingerprint(room.state), wish(room)
            with monkeypatch.context() as patch:
                patch.setattr(module, name, breaks)
                # Not every command comes by every place; one that does not is done, and refused the next time.
                try:
                    await room.ask(asked)
                except (Fault, Refusal) as refused:
                    faults += isinstance(refused, Fault)
                    assert fingerprint(room.state) == before
        assert faults == 3 or module is not actor
        assert len(room.faults.reports) == faults
        assert room.outbox.notices == []
        assert "HandCancelled" not in names(room.events)
        assert room.state.hand is not None
        assert hand is not None
        assert room.state.hand.hand == hand.hand
        await room.play_out("call", "check", "bring_in")
        assert names(room.events).count("HandEnded") == 1


@pytest.mark.parametrize("command", COMMANDS)
async def test_neither_does_what_our_own_store_breaks_on(command: str) -> None:
    """The table reads its journal again, and the hand goes on."""
    async with Room() as room:
        await in_the_middle(room)
        asked = COMMANDS[command](room)
        room.journal.fail_next(ZeroDivisionError())
        with pytest.raises(Fault, match="commit_unknown"):
            await room.ask(asked)
        with pytest.raises(TablePaused):
            await room.ask(asked)
        await room.crash()
        room.come_back()
        await room.ask(asked)
        assert "HandCancelled" not in names(room.events)
