"""One table as the house holds it: its actor, who follows it, and whether people are there at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.rooms.feed import Feed
from app.wire.server import Snapshot, You
from engine.table.errors import TableBusy, TableClosed
from engine.table.events import PlayerLeft, PlayerSat

if TYPE_CHECKING:
    import asyncio

    from app.rooms.feed import Subscription
    from app.rooms.viewer import Viewer
    from engine.rules.actions import SeatNo
    from engine.rules.errors import AvenueError
    from engine.rules.events import PlayerId
    from engine.table.actor import TableActor
    from engine.table.commands import PlayerCommand
    from engine.table.events import TableId
    from engine.table.ports import Clock, Published
    from engine.table.views import TableView


class Room:
    """A table and everyone who looks at it. It is the `Outbox` of its table's actor.

    The actor may be taken away and another put in its place after a breakdown; who follows the table stays.
    """

    def __init__(self, table: TableId, *, actor: TableActor, clock: Clock) -> None:
        self.table = table
        self._clock = clock
        self._feed = Feed()
        self._actor = actor
        self._serving = False
        self._closed = False

    @property
    def watching(self) -> int:
        """How many sockets follow the table, those of seated players among them."""
        return len(self._feed)

    def public_view(self) -> TableView:
        return self._actor.view(None)

    def seat_of(self, player: PlayerId) -> SeatNo | None:
        seat = self._actor.state.seat_of(player)
        return None if seat is None else seat.seat

    def submit(self, command: PlayerCommand) -> asyncio.Future[int]:
        """Ask the table for something; see `TableActor.submit`. Raises `TableBusy` while the table is brought back."""
        if self._closed:
            raise TableClosed
        if not self._serving:
            raise TableBusy
        return self._actor.submit(command)

    def join(self, subscription: Subscription) -> None:
        """Send the table as it stands, then everything that happens: nothing is missed and nothing comes twice."""
        if self._closed:
            subscription.outgoing.close(TableClosed())
            return
        subscription.outgoing.frame(self._snapshot(subscription.viewer))
        self._feed.add(subscription)
        self._tell_whether_quiet()

    def leave(self, subscription: Subscription) -> None:
        self._feed.remove(subscription)
        self._tell_whether_quiet()

    def publish(self, published: Published) -> None:
        """See `Outbox.publish`."""
        self._feed.publish(published)
        if any(isinstance(event, PlayerSat | PlayerLeft) for event in published.events):
            self._tell_whether_quiet()

    def served_by(self, actor: TableActor) -> None:
        """Let this actor be the table from now on; who followed another one before gets the table anew."""
        changed, self._actor = actor is not self._actor, actor
        self._serving = True
        self._tell_whether_quiet()
        if changed:
            for subscription in self._feed:
                subscription.outgoing.frame(self._snapshot(subscription.viewer))

    def interrupted(self) -> None:
        """The actor has ended, and another one will come."""
        self._serving = False

    def close(self, error: AvenueError) -> None:
        """End the table for everyone who follows it: no actor will come any more."""
        self._closed = True
        self._serving = False
        self._feed.close(error)

    def _snapshot(self, viewer: Viewer | None) -> Snapshot:
        if viewer is None:
            return Snapshot(now_ms=self._clock.now_ms(), you=None, table=self._actor.view(None))
        you = You(player=viewer.player, name=viewer.name, seat=self.seat_of(viewer.player))
        return Snapshot(now_ms=self._clock.now_ms(), you=you, table=self._actor.view(viewer.player))

    def _tell_whether_quiet(self) -> None:
        """Hands come seldom while nobody but house bots sits here or looks on."""
        bots_only = all(seat.house_bot for seat in self._actor.state.seats.values())
        self._actor.set_quiet(quiet=bots_only and not self._feed.watched_by_people())
