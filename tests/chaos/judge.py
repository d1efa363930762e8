"""Holds what the bots were told against what stands, and says everything that does not agree.

Their own logs are the measure, never the server's. After each restart `judge_life` asks plain SQL for what was shown
and acknowledged in the life before; at the end `judge_journal` reads every table whole and compares every bot's view.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from engine.rules.actions import SeatNo
from engine.rules.events import (
    BetMade,
    BringInPosted,
    Called,
    Checked,
    Completed,
    Folded,
    HandCancelled,
    HandEnded,
    HandStarted,
    Raised,
)
from engine.rules.views import view_event
from engine.table.events import AnyEvent, LeaveAnnounced, PlayerLeft, TurnOpened, TurnTimedOut
from tests.chaos.books import Books
from tests.chaos.bots import Acked, Life, Shown
from tests.chaos.house import Furnished

PLAIN: Final = 1
"""The journal's format of an event that hides nothing: its bytes are those that everybody is shown."""

DEEDS: Final[Mapping[type, str]] = {
    Folded: "fold",
    Checked: "check",
    Called: "call",
    BringInPosted: "bring_in",
    Completed: "complete",
    BetMade: "bet",
    Raised: "raise",
}


class Row(NamedTuple):
    """An event of the journal, unredacted."""

    seq: int
    at_ms: int
    event: AnyEvent


def judge_life(books: Books, lives: Sequence[Life]) -> Iterator[str]:
    """What one life's logs and the database disagree on, right after the next start."""
    for life in lives:
        if life.error is not None:
            yield life.error
    yield from _answers(books, [acked for life in lives for acked in life.acked])
    yield from _told(books, [shown for life in lives for shown in life.shown])


def judge_chips(books: Books, issued_chips: int) -> Iterator[str]:
    """Whether wallets, seats and rake are together what was issued, and nobody is below zero."""
    held = dict(books.rows("SELECT kind, CAST(sum(balance_chips) AS bigint) FROM accounts GROUP BY kind"))
    players_and_house = sum(chips for kind, chips in held.items() if kind != "issuer")
    if players_and_house != issued_chips or held.get("issuer") != -issued_chips:
        yield f"{issued_chips} chips were issued, and there are {held}"
    below = books.rows("SELECT id FROM accounts WHERE kind <> 'issuer' AND balance_chips < 0")
    if below:
        yield f"below zero: {below}"


def judge_moves(books: Books, acked: Sequence[Acked]) -> Iterator[str]:
    """Each acknowledged buy-in and top-up moved chips once, and nothing else did. No command may be without answer."""
    told = Counter(
        (kind, one.table, one.player)
        for one in acked
        for kind in [{"sit": "buy_in", "top_up": "top_up"}.get(one.frame["type"])]
        if kind is not None
    )
    booked = Counter(
        {
            (reason, table, player): count
            for reason, table, player, count in books.rows(
                "SELECT t.reason, a.table_id, a.player_id, count(*) FROM transfers t"
                " JOIN entries e ON e.transfer_id = t.id JOIN accounts a ON a.id = e.account_id"
                " WHERE a.kind = 'seat' AND t.reason IN ('buy_in', 'top_up') GROUP BY 1, 2, 3"
            )
        }
    )
    for key in told.keys() | booked.keys():
        if told[key] != booked[key]:
            yield f"{key} was acknowledged {told[key]} times and booked {booked[key]} times"


class Verdict(NamedTuple):
    """What a table's journal holds, and what speaks against it."""

    hands: int
    timed_out: int
    faults: list[str]


def judge_journal(
    table: str, rows: Sequence[Row], *, shown: Mapping[str, Iterable[Shown]], acked: Sequence[Acked]
) -> Verdict:
    """Compare a table's whole journal with all that its players were told; `shown` is by player.

    Every command must have its answer by now: then acknowledged and done are the same, each of it once.
    """
    walk = _Walk(table)
    for row in rows:
        walk.step(row)
    faults = [*walk.faults, *walk.unlike(acked)]
    by_seq = {row.seq: row for row in rows}
    encode = msgspec.json.Encoder().encode
    for player, events in shown.items():
        for one in events:
            if one.seq not in by_seq:
                faults.append(f"{table}: event {one.seq} was shown and is gone")
                continue
            row = by_seq[one.seq]
            seat = walk.casts[row.seq].get(player)
            if (row.at_ms, encode(view_event(row.event, seat))) != (one.at_ms, one.event):
                faults.append(f"{table}: event {one.seq} is not what {player} was shown")
    return Verdict(walk.hands, walk.timed_out, faults)


class _Deed(NamedTuple):
    seq: int
    at_ms: int
    verb: str
    to_chips: int | None


class _Walk:
    """Goes through a table's journal, and notes who did what on which turn."""

    def __init__(self, table: str) -> None:
        self._table = table
        self.faults: list[str] = []
        self.hands = 0
        self.timed_out = 0
        self.casts: dict[int, dict[str, SeatNo]] = {}
        self._last: Row | None = None
        self._times: dict[int, int] = {}
        self._hand = ""
        self._cast: dict[str, SeatNo] = {}
        self._players: dict[SeatNo, str] = {}
        self._turns: dict[SeatNo, int] = {}
        self._silent: set[SeatNo] = set()
        self._leaving: set[SeatNo] = set()
        self._ended: Counter[str] = Counter()
        self._deeds: dict[tuple[str, int, str], _Deed] = {}
        self._left: Counter[str] = Counter()

    def step(self, row: Row) -> None:
        if row.seq != (1 if self._last is None else self._last.seq + 1):
            self.faults.append(f"{self._table}: event {row.seq} comes after {self._last and self._last.seq}")
        self._last = row
        self._times[row.seq] = row.at_ms
        event = row.event
        match event:
            case HandStarted():
                if self._hand and not self._ended[self._hand]:
                    self.faults.append(f"{self._table}: {self._hand} never ended")
                self.hands += 1
                self._hand = event.hand
                self._cast = {one.player: one.seat for one in event.seats}
                self._players = {seat: player for player, seat in self._cast.items()}
                self._turns, self._silent, self._leaving = {}, set(), set()
            case TurnOpened():
                self._turns |= {turn.seat: turn.turn for turn in event.turns}
            case TurnTimedOut():
                self.timed_out += 1
                self._silent.add(event.seat)
            case LeaveAnnounced():
                self._leaving.add(event.seat)
            case PlayerLeft(reason="stood_up"):
                self._left[event.player] += 1
            case HandEnded() | HandCancelled():
                self._end(cancelled=isinstance(event, HandCancelled))
            case _ if type(event) in DEEDS:
                self._note(row, event)
            case _:
                pass
        self.casts[row.seq] = self._cast

    def unlike(self, acked: Sequence[Acked]) -> Iterator[str]:
        """What was acknowledged otherwise than it was done, or not done, or done without a word."""
        acts: dict[tuple[str, int, str], Acked] = {}
        for one in acked:
            if one.frame["type"] != "act":
                continue
            key = (one.frame["hand"], one.frame["turn"], one.player)
            if key in acts:
                yield f"{self._table}: {key} was acknowledged twice"
            acts[key] = one
        for key in acts.keys() | self._deeds.keys():
            told, deed = acts.get(key), self._deeds.get(key)
            if told is None or deed is None or not self._agree(told, deed):
                yield f"{self._table}: {key} was acknowledged as {told} and stands as {deed}"
        stood_up = Counter(one.player for one in acked if one.frame["type"] == "stand_up")
        if stood_up != self._left:
            yield f"{self._table}: {stood_up} were told that they leave, and {self._left} left"

    def _agree(self, one: Acked, deed: _Deed) -> bool:
        """The same deed, and it was done in the very commit that the acknowledgement names as the last."""
        action = one.frame["action"]
        in_commit = all(self._times.get(seq) == deed.at_ms for seq in range(deed.seq, one.seq + 1))
        same = (action["verb"], action.get("to_chips")) == (deed.verb, deed.to_chips)
        return deed.seq <= one.seq and in_commit and same

    def _note(self, row: Row, event: Any) -> None:
        seat = event.seat
        turn = self._turns.pop(seat, None)
        if seat in self._leaving or seat in self._silent:
            # Nobody asked for it: the rules acted for who was silent, or leaves.
            self._silent.discard(seat)
            return
        key = (self._hand, turn or 0, self._players[seat])
        if turn is None or key in self._deeds:
            self.faults.append(f"{self._table}: {key} was done without a turn, or twice")
        verb = DEEDS[type(event)]
        self._deeds[key] = _Deed(row.seq, row.at_ms, verb, getattr(event, "to_chips", None))

    def _end(self, *, cancelled: bool) -> None:
        self._ended[self._hand] += 1
        if cancelled or self._ended[self._hand] > 1:
            self.faults.append(f"{self._table}: {self._hand} was cancelled, or ended twice")


def _answers(books: Books, acked: Sequence[Acked]) -> Iterator[str]:
    for one in acked:
        query = "SELECT seq FROM answers WHERE table_id = ? AND player_id = ? AND command_id = ?"
        found = books.rows(query, one.table, one.player, one.id)
        if found != [(one.seq,)]:
            yield f"{one.table}: {one.id} of {one.player} was acknowledged at {one.seq}, and there is {found}"


def _told(books: Books, shown: Sequence[Shown]) -> Iterator[str]:
    by_table: defaultdict[str, list[Shown]] = defaultdict(list)
    for one in shown:
        by_table[one.table].append(one)
    for table, events in by_table.items():
        query = "SELECT seq, at_ms, format, payload FROM journal WHERE table_id = ? AND seq BETWEEN ? AND ?"
        first, last = min(one.seq for one in events), max(one.seq for one in events)
        rows = {seq: rest for seq, *rest in books.rows(query, table, first, last)}
        for one in events:
            if one.seq not in rows:
                yield f"{table}: event {one.seq} was shown and is gone"
                continue
            at_ms, format, payload = rows[one.seq]
            if at_ms != one.at_ms or (format == PLAIN and bytes(payload) != one.event):
                yield f"{table}: event {one.seq} is not what was shown"


def shown_at(made: Furnished, table: str, logs: Mapping[tuple[str, str], list[Shown]]) -> dict[str, list[Shown]]:
    """What each player of a table was shown there."""
    return {place.player: logs[table, place.player] for place in made.places if place.table == table}
