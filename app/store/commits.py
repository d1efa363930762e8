"""What a table's commit writes: its events, the hand that they begin or end, the money, the answer, the checkpoint.

All of it is one write. The first step moves the table on from the very event and epoch that the commit was decided at,
so a stale owner or a stale state gets no further. Nothing is remembered from commit to commit: which hand runs is read
from the table's own row, in the same transaction.
"""

from __future__ import annotations

import msgspec

from app.store import table_statements as sql
from app.store.codec import EventCodec
from app.store.keys import WrappedKey
from app.store.ledger import of_table, transfer_steps
from app.store.sealing import Seals
from app.store.writes import (
    FOREIGN_KEY,
    ROWS,
    STALE,
    UNIQUE,
    Row,
    Step,
    Write,
    failed,
    refused,
)
from engine.limits import ANSWERS_FORGOTTEN_AT_ONCE
from engine.rules.events import HandCancelled, HandEnded, HandId, HandStarted, PotAwarded
from engine.table.events import AnyEvent, TableConfig, TableId, TableOpened
from engine.table.ports import Answer, TableCommit


def commit_write(commit: TableCommit, codec: EventCodec, seals: Seals) -> Write:
    """All that a commit keeps, as one write. Raises `BadTransfer`.

    The seal of a hand that began earlier must be at hand (`Seals.running`), else `LawBroken` for what is to be sealed.
    """
    scribe = _Scribe(commit, codec, seals)
    for seq, event in enumerate(commit.events, start=commit.first_seq):
        scribe.note(seq, event)
    return Write(
        about=f"{commit.table}:{commit.first_seq}",
        steps=(
            *_first_steps(commit),
            *scribe.steps(),
            *(step for one in commit.transfers for step in transfer_steps(of_table(one), at_ms=commit.at_ms)),
            *(() if commit.answer is None else _answer(commit, commit.answer)),
            *(() if commit.checkpoint is None else (_checkpoint(commit, commit.checkpoint),)),
        ),
    )


def key_write(hand: HandId, key: WrappedKey) -> Write:
    """Give a key to a running hand that has none yet, since it began before cards were sealed."""
    return Write(about=f"{hand}:key", steps=(_give_key(hand, key),))


def take_write(table: TableId, *, epoch: int) -> Write:
    """Make the writer of that epoch the table's owner: whoever had it before can commit nothing more."""
    return Write(about=f"{table}:take", steps=(Step(sql.TAKE, ((epoch, table),), changes=1, verdicts={ROWS: STALE}),))


def close_write(table: TableId, *, epoch: int, at_ms: int) -> Write:
    """Close a table for good. Its seats must be empty, which the caller sees to; no hand may run."""
    return Write(
        about=f"{table}:close",
        steps=(
            Step(sql.STILL_OWN, ((table, epoch),), changes=1, verdicts={ROWS: STALE}),
            Step(sql.CLOSE, ((at_ms, table, table),), changes=1, verdicts={ROWS: refused("table/hand_running")}),
        ),
    )


def _first_steps(commit: TableCommit) -> tuple[Step, ...]:
    """Make a new table, or move one on from where the commit found it, if it is still its owner's."""
    before = commit.first_seq - 1
    after = before + len(commit.events)
    if commit.events and isinstance(commit.events[0], TableOpened):
        return _open(commit, commit.events[0].config, after)
    row = (after, commit.table, commit.epoch, before)
    return (Step(sql.ADVANCE, (row,), changes=1, verdicts={ROWS: STALE}),)


def _open(commit: TableCommit, config: TableConfig, last_seq: int) -> tuple[Step, Step]:
    text = msgspec.json.encode(config).decode()
    return (
        Step(
            sql.OPEN,
            ((commit.table, text, config.currency, commit.at_ms),),
            verdicts={
                UNIQUE: refused("table/exists"),
                FOREIGN_KEY: refused("money/unknown_currency", currency=config.currency),
            },
        ),
        Step(sql.OPEN_HEAD, ((commit.table, commit.epoch, last_seq, 0),)),
    )


def _checkpoint(commit: TableCommit, state: bytes) -> Step:
    return Step(sql.SAVE, ((commit.table, commit.first_seq - 1 + len(commit.events), state),))


class _Scribe:
    """Writes down a commit's events one by one, and what they begin and end.

    A hand that ends without having begun here is the one that runs in SQL.
    """

    def __init__(self, commit: TableCommit, codec: EventCodec, seals: Seals) -> None:
        self._table = commit.table
        self._at_ms = commit.at_ms
        self._codec = codec
        self._seals = seals
        self._hand: HandId | None = None
        self._hand_is_known = False
        self._hands_begun = 0
        self._awarded_chips = 0
        self._rows: list[Row] = []
        self._hand_steps: list[Step] = []

    def note(self, seq: int, event: AnyEvent) -> None:
        if isinstance(event, HandStarted):
            self._begin(seq, event)
        encoded = self._codec.encode(event, seq=seq, seal=self._seals.running(self._table))
        self._rows.append((self._table, seq, self._at_ms, *encoded))
        match event:
            case HandEnded() | HandCancelled():
                self._end(seq, event)
            case PotAwarded():
                self._awarded_chips += sum(share.amount_chips for share in event.shares)
            case _:
                pass

    def steps(self) -> list[Step]:
        steps = []
        if self._rows:
            steps.append(Step(sql.RECORD, tuple(self._rows), changes=1, verdicts={UNIQUE: STALE}))
        steps += self._hand_steps
        if self._hand_is_known:
            steps.append(Step(sql.SET_HAND, ((self._hand, self._hands_begun, self._table),), changes=1))
        return steps

    def _begin(self, seq: int, event: HandStarted) -> None:
        self._hand, self._hand_is_known = event.hand, True
        self._hands_begun += 1
        self._awarded_chips = 0
        variant = event.variant
        stakes = (variant.ante_chips, variant.bring_in_chips, variant.small_bet_chips, variant.big_bet_chips)
        hand = (event.hand, self._hands_begun, variant.game, event.rules, *stakes, self._at_ms, seq, self._table)
        players: tuple[Row, ...] = tuple(
            (event.hand, seat.seat, seat.player, self._at_ms, seat.stack_chips) for seat in event.seats
        )
        self._hand_steps += (
            Step(sql.START_HAND, (hand,), changes=1),
            _give_key(event.hand, self._seals.begin(self._table, event.hand)),
            Step(sql.DEAL_IN, players, changes=1, verdicts={FOREIGN_KEY: failed("unknown_player")}),
        )

    def _end(self, seq: int, event: HandEnded | HandCancelled) -> None:
        """The pot is what was awarded and raked; the showdown that awards it is one decision, and so one commit."""
        end: Row
        if isinstance(event, HandEnded):
            end = ("ended", None, self._at_ms, seq, self._awarded_chips + event.rake_chips, event.rake_chips)
        else:
            end = ("cancelled", event.reason, self._at_ms, seq, 0, 0)
        nets = tuple((result.net_chips, result.seat, self._hand, self._table) for result in event.results)
        self._hand_steps += (
            Step(sql.END_HAND, ((*end, self._hand, self._table),), changes=1),
            Step(sql.NET, nets, changes=1),
        )
        self._hand, self._hand_is_known = None, True


def _give_key(hand: HandId, key: WrappedKey) -> Step:
    return Step(sql.GIVE_KEY, ((*key, hand),), changes=1)


def _answer(commit: TableCommit, answer: Answer) -> tuple[Step, ...]:
    """Keep the answer, and now and then let go of the table's oldest ones."""
    row = (commit.table, answer.player, answer.command_id, answer.digest, answer.seq, commit.at_ms, commit.table)
    keep = Step(
        sql.ANSWER,
        (row,),
        changes=1,
        verdicts={UNIQUE: refused("table/command_id_reused"), FOREIGN_KEY: refused("money/unknown_account")},
    )
    before = commit.first_seq - 1
    passed = (before + len(commit.events)) // ANSWERS_FORGOTTEN_AT_ONCE - before // ANSWERS_FORGOTTEN_AT_ONCE
    # Answers come with events, so there are no more of them than numbers; those without any look every time.
    if passed or not commit.events:
        return keep, Step(sql.FORGET, ((commit.table, commit.table),))
    return (keep,)
