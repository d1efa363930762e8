"""What every adapter of the journal's port must do. Put one under it by a subclass with a `desk` fixture."""

from __future__ import annotations

from typing import Protocol

import msgspec
import pytest

from engine.rules.events import PlayerId
from engine.table.commands import SitOut
from engine.table.decide import decide
from engine.table.errors import CommitRefused, StaleOwner
from engine.table.events import AnyEvent
from engine.table.ports import Answer, Journal, TableCommit
from engine.table.recovery import encode_checkpoint, recover
from engine.table.state import TableState
from tests.app.store.house import SqlTable
from tests.fakes import VirtualClock

CHIPS = 10_000


class StoredTable(Protocol):
    """What a journal gives back of a table."""

    @property
    def checkpoint(self) -> bytes | None: ...
    @property
    def events(self) -> tuple[tuple[int, int, AnyEvent], ...]: ...
    @property
    def answers(self) -> tuple[Answer, ...]: ...


class JournalDesk(Protocol):
    """A journal to try, where `ann`, `bob` and `cid` have `CHIPS` each."""

    journal: Journal
    epoch: int
    clock: VirtualClock

    async def load(self, table: str) -> StoredTable: ...
    async def wallet(self, player: str) -> int: ...
    async def seat(self, player: str, table: str) -> int: ...


def fingerprint(state: TableState) -> bytes:
    """Everything of a state, cards included, as bytes."""
    between = encode_checkpoint(msgspec.structs.replace(state, hand=None, turns={}, cast={}))
    return between + msgspec.json.encode((state.hand, state.turns, state.cast, state.last_turn))


class JournalContract:
    async def table(self, desk: JournalDesk, name: str = "t1") -> SqlTable:
        return await SqlTable.open(desk.journal, epoch=desk.epoch, clock=desk.clock, table=name)

    async def recovered(self, desk: JournalDesk, table: SqlTable) -> TableState:
        kept = await desk.load(table.state.table)
        return recover(kept.checkpoint, kept.events)

    async def must_stand_as_before(self, desk: JournalDesk, table: SqlTable) -> None:
        """After a commit that did not happen, what is kept is the state before it, and the table goes on."""
        assert fingerprint(await self.recovered(desk, table)) == fingerprint(table.state)
        for player in ("ann", "bob", "cid"):
            stacks = [seat.account_chips for seat in table.state.seats.values() if seat.player == player]
            assert await desk.seat(player, table.state.table) == sum(stacks)
            assert await desk.wallet(player) == CHIPS - sum(stacks)

    async def test_what_was_committed_is_given_back(self, desk: JournalDesk) -> None:
        table = await self.table(desk)
        await table.sit("ann")
        desk.clock.pass_over(7)
        await table.sit("bob")
        await table.deal()
        await table.act()
        kept = await desk.load("t1")
        given = [
            (seq, commit.at_ms, event)
            for commit in table.commits
            for seq, event in enumerate(commit.events, start=commit.first_seq)
        ]
        assert given[-1][0] == table.state.seq
        assert list(kept.events) == given[-len(kept.events) :]
        assert list(kept.answers) == [commit.answer for commit in table.commits if commit.answer is not None]

    async def test_a_table_is_recovered_at_any_point_of_a_hand(self, desk: JournalDesk) -> None:
        table = await self.table(desk)
        for player in ("ann", "bob", "cid"):
            await table.sit(player)
        for _ in range(3):
            await table.deal()
            while table.state.hand is not None:
                assert fingerprint(await self.recovered(desk, table)) == fingerprint(table.state)
                await table.act()
            assert fingerprint(await self.recovered(desk, table)) == fingerprint(table.state)

    async def test_money_moves_with_the_events(self, desk: JournalDesk) -> None:
        table = await self.table(desk)
        await table.sit("ann", 600)
        await table.sit("bob", 400)
        assert await desk.wallet("ann") == CHIPS - 600
        assert await desk.seat("ann", "t1") == 600
        await table.play_hand()
        for player in ("ann", "bob"):
            assert await desk.seat(player, "t1") == table.stack(player)
        stack = table.stack("ann")
        await table.stand_up("ann")
        assert await desk.seat("ann", "t1") == 0
        assert await desk.wallet("ann") == CHIPS - 600 + stack

    async def test_a_checkpoint_stands_for_all_events_up_to_it(self, desk: JournalDesk) -> None:
        table = await self.table(desk)
        await table.sit("ann")
        await table.sit("bob")
        between = await desk.load("t1")
        assert (between.checkpoint, between.events) == (encode_checkpoint(table.state), ())
        before_seq = table.state.seq
        await table.deal()
        running = await desk.load("t1")
        assert running.checkpoint == between.checkpoint
        assert [seq for seq, _, _ in running.events] == list(range(before_seq + 1, table.state.seq + 1))

    async def test_who_lacks_the_money_is_refused_and_nothing_is_kept(self, desk: JournalDesk) -> None:
        table = await self.table(desk)
        await table.sit("ann")
        with pytest.raises(CommitRefused) as caught:
            await table.sit("bob", CHIPS + 1)
        assert caught.value.code == "wallet/insufficient"
        await self.must_stand_as_before(desk, table)
        await table.sit("bob", CHIPS)
        assert await desk.wallet("bob") == 0

    async def test_a_stale_owner_commits_nothing(self, desk: JournalDesk) -> None:
        table = await self.table(desk)
        await table.sit("ann")
        for epoch in (desk.epoch - 1, desk.epoch + 1):
            table.epoch = epoch
            with pytest.raises(StaleOwner):
                await table.sit("bob")
            await self.must_stand_as_before(desk, table)
        table.epoch = desk.epoch
        await table.sit("bob")

    async def test_a_command_that_changes_nothing_leaves_its_answer(self, desk: JournalDesk) -> None:
        table = await self.table(desk)
        await table.sit("ann")
        answer = Answer(player=PlayerId("ann"), command_id="again", digest="d", seq=table.state.seq)
        decision = decide(table.state, SitOut(player=PlayerId("ann"), command_id="x"), desk.clock.now_ms())
        assert decision.events, "the first time it changes something"
        nothing = TableCommit(
            table=table.state.table,
            epoch=desk.epoch,
            first_seq=table.state.seq + 1,
            at_ms=desk.clock.now_ms(),
            events=(),
            answer=answer,
        )
        await desk.journal.commit(nothing)
        assert (await desk.load("t1")).answers[-1] == answer
        await self.must_stand_as_before(desk, table)
        await table.sit("bob")

    async def test_nothing_of_the_hand_is_lost_on_the_way(self, desk: JournalDesk) -> None:
        """The deck and every hidden card come back, or no hand could be resumed."""
        table = await self.table(desk)
        await table.sit("ann")
        await table.sit("bob")
        await table.deal()
        hand = (await self.recovered(desk, table)).hand
        assert hand is not None
        assert hand == table.state.hand
