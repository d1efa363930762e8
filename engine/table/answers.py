"""What commands were answered, so that one sent again gets the same answer and is not done twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from engine.limits import MAX_ANSWERS_PER_TABLE
from engine.rules.errors import AvenueError, Refusal
from engine.rules.events import PlayerId
from engine.table.commands import PlayerCommand
from engine.table.errors import CommandIdReused
from engine.table.ports import Answer

E = TypeVar("E", bound=AvenueError)

_ENCODER = msgspec.json.Encoder()


class Answers:
    """A table's last answers by player and command id, the oldest forgotten first.

    Accepted commands are kept with their events too, and are handed in after a restart; refusals are remembered here
    alone. A fault of ours is no answer: what failed by it may be tried again under the same id.
    """

    def __init__(self, accepted: Iterable[Answer] = (), *, most: int = MAX_ANSWERS_PER_TABLE) -> None:
        self._most = most
        # A dict keeps the order in which it was filled.
        self._known: dict[tuple[PlayerId, str], tuple[str, int | Refusal]] = {}
        for answer in accepted:
            self.accepted(answer)

    def known(self, command: PlayerCommand, digest: str) -> int | Refusal | None:
        """Give the number or the refusal that the command was answered before, or None for a new one.

        Its id with another content is answered `CommandIdReused`.
        """
        found = self._known.get((command.player, command.command_id))
        if found is None:
            return None
        if found[0] != digest:
            return CommandIdReused()
        return found[1] if isinstance(found[1], int) else again(found[1])

    def accepted(self, answer: Answer) -> None:
        self._keep((answer.player, answer.command_id), (answer.digest, answer.seq))

    def refused(self, command: PlayerCommand, digest: str, refusal: Refusal) -> None:
        self._keep((command.player, command.command_id), (digest, again(refusal)))

    def __len__(self) -> int:
        return len(self._known)

    def _keep(self, key: tuple[PlayerId, str], known: tuple[str, int | Refusal]) -> None:
        self._known[key] = known
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]


def digest_of(command: PlayerCommand) -> str:
    """A fingerprint of all that the command says; equal commands have equal ones."""
    return hashlib.blake2b(_ENCODER.encode(command), digest_size=16).hexdigest()


def again(error: E) -> E:
    """An error of the same class, code and fields without the traceback, which holds on to whatever its frames held."""
    twin = type(error).__new__(type(error))
    twin.args = error.args
    twin.__dict__.update(error.__dict__)
    return twin
