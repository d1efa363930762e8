"""A table's events on their way to its viewers: the `Outbox` of one table.

A decision's events are one frame. It is encoded once for all who may see no more than the public, and once for each
seat that sees more; a seat is one that the viewer has in the very hand that the events belong to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from app.wire.frames import encode
from app.wire.server import Events
from engine.rules.actions import SeatNo
from engine.rules.views import private_seats, view_event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.rooms.viewer import Viewer
    from app.wire.server import ServerFrame
    from engine.rules.errors import AvenueError
    from engine.rules.events import PlayerId
    from engine.table.ports import Published


class WayOut(Protocol):
    """Where frames to one viewer go. Nothing here blocks or raises, whatever the viewer does."""

    def text(self, text: str) -> None: ...

    def frame(self, frame: ServerFrame) -> None: ...

    def close(self, error: AvenueError) -> None: ...


class Subscription:
    """One socket that follows a table; a player may have several, and each gets everything."""

    def __init__(self, outgoing: WayOut, viewer: Viewer | None) -> None:
        self.outgoing = outgoing
        self.viewer = viewer

    @property
    def player(self) -> PlayerId | None:
        return None if self.viewer is None else self.viewer.player


class Feed:
    """Who follows a table.

    Send the snapshot and `add` in one go, without an await between: then nothing is missed and nothing comes twice.
    """

    def __init__(self) -> None:
        # A dict, for its order: who came first is served first.
        self._subscriptions: dict[Subscription, None] = {}

    def __len__(self) -> int:
        return len(self._subscriptions)

    def add(self, subscription: Subscription) -> None:
        self._subscriptions[subscription] = None

    def remove(self, subscription: Subscription) -> None:
        self._subscriptions.pop(subscription, None)

    def __iter__(self) -> Iterator[Subscription]:
        return iter(tuple(self._subscriptions))

    def watched_by_people(self) -> bool:
        """Tell whether anyone but a house bot follows the table."""
        return any(one.viewer is None or not one.viewer.house_bot for one in self._subscriptions)

    def publish(self, published: Published) -> None:
        """Send committed events to everyone, each as he may see them. Returns at once."""
        if not self._subscriptions:
            return
        texts = _Texts(published)
        seats = {player: SeatNo(seat) for seat, player in published.cast.items()}
        for subscription in self:
            player = subscription.player
            subscription.outgoing.text(texts.for_seat(None if player is None else seats.get(player)))

    def tell(self, frame: ServerFrame) -> None:
        """Send everyone a frame that says the same to all."""
        if self._subscriptions:
            text = encode(frame)
            for subscription in self:
                subscription.outgoing.text(text)

    def close(self, error: AvenueError) -> None:
        """End every connection for the same reason."""
        for subscription in self:
            subscription.outgoing.close(error)


class _Texts:
    """The encoded views of one decision's events, each made when it is first asked for."""

    def __init__(self, published: Published) -> None:
        self._published = published
        self._see_more = {seat for event in published.events for seat in private_seats(event)}
        self._made: dict[SeatNo | None, str] = {}

    def for_seat(self, seat: SeatNo | None) -> str:
        key = seat if seat in self._see_more else None
        text = self._made.get(key)
        if text is None:
            text = self._made[key] = encode(
                Events(
                    seq=self._published.first_seq,
                    at_ms=self._published.at_ms,
                    events=tuple(view_event(event, key) for event in self._published.events),
                )
            )
        return text
