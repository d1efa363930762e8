"""Whole tables to be kept for ever: everything that can happen at a table, by the real rules and a seeded dice."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from engine.rules.actions import Action, Check, Fold, Raise
from engine.rules.variants import Rake, Variant, five_card_stud, seven_card_stud
from engine.table.commands import Act, CancelHand, DeadlinePassed, Resume, SitIn, SitOut, StartHand, TopUp
from engine.table.events import AnyEvent, TableConfig
from engine.table.ports import TableCommit
from tests.app.store.house import NoJournal, SqlTable
from tests.fakes import VirtualClock, shuffled_by

Choose = Callable[[random.Random, Sequence[Action]], Action]

PLAYERS = ("ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal")

GAMES: dict[str, Variant] = {
    "stud5": five_card_stud(small_bet_chips=10, big_bet_chips=20, rake=Rake(basis_points=500, cap_chips=9)),
    "stud7": seven_card_stud(small_bet_chips=10, big_bet_chips=20, rake=Rake(basis_points=500, cap_chips=9)),
}


async def play_a_table(game: str, *, seed: int) -> list[TableCommit]:
    """All commits of a table at which all of it happens; the last hand is left in the middle."""
    config = TableConfig(name=f"Golden {game}", variant=GAMES[game], currency="PLAY", min_buy_in_chips=40)
    clock = VirtualClock()
    table = await SqlTable.open(NoJournal(), epoch=1, clock=clock, table=f"golden-{game}", config=config, seed=seed)
    return await _Evening(table, clock, random.Random(seed)).play()


class _Evening:
    def __init__(self, table: SqlTable, clock: VirtualClock, dice: random.Random) -> None:
        self._table = table
        self._clock = clock
        self._dice = dice

    async def play(self) -> list[TableCommit]:
        table = self._table
        for number, player in enumerate(PLAYERS):
            await table.sit(player, 400 if number < 5 else 45)
        # Everybody stays to the end: the deck of 52 is too short for eight at seven-card stud.
        await self._hand(staying)
        for _ in range(6):
            await self._hand(any_of)
        await self._hand(wild)
        await self._one_at_a_time()
        await self._silence()
        await table.do(CancelHand(reason="fault"))
        await self._come_and_go()
        for _ in range(4):
            await self._hand(any_of)
        await self._deal()
        for _ in range(3):
            await self._act(staying)
        return table.commits

    async def _hand(self, choose: Choose) -> None:
        await self._deal()
        while self._table.state.hand is not None:
            await self._act(choose)

    async def _deal(self) -> None:
        self._clock.pass_over(self._table.state.config.pause_ms)
        await self._table.do(StartHand(deck=shuffled_by(self._dice)))

    async def _act(self, choose: Choose) -> None:
        self._clock.pass_over(self._dice.randrange(100, 3_000))
        state = self._table.state
        (turn,) = state.turns.values()
        assert state.hand is not None
        action = choose(self._dice, [option.action for option in turn.options])
        player, command_id = state.cast[turn.seat], self._table.id()
        await self._table.do(
            Act(player=player, command_id=command_id, hand=state.hand.hand, turn=turn.turn, action=action)
        )

    async def _one_at_a_time(self) -> None:
        """Somebody leaves, sits out, comes back and adds chips while a hand runs."""
        table = self._table
        await self._deal()
        here = [seat.player for seat in table.state.ready_seats()]
        await table.do(TopUp(player=here[0], command_id=table.id(), added_chips=50))
        await table.do(SitOut(player=here[1], command_id=table.id()))
        await table.stand_up(here[2])
        while table.state.hand is not None:
            await self._act(staying)
        await table.do(SitIn(player=here[1], command_id=table.id()))
        await table.do(TopUp(player=here[1], command_id=table.id(), added_chips=50))
        await table.sit(here[2], 300)

    async def _silence(self) -> None:
        """A turn and its time bank run out, the server is away, and the hand is left running."""
        table = self._table
        await self._deal()
        for wait_ms in (table.state.config.turn_ms, table.state.config.time_bank_ms):
            self._clock.pass_over(wait_ms)
            await table.do(DeadlinePassed())
        self._clock.pass_over(60_000)
        await table.do(Resume(stopped_ms=self._clock.now_ms() - 55_000))

    async def _come_and_go(self) -> None:
        """Who was silent for too long loses the seat; others who have nothing left buy in again."""
        table = self._table
        self._clock.pass_over(table.state.config.absent_ms)
        await table.do(DeadlinePassed())
        for player in PLAYERS:
            if player not in {seat.player for seat in table.state.seats.values()}:
                await table.sit(player, 200)


def staying(dice: random.Random, actions: Sequence[Action]) -> Action:
    """Whatever keeps the seat in the hand and raises nothing."""
    return next(action for action in actions if not isinstance(action, Fold | Raise))


def wild(dice: random.Random, actions: Sequence[Action]) -> Action:
    """The most that is offered."""
    paying = [action for action in actions if not isinstance(action, Fold | Check)]
    return paying[-1] if paying else actions[0]


def any_of(dice: random.Random, actions: Sequence[Action]) -> Action:
    return dice.choice(actions)


def event_types(commits: Sequence[TableCommit]) -> set[type[AnyEvent]]:
    return {type(event) for commit in commits for event in commit.events}
