"""The one loop of a table: order, answers, clocks, and stopping."""

import asyncio

import pytest
from msgspec.structs import replace

from engine.limits import MAX_INBOX_COMMANDS
from engine.rules.errors import BadVariant, NotYourTurn, Refusal, StaleTurn
from engine.rules.events import HandStarted, PlayerId
from engine.table.actor import TableActor, open_table
from engine.table.commands import SitIn, SitOut, StandUp, TopUp
from engine.table.errors import (
    AlreadySeated,
    CommandIdReused,
    CommitRefused,
    NotSeated,
    TableBusy,
    TableClosed,
)
from engine.table.events import TableOpened
from engine.table.views import TableView
from tests.engine.table.desk import ANN, BOB, CONFIG, TABLE, config, fingerprint, names
from tests.engine.table.rooms import Room
from tests.fakes import FixedDecks, MemoryJournal, VirtualClock, laid_out, settle


async def test_a_table_is_opened_by_its_first_commit() -> None:
    journal = MemoryJournal()
    state = await open_table(table=TABLE, config=CONFIG, epoch=1, journal=journal, clock=VirtualClock())
    (commit,) = journal.commits
    assert commit.events == (TableOpened(table=TABLE, config=CONFIG),)
    assert (commit.first_seq, commit.checkpoint is not None, state.seq) == (1, True, 1)
    with pytest.raises(BadVariant):
        await open_table(table=TABLE, config=config(turn_ms=0), epoch=1, journal=journal, clock=VirtualClock())
    assert len(journal.commits) == 1


async def test_a_command_is_committed_then_published_then_answered() -> None:
    async with Room() as room:
        room.journal.hold()
        asked = room.actor.submit(TopUp(player=ANN, command_id="x", added_chips=5))
        with pytest.raises(NotSeated):
            await asked
        sitting = asyncio.create_task(room.sit("ann"))
        await settle()
        assert room.journal.in_flight == 1
        assert not room.outbox.published
        assert not room.state.seats, "nobody is shown a state that is ahead of the journal"
        room.journal.release()
        await sitting
        assert names(room.outbox.events) == ["PlayerSat"]
        assert room.state.seq == room.journal.answers[-1].seq == 2


async def test_what_is_published_is_numbered_as_it_was_committed() -> None:
    async with Room() as room:
        await room.sit("ann", "bob")
        await room.deal()
        await room.play_out("bring_in", "call", "check")
        seq = 2
        for published in room.outbox.published:
            assert published.first_seq == seq
            seq += len(published.events)
        assert room.outbox.events == room.journal.events[1:]
        assert [published.at_ms for published in room.outbox.published] == [
            commit.at_ms for commit in room.journal.commits[1:]
        ]


async def test_the_cast_goes_along_with_the_events_of_its_hand() -> None:
    async with Room() as room:
        await room.sit("ann", "bob")
        await room.deal()
        await room.sit("cid")
        await room.play_out("bring_in", "fold")
        casts = [published.cast for published in room.outbox.published]
        assert casts[:2] == [{}, {}]
        assert casts[2:] == [{1: "ann", 2: "bob"}] * len(casts[2:])


async def test_hands_begin_by_themselves_when_two_can_play() -> None:
    async with Room() as room:
        await room.sit("ann")
        await room.clock.advance(60_000)
        assert room.state.hand is None
        assert room.clock.waiting == []
        await room.sit("bob")
        await room.clock.advance(2_999)
        assert room.state.hand is None
        await room.clock.advance(1)
        assert room.state.hand is not None


async def test_a_deck_is_drawn_only_for_a_hand_that_is_dealt() -> None:
    async with Room(decks=FixedDecks(laid_out("As Ad Ac", "2c 3d 5h"))) as room:
        await room.sit("ann", "bob")
        await room.ask(SitOut(player=BOB, command_id="out"))
        await room.clock.advance(100_000)
        await room.ask(SitIn(player=BOB, command_id="in"))
        await room.clock.advance(3_000)
        (started,) = [event for event in room.events if isinstance(event, HandStarted)]
        assert started.deck[0] == "As"
        assert not room.faults.reports


async def test_with_only_house_bots_hands_are_further_apart() -> None:
    async with Room() as room:
        room.actor.set_quiet(quiet=True)
        await room.sit("bot1", "bot2", house_bot=True)
        await room.clock.advance(59_999)
        assert room.state.hand is None
        await room.clock.advance(1)
        assert room.state.hand is not None
        await room.play_out("bring_in", "fold")
        await room.clock.advance(10_000)
        assert room.state.hand is None
        room.actor.set_quiet(quiet=False)
        await room.clock.advance()
        assert room.state.hand is not None, "somebody came to watch and the short pause is over"


async def test_clocks_run_by_themselves() -> None:
    async with Room() as room:
        await room.sit("ann", "bob")
        await room.deal()
        silent = room.on_turn()
        await room.clock.advance(20_000)
        assert names(room.events)[-1] == "TimeBankStarted"
        await room.clock.advance(60_000)
        assert "TurnTimedOut" in names(room.events)
        assert room.on_turn() != silent
        await room.act("fold", "call")
        await room.clock.advance(600_000)
        assert names(room.events)[-1] == "PlayerLeft"
        assert room.journal.ledger.seat(silent) == 0


async def test_there_is_one_timer_a_table_and_none_when_nothing_is_due() -> None:
    async with Room() as room:
        assert room.clock.waiting == []
        await room.sit("ann", "bob")
        await room.deal()
        for _ in range(6):
            if room.state.hand is None:
                break
            assert room.clock.waiting == [room.turn().deadline_ms]
            await room.act("bring_in", "call", "check")
    assert room.clock.waiting == []


async def test_b146_the_same_id_twice_has_one_effect_and_one_answer() -> None:
    async with Room() as room:
        await room.sit("ann")
        top_up = TopUp(player=ANN, command_id="again", added_chips=50)
        first, second = room.actor.submit(top_up), room.actor.submit(top_up)
        assert await first == await second == 3
        await room.sit("bob")
        assert await room.ask(top_up) == 3, "whatever has happened since"
        assert room.journal.ledger.seat("ann") == 1_050


async def test_a_refusal_is_repeated_too() -> None:
    async with Room() as room:
        command = SitOut(player=ANN, command_id="out")
        for _ in range(2):
            with pytest.raises(NotSeated):
                await room.ask(command)
        await room.sit("ann")
        with pytest.raises(NotSeated):
            await room.ask(command)
        await room.ask(replace(command, command_id="out2"))


async def test_an_id_with_another_content_is_refused_and_the_first_answer_stands() -> None:
    async with Room() as room:
        await room.sit("ann")
        seq = await room.ask(TopUp(player=ANN, command_id="same", added_chips=50))
        for other in (TopUp(player=ANN, command_id="same", added_chips=51), StandUp(player=ANN, command_id="same")):
            with pytest.raises(CommandIdReused):
                await room.ask(other)
        assert await room.ask(TopUp(player=ANN, command_id="same", added_chips=50)) == seq


async def test_what_is_accepted_without_an_event_is_answered_again_after_a_crash() -> None:
    async with Room() as room:
        await room.sit("ann")
        await room.ask(SitOut(player=ANN, command_id="one"))
        again = SitOut(player=ANN, command_id="two")
        seq = await room.ask(again)
        assert room.journal.commits[-1].events == ()
        assert len(room.outbox.published) == 2, "nobody is told of nothing"
        await room.crash()
        room.come_back()
        await room.ask(SitIn(player=ANN, command_id="three"))
        assert await room.ask(again) == seq


@pytest.mark.parametrize("first", ["act", "timeout"])
async def test_b154_of_an_act_and_its_timeout_exactly_one_is_journalled(first: str) -> None:
    async with Room(config(time_bank_ms=0)) as room:
        await room.sit("ann", "bob")
        await room.deal()
        wish = room.wish("bring_in")
        room.clock.pass_over(20_000)
        if first == "act":
            asked = room.actor.submit(wish)
            room.clock.ring_due()
            assert await asked == room.journal.answers[-1].seq
            await settle()
            assert "TurnTimedOut" not in names(room.events)
        else:
            room.clock.ring_due()
            with pytest.raises((NotYourTurn, StaleTurn)):
                await room.actor.submit(wish)
            assert names(room.events).count("TurnTimedOut") == 1
        assert names(room.events).count("BringInPosted") == 1
        assert room.turn().turn == 2
        with pytest.raises(Refusal) if first == "timeout" else nothing_raised():
            await room.ask(wish)


async def test_an_act_that_waits_for_a_slow_disk_is_not_overtaken_by_its_timeout() -> None:
    async with Room(config(time_bank_ms=0)) as room:
        await room.sit("ann", "bob")
        await room.deal()
        room.journal.hold()
        sitting = asyncio.create_task(room.sit("cid"))
        await settle()
        acting = room.actor.submit(room.wish("bring_in"))
        await room.clock.advance(25_000)
        room.journal.release()
        await sitting
        await acting
        await settle()
        assert "TurnTimedOut" not in names(room.events)


async def test_a_full_inbox_says_so_and_does_nothing() -> None:
    async with Room() as room:
        room.journal.hold()
        await settle()
        first = asyncio.create_task(room.sit("ann"))
        await settle()
        waiting = [
            room.actor.submit(SitOut(player=ANN, command_id=f"w{number}")) for number in range(MAX_INBOX_COMMANDS)
        ]
        refused = SitIn(player=ANN, command_id="late")
        with pytest.raises(TableBusy):
            await room.actor.submit(refused)
        room.journal.release()
        await first
        await asyncio.gather(*waiting)
        assert await room.ask(refused) == room.state.seq, "the same command may be sent again later"


async def test_stopping_ends_the_commit_in_flight_and_answers_the_rest() -> None:
    async with Room() as room:
        room.journal.hold()
        sitting = asyncio.create_task(room.sit("ann"))
        await settle()
        waiting = room.actor.submit(SitOut(player=ANN, command_id="w"))
        stopping = asyncio.create_task(room.actor.stop())
        await settle()
        assert not stopping.done()
        with pytest.raises(TableClosed):
            await room.actor.submit(SitOut(player=ANN, command_id="late"))
        room.journal.release()
        await stopping
        await sitting
        with pytest.raises(TableClosed):
            await waiting
        assert room.task.done()
        assert room.clock.waiting == []
        assert names(room.events) == ["TableOpened", "PlayerSat"]


async def test_a_table_that_never_ran_stops_too() -> None:
    async with Room() as room:
        actor = TableActor(
            room.state,
            epoch=1,
            journal=room.journal,
            outbox=room.outbox,
            clock=room.clock,
            decks=room.decks,
            faults=room.faults,
        )
        asked = actor.submit(SitOut(player=ANN, command_id="w"))
        await actor.stop()
        with pytest.raises(TableClosed):
            await asked


async def test_a_refused_commit_is_its_own_commands_error_and_nothing_else() -> None:
    async with Room(wallets={"ann": 100}) as room:
        before = fingerprint(room.state)
        with pytest.raises(CommitRefused) as refused:
            await room.sit("ann", chips=200)
        assert refused.value.code == "wallet/insufficient"
        assert fingerprint(room.state) == before
        assert not room.outbox.published
        await room.sit("bob")
        assert room.seat("bob") == 1


async def test_b122_of_two_racing_for_one_seat_one_gets_it() -> None:
    async with Room() as room:
        results = await asyncio.gather(room.sit("ann"), room.sit("ann"), return_exceptions=True)
        assert [type(result) for result in results] == [type(None), AlreadySeated]
        assert room.journal.ledger.seat("ann") == 1_000


async def test_whoever_loses_interest_does_not_stop_the_command() -> None:
    async with Room() as room:
        await room.sit("ann")
        asked = room.actor.submit(SitOut(player=ANN, command_id="w"))
        asked.cancel()
        await settle()
        assert room.state.seats[room.seat("ann")].sitting_out


async def test_a_view_is_of_the_committed_state() -> None:
    async with Room() as room:
        await room.sit("ann", "bob")
        await room.deal()
        view = room.actor.view(PlayerId("ann"))
        assert isinstance(view, TableView)
        assert view.seq == room.state.seq == len(room.events)


class nothing_raised:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...
