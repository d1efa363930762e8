"""What the server answers over REST. Unknown fields are ignored."""

from __future__ import annotations

from typing import Any

import msgspec

from avenue_sdk.messages import Event


class _Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A body from the server."""


class Player(_Reply, frozen=True, kw_only=True):
    """Who one is; `kind` tells people from house bots."""

    id: str
    name: str
    kind: str


class LoggedIn(_Reply, frozen=True, kw_only=True):
    player: Player
    token: str
    expires_at_ms: int

    def __repr__(self) -> str:
        return "<LoggedIn>"


class Currency(_Reply, frozen=True, kw_only=True):
    code: str
    decimals: int


class RefillTerms(_Reply, frozen=True, kw_only=True):
    """A refill of `amount_chips` is for who has less than `floor_chips`, not before `next_at_ms` (None: at once)."""

    floor_chips: int
    amount_chips: int
    next_at_ms: int | None


class Wallet(_Reply, frozen=True, kw_only=True):
    currency: Currency
    balance_chips: int
    refill: RefillTerms


class LedgerEntry(_Reply, frozen=True, kw_only=True):
    """One line of the ledger as it stands in this wallet; `number` counts its lines from 1, without a gap."""

    number: int
    transfer: str
    reason: str
    reference: str
    at_ms: int
    amount_chips: int
    balance_after_chips: int


class LedgerPage(_Reply, frozen=True, kw_only=True):
    """The newest first. `next` is the `before` of the next page, None on the last one."""

    entries: tuple[LedgerEntry, ...]
    next: int | None


class Refilled(_Reply, frozen=True, kw_only=True):
    added_chips: int
    balance_chips: int


class TableLine(_Reply, frozen=True, kw_only=True):
    """A table in the lobby. `taken` counts seated players, the `house_bots` among them included."""

    id: str
    name: str
    game: str
    currency: str
    small_bet_chips: int
    big_bet_chips: int
    ante_chips: int
    bring_in_chips: int
    min_buy_in_chips: int
    max_buy_in_chips: int | None
    seats: int
    taken: int
    house_bots: int
    watching: int
    hands: int

    @property
    def free(self) -> int:
        return self.seats - self.taken


class TableLines(_Reply, frozen=True, kw_only=True):
    tables: tuple[TableLine, ...]


class Street(_Reply, frozen=True, kw_only=True):
    """`number` is how many cards each player then holds, `deal` the faces of the cards dealt on it.

    `bet_chips` is the size of a wager; where `open_pair_doubles` and a pair shows, one may bet `open_pair_bet_chips`.
    """

    number: int
    deal: tuple[str, ...]
    burn: bool
    bet_chips: int
    open_pair_doubles: bool
    open_pair_bet_chips: int | None


class RakeRule(_Reply, frozen=True, kw_only=True):
    """In hundredths of a percent of each called pot, rounded down, and at most the cap a hand."""

    basis_points: int
    cap_chips: int


class Rules(_Reply, frozen=True, kw_only=True):
    """Everything that decides a hand at a table. `max_wagers` is the cap of a round for all players together."""

    game: str
    min_players: int
    max_players: int
    ante_chips: int
    bring_in_chips: int
    bring_in_is_bet: bool
    small_bet_chips: int
    big_bet_chips: int
    max_wagers: int
    heads_up_uncapped: bool
    streets: tuple[Street, ...]
    rake: RakeRule
    dealer: int


class Clocks(_Reply, frozen=True, kw_only=True):
    turn_ms: int
    time_bank_ms: int
    pause_ms: int
    quiet_pause_ms: int
    absent_ms: int


class SeatLine(_Reply, frozen=True, kw_only=True):
    seat: int
    name: str
    stack_chips: int
    house_bot: bool
    sitting_out: bool


class TableDetail(TableLine, frozen=True, kw_only=True):
    """One table with its rules spelled out, and who sits there."""

    rules: Rules
    clocks: Clocks
    players: tuple[SeatLine, ...]


class MyHand(_Reply, frozen=True, kw_only=True):
    """A finished hand that one was dealt into; `outcome` is `ended` or `cancelled`. The stakes may be unknown."""

    hand: str
    table: str
    table_name: str
    game: str
    currency: str
    small_bet_chips: int | None
    big_bet_chips: int | None
    seat: int
    start_chips: int
    net_chips: int
    pot_chips: int
    outcome: str
    started_ms: int
    ended_ms: int


class HandsPage(_Reply, frozen=True, kw_only=True):
    """The newest first. `next` is the `before` of the next page, None on the last one."""

    hands: tuple[MyHand, ...]
    next: str | None


class PastEvent(_Reply, frozen=True, kw_only=True):
    """An event of the hand with its number at the table; the numbers between belong to what the table did meanwhile."""

    seq: int
    at_ms: int
    event: Event


class HandHistory(_Reply, frozen=True, kw_only=True):
    """A finished hand as the asker may see it; `seat` is the one that he had in it, None for everybody else."""

    hand: str
    table: str
    currency: str
    seat: int | None
    events: tuple[PastEvent, ...]


class ErrorReply(_Reply, frozen=True, kw_only=True):
    code: str
    fields: dict[str, Any] = {}
