"""One table as the house holds it: its actor, who follows it, and whether people are there at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from app.rooms.feed import Feed
from app.wire.server import GoingOn, Paused, Snapshot, You
from engine.table.answers import again
from engine.table.errors import TablePaused
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
    from engine.table.standstill import PauseReason
    from engine.table.views import TableView


log = structlog.get_logger(__name__)


class Room:
    """A table and everyone who looks at it. It is the `Outbox` of its table's actor.

    The actor may be taken away and another put in its place after a breakdown; who follows the table stays.
    """

    def __init__(self, table: TableId, *, actor: TableActor, clock: Clock) -> None:
        self.table = table
        self._clock = clock
        self._feed = Feed()
        self._actor = actor
        self._serving = True
        self._closed_with: AvenueError | None = None

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
        """Ask the table for something; see `TableActor.submit`.

        Raises `TablePaused` while the table is brought back, and what it was closed with.
        """
        if self._closed_with is not None:
            raise again(self._closed_with)
        if not self._serving:
            raise TablePaused(reason=self._paused)
        return self._actor.submit(command)

    def join(self, subscription: Subscription) -> None:
        """Send the table as it stands, then everything that happens: nothing is missed and nothing comes twice."""
        if self._closed_with is not None:
            subscription.outgoing.close(self._closed_with)
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

    def paused(self, reason: PauseReason | None) -> None:
        """See `Outbox.paused`."""
        if reason is None:
            log.info("table goes on", table=self.table)
        else:
            log.warning("table paused", table=self.table, reason=reason)
        self._feed.tell(GoingOn() if reason is None else Paused(reason=reason))

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
        self.paused(self._paused)

    def close(self, error: AvenueError) -> None:
        """End the table for everyone who follows it: no actor will come any more."""
        self._closed_with = error
        self._serving = False
        self._feed.close(error)

    @property
    def _paused(self) -> PauseReason | None:
        return self._actor.paused if self._serving else "recovering"

    def _snapshot(self, viewer: Viewer | None) -> Snapshot:
        player = None if viewer is None else viewer.player
        return Snapshot(
            now_ms=self._clock.now_ms(),
            you=None
            if viewer is None
            else You(player=viewer.player, name=viewer.name, seat=self.seat_of(viewer.player)),
            table=self._actor.view(player),
            paused=self._paused,
        )

    def _tell_whether_quiet(self) -> None:
        """Hands come seldom while nobody but house bots sits here or looks on."""
        bots_only = all(seat.house_bot for seat in self._actor.state.seats.values())
        self._actor.set_quiet(quiet=bots_only and not self._feed.watched_by_people())
