"""What may be asked of a table: the only way in. Wishes of a player carry his id and his own id of the command."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.rules.actions import Action, SeatNo
from engine.rules.cards import Card
from engine.rules.events import HandId, PlayerId


class _Command(msgspec.Struct, frozen=True):
    """A wish or a signal. Its `repr` says its type alone: a deal carries the deck."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class _PlayerCommand(_Command, frozen=True):
    """`command_id` is the client's own; sent again with the same content it gets the same answer."""

    player: PlayerId
    command_id: str


class Sit(_PlayerCommand, frozen=True, tag="sit"):
    """Take a free seat with a buy-in from the wallet. `seat` None takes the first free one."""

    name: str
    seat: SeatNo | None
    buy_in_chips: int
    house_bot: bool = False


class StandUp(_PlayerCommand, frozen=True, tag="stand_up"):
    """Leave; who is in a running hand leaves at its end, and is folded when his turn comes (`rules.md` A10)."""


class SitOut(_PlayerCommand, frozen=True, tag="sit_out"):
    """Be dealt no more hands; the running one is played on."""


class SitIn(_PlayerCommand, frozen=True, tag="sit_in"):
    """Be dealt in from the next hand on."""


class TopUp(_PlayerCommand, frozen=True, tag="top_up"):
    """Add chips from the wallet: at once between hands, else when the running hand is over."""

    added_chips: int


class Act(_PlayerCommand, frozen=True, tag="act"):
    """Do something on one's turn, named by the hand and by the number of the turn."""

    hand: HandId
    turn: int
    action: Action


class StartHand(_Command, frozen=True, tag="start_hand"):
    """Deal the next hand if it is due and two can play; otherwise nothing. The deck is in dealing order.

    `quiet`: only house bots are there, so the longer pause must be over.
    """

    deck: tuple[Card, ...]
    commitment: str = ""
    quiet: bool = False


class DeadlinePassed(_Command, frozen=True, tag="deadline_passed"):
    """Time has come to look at the clocks: time banks begin, turns run out, absent seats are given up.

    `owed_ms` is by how much open turns last longer than they say, since their table stood still; `back_ms` is the
    moment at which it came back, before which nobody could have sat in.
    """

    owed_ms: int = 0
    back_ms: int = 0


class Resume(_Command, frozen=True, tag="resume"):
    """The table goes on after a standstill: running clocks are armed again, with the time that the player had left.

    `stopped_ms` is the moment from which nothing could be kept, or the last one at which the process before is known
    to have lived. None gives every open turn its whole time again.
    """

    stopped_ms: int | None = None


class CancelHand(_Command, frozen=True, tag="cancel_hand"):
    """The running hand cannot go on: it is void, and stacks are what they were before it. `reason` is a code."""

    reason: str


PlayerCommand: TypeAlias = Sit | StandUp | SitOut | SitIn | TopUp | Act
Signal: TypeAlias = StartHand | DeadlinePassed | Resume | CancelHand
"""What no client may say: it comes from the clock, from recovery or from the table itself."""

Command: TypeAlias = PlayerCommand | Signal
