"""Bugs to plant in the server, each the kind that has cost somebody chips, and the law that must find it out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import msgspec
import pytest
from sqlalchemy import bindparam, update

from app.rooms import feed
from app.rooms import service as rooms_service
from app.store import commits, journal, sqlite_batches, table_statements
from app.store.tables import table_heads
from app.store.writes import Statement
from avenue_sdk import fold as sdk_fold
from avenue_sdk.messages import TopUpQueued
from engine.rules import pots, stud
from engine.rules.events import CardDealt, Share
from engine.rules.views import view_hand
from engine.table import actor, clocks, decide, recovery, standstill, views
from engine.table.change import Change
from engine.table.events import ClockResumed, SatOut, TurnTimedOut
from engine.table.hands import play_on
from tests.sim import laws
from tests.sim.chaos import Chaos

Plant = Callable[[pytest.MonkeyPatch], None]

HARD: Final = Chaos(
    flawed=0.02,
    lost_answers=0.002,
    kill_every_steps=2_500,
    outage_every_s=600,
    freeze_every_s=400,
    takeover=0.7,
    disordered=0.1,
)


class Bug(NamedTuple):
    """A bug and the laws of which one must be broken by it."""

    plant: Plant
    laws: tuple[str, ...]
    chaos: Chaos = HARD


def speaks_before_its_commit(patch: pytest.MonkeyPatch) -> None:
    commit = actor.TableActor._commit  # noqa: SLF001

    async def hasty(self: Any, decision: Any, now_ms: int, answer: Any, **said: Any) -> None:
        if decision.events:
            self._publish(decision, self._state.seq + 1, now_ms)
        await commit(self, decision, now_ms, answer, **said)

    patch.setattr(actor.TableActor, "_commit", hasty)


def loses_the_odd_chip(patch: pytest.MonkeyPatch) -> None:
    def split(amount_chips: int, winners: Any) -> tuple[Share, ...]:
        return tuple(Share(seat=seat, amount_chips=amount_chips // len(winners)) for seat in winners)

    patch.setattr(pots, "split_pot", split)


def gives_the_odd_chip_to_the_last(patch: pytest.MonkeyPatch) -> None:
    split = pots.split_pot

    def last(amount_chips: int, winners: Any) -> tuple[Share, ...]:
        amounts = [share.amount_chips for share in split(amount_chips, winners)]
        return tuple(Share(seat, chips) for seat, chips in zip(winners, reversed(amounts), strict=True))

    patch.setattr(pots, "split_pot", last)


def applies_an_act_twice(patch: pytest.MonkeyPatch) -> None:
    act = decide.act  # type: ignore[attr-defined]

    def twice(state: Any, command: Any, now_ms: int) -> Any:
        act(state, command, now_ms)
        change = Change(state, now_ms)
        seat = next(seat for seat, player in state.cast.items() if player == command.player)
        change.take_in(stud.apply(change.hand, seat, command.action))
        following = next(iter(stud.legal(change.hand)), None)
        if following is not None:
            change.take_in(stud.apply(change.hand, following, stud.on_timeout(change.hand, following)))
        play_on(change)
        return change.decided()

    patch.setattr(decide, "act", twice)


def books_no_hand(patch: pytest.MonkeyPatch) -> None:
    write = journal.commit_write  # type: ignore[attr-defined]

    def without(commit: Any, *rest: Any) -> Any:
        kept = tuple(transfer for transfer in commit.transfers if transfer.reason != "hand")
        return write(msgspec.structs.replace(commit, transfers=kept), *rest)

    patch.setattr(journal, "commit_write", without)


def lets_a_timer_survive_its_turn(patch: pytest.MonkeyPatch) -> None:
    """The moment at which the first turn of a hand was due stays due, and nobody looks whose turn it is by then."""
    due_ms, firsts = actor.clock_due_ms, {}  # type: ignore[var-annotated, attr-defined]

    def first_due(state: Any, **terms: Any) -> int | None:
        due = due_ms(state, **terms)
        if state.hand is None or due is None:
            return due
        first: int = firsts.setdefault((state.table, state.hands), due)
        return first

    def ring(state: Any, command: Any, now_ms: int) -> Any:
        if not state.turns:
            return clocks.deadline_passed(state, command, now_ms)
        change = Change(state, now_ms)
        seat, turn = next(iter(state.turns.items()))
        action = stud.on_timeout(change.hand, seat)
        change.say(TurnTimedOut(seat=seat, turn=turn.turn))
        if not change.state.seats[seat].sitting_out:
            change.say(SatOut(seat=seat, reason="timed_out"))
        change.take_in(stud.apply(change.hand, seat, action))
        play_on(change)
        return change.decided()

    for module in (actor, clocks):
        patch.setattr(module, "clock_due_ms", first_due)
    patch.setattr(decide, "deadline_passed", ring)


def shows_a_down_card_to_all(patch: pytest.MonkeyPatch) -> None:
    view = feed.view_event  # type: ignore[attr-defined]
    patch.setattr(feed, "view_event", lambda event, seat: event if isinstance(event, CardDealt) else view(event, seat))


def shows_a_hand_in_a_snapshot(patch: pytest.MonkeyPatch) -> None:
    def first_hand(hand: Any, viewer: Any) -> Any:
        return view_hand(hand, hand.players[0].seat if viewer is None else viewer)

    patch.setattr(views, "view_hand", first_hand)


def forgets_the_answer_in_the_commit(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(commits, "_answer", lambda commit, answer: ())


def forgets_its_answers_at_a_restart(patch: pytest.MonkeyPatch) -> None:
    make = rooms_service.TableActor  # type: ignore[attr-defined]

    def forgetful(state: Any, **ports: Any) -> Any:
        return make(state, **{**ports, "answers": ()})

    patch.setattr(rooms_service, "TableActor", forgetful)


def drops_the_last_event_in_recovery(patch: pytest.MonkeyPatch) -> None:
    recover = recovery.recover

    def short(checkpoint: bytes | None, events: Iterable[Any]) -> Any:
        told = list(events)
        return recover(checkpoint, told[:-1] if len(told) > 1 else told)

    patch.setattr(recovery, "recover", short)


def folds_a_top_up_wrongly(patch: pytest.MonkeyPatch) -> None:
    fold = sdk_fold._fold_event  # noqa: SLF001
    patch.setattr(
        sdk_fold,
        "_fold_event",
        lambda view, event, at: view if isinstance(event, TopUpQueued) else fold(view, event, at),
    )


def checks_no_epoch(patch: pytest.MonkeyPatch) -> None:
    advance = Statement(
        update(table_heads)
        .where(
            table_heads.c.table_id == bindparam("of_table"),
            table_heads.c.epoch >= bindparam("of_epoch"),
            table_heads.c.last_seq == bindparam("from_seq"),
        )
        .values(last_seq=bindparam("to_seq")),
        row=("to_seq", "of_table", "of_epoch", "from_seq"),
    )
    patch.setattr(table_statements, "ADVANCE", advance)


def believes_a_lost_commit(patch: pytest.MonkeyPatch) -> None:
    stands = sqlite_batches.SqliteBatches.settle

    def hopeful(self: Any) -> bool:
        stands(self)
        return True

    patch.setattr(sqlite_batches.SqliteBatches, "settle", hopeful)


def doubts_a_kept_commit(patch: pytest.MonkeyPatch) -> None:
    stands = sqlite_batches.SqliteBatches.settle

    def doubtful(self: Any) -> bool:
        stands(self)
        return False

    patch.setattr(sqlite_batches.SqliteBatches, "settle", doubtful)


def never_tries_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(standstill, "RETRY_PAUSES_MS", (10**12,))


def counts_its_own_absence(patch: pytest.MonkeyPatch) -> None:
    """The clock goes on while the server is away."""

    def resume(state: Any, command: Any, now_ms: int) -> Any:
        change = Change(state, now_ms)
        for seat, turn in sorted(state.turns.items()):
            left_ms = max(turn.deadline_ms - now_ms, 5_000)
            change.say(ClockResumed(seat=seat, turn=turn.turn, deadline_ms=now_ms + left_ms))
        return change.decided() if state.turns else decide.resume(state, command, now_ms)  # type: ignore[attr-defined]

    patch.setattr(decide, "resume", resume)


def leaves_a_frame_out(patch: pytest.MonkeyPatch) -> None:
    publish, numbers = feed.Feed.publish, itertools.count(1)

    def forgetful(self: Any, published: Any) -> None:
        if next(numbers) % 100:
            publish(self, published)

    patch.setattr(feed.Feed, "publish", forgetful)


TAKEOVERS: Final = Chaos(freeze_every_s=25, takeover=1.0)

BUGS: Final[tuple[Bug, ...]] = (
    Bug(speaks_before_its_commit, (laws.DURABLE,)),
    Bug(loses_the_odd_chip, (laws.FAULTS,)),
    Bug(gives_the_odd_chip_to_the_last, (laws.CHIPS_ODD,)),
    Bug(applies_an_act_twice, (laws.ONE_DEED,)),
    Bug(books_no_hand, (laws.CHIPS_SEATS,)),
    Bug(lets_a_timer_survive_its_turn, (laws.DEADLINES,)),
    Bug(shows_a_down_card_to_all, (laws.CENSUS,)),
    Bug(shows_a_hand_in_a_snapshot, (laws.CENSUS, laws.FOLD)),
    Bug(forgets_the_answer_in_the_commit, (laws.EFFECTS,)),
    Bug(forgets_its_answers_at_a_restart, (laws.SAME_ANSWER,)),
    Bug(drops_the_last_event_in_recovery, (laws.RECOVERED,)),
    Bug(folds_a_top_up_wrongly, (laws.FOLD,)),
    Bug(checks_no_epoch, (laws.STALE, laws.FAULTS), TAKEOVERS),
    Bug(believes_a_lost_commit, (laws.DURABLE,)),
    Bug(doubts_a_kept_commit, (laws.FAULTS,)),
    Bug(never_tries_again, (laws.GOES_ON,)),
    Bug(counts_its_own_absence, (laws.FAIR_CLOCKS,), Chaos(kill_every_steps=700)),
    Bug(leaves_a_frame_out, (laws.SEQ_FRAMES,)),
)
