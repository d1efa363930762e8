"""What stands in SQL, read with plain statements by a connection of the judge's own."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from app.store.audit import Report, audit
from app.store.audit_pages import Difference
from app.store.codec import PLAIN_JSON, EventCodec
from app.store.errors import UnreadableEvent
from app.store.keys import WrappedKey, ring_of
from app.store.ledger import account_id
from app.store.sealing import HandSeal, Seals
from app.store.tables import PLAY
from engine.rules.events import HandId, HandStarted
from tests.sim.store import InlineDatabase, done

if TYPE_CHECKING:
    from engine.table.events import AnyEvent, TableId


class TableRows(NamedTuple):
    seqs: list[int]
    times_ms: list[int]
    events: list[AnyEvent]


class Records:
    """One file, as it stands at each moment that it is asked. `sealing_keys` open its cards."""

    def __init__(self, path: Path, *, sealing_keys: str) -> None:
        self._path = path
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA query_only = ON")
        self._codec = EventCodec()
        self._seals = Seals(ring_of(sealing_keys))
        self._opened: dict[TableId, HandSeal] = {}
        self._database = InlineDatabase(path)

    def close(self) -> None:
        self._connection.close()
        self._database.drop()

    def rows(self, table: TableId, *, after_seq: int) -> TableRows:
        found = self._all(
            "SELECT seq, at_ms, format, payload FROM journal WHERE table_id = ? AND seq > ? ORDER BY seq",
            table,
            after_seq,
        )
        return TableRows(
            [row[0] for row in found],
            [row[1] for row in found],
            [self._event(table, row[0], row[2], row[3]) for row in found],
        )

    def _event(self, table: TableId, seq: int, format: int, payload: bytes) -> AnyEvent:
        if format == PLAIN_JSON:
            return self._codec.decode(format=format, payload=payload, seq=seq, seal=None)
        public = self._codec.public(format=format, payload=payload)
        seal = self._opened.get(table)
        if seal is None or isinstance(public, HandStarted):
            seal = self._opened[table] = self._seal_at(table, seq)
        try:
            return self._codec.decode(format=format, payload=payload, seq=seq, seal=seal)
        except UnreadableEvent:
            # It may be that of another hand, when older rows are read again.
            seal = self._opened[table] = self._seal_at(table, seq)
            return self._codec.decode(format=format, payload=payload, seq=seq, seal=seal)

    def _seal_at(self, table: TableId, seq: int) -> HandSeal:
        ((hand, key_id, wrapped),) = self._all(
            "SELECT id, key_id, wrapped_key FROM hands WHERE table_id = ? AND first_seq <= ?"
            " ORDER BY first_seq DESC LIMIT 1",
            table,
            seq,
        )
        return self._seals.of(table, HandId(hand), WrappedKey(key_id, wrapped))

    def last_seq(self, table: TableId) -> int:
        return self._number("SELECT last_seq FROM table_heads WHERE table_id = ?", table)

    def owner(self, table: TableId) -> int:
        return self._number("SELECT epoch FROM table_heads WHERE table_id = ?", table)

    def open_tables(self) -> list[str]:
        return [row[0] for row in self._all("SELECT id FROM tables WHERE closed_ms IS NULL")]

    def answers(self, table: TableId, *, after_number: int) -> list[tuple[int, str, str, int]]:
        return self._all(
            "SELECT number, player_id, command_id, seq FROM answers WHERE table_id = ? AND number > ? ORDER BY number",
            table,
            after_number,
        )

    def answer(self, table: TableId, player: str, command_id: str) -> int | None:
        found = self._all(
            "SELECT seq FROM answers WHERE table_id = ? AND player_id = ? AND command_id = ?", table, player, command_id
        )
        return found[0][0] if found else None

    def seat_accounts(self, table: TableId) -> dict[str, int]:
        found = self._all(
            "SELECT player_id, balance_chips FROM accounts WHERE table_id = ? AND kind = 'seat' AND balance_chips <> 0",
            table,
        )
        return dict(found)

    def sum_of_accounts(self) -> int:
        return self._number("SELECT sum(balance_chips) FROM accounts")

    def rake(self) -> int:
        return self._number("SELECT coalesce(sum(balance_chips), 0) FROM accounts WHERE kind = 'rake'")

    def wallet(self, player: str) -> int:
        return self._number(
            "SELECT coalesce(sum(balance_chips), 0) FROM accounts WHERE id = ?",
            account_id("wallet", PLAY, None, player),
        )

    def given(self, player: str) -> int:
        """What the house has given a player, by the entries of its grants and refills."""
        return self._number(
            "SELECT coalesce(sum(entries.amount_chips), 0) FROM entries JOIN transfers ON transfers.id = transfer_id"
            " WHERE account_id = ? AND reason IN ('grant', 'refill')",
            account_id("wallet", PLAY, None, player),
        )

    def outcomes(self, table: TableId) -> tuple[int, int]:
        """How many hands were finished, and how many cancelled."""
        found = dict(self._all("SELECT outcome, count(*) FROM hands WHERE table_id = ? GROUP BY outcome", table))
        return found.get("ended", 0), found.get("cancelled", 0)

    def audit(self) -> tuple[Difference, ...]:
        """What the server's own audit finds in this very file, sealed parts and all."""
        report: Report = done(audit(self._database, self._seals))
        return report.differences

    def dump(self) -> bytes:
        """A digest of every row of every table."""
        digest = hashlib.blake2b(digest_size=16)
        names = [row[0] for row in self._all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        for name in names:
            rows = sorted(repr(row) for row in self._all(f'SELECT * FROM "{name}"'))  # noqa: S608 - the file's own names
            digest.update(repr((name, rows)).encode())
        return digest.digest()

    def _all(self, sql: str, *values: Any) -> list[Any]:
        return self._connection.execute(sql, values).fetchall()

    def _number(self, sql: str, *values: Any) -> int:
        (found,) = self._connection.execute(sql, values).fetchone()
        return int(found)
