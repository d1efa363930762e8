"""Who sits at the other end of a socket, as the login says: nothing that a frame carries changes it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.rules.events import PlayerId


@dataclass(frozen=True, slots=True)
class Viewer:
    player: PlayerId
    name: str
    house_bot: bool
