"""A table under random wishes and random time: after every step the laws hold, and the journal tells it all again."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from engine.rules.actions import Call, Fold
from engine.rules.errors import Refusal
from engine.rules.events import HandId, PlayerId
from engine.table.commands import Act, CancelHand, Command, DeadlinePassed, Resume, StartHand
from engine.table.events import AnyEvent
from engine.table.recovery import encode_checkpoint, recover
from tests.engine.table.desk import RAKED, STUD5, STUD7, Desk, config, fingerprint, legal_seats
from tests.fakes import GRANT_CHIPS, shuffled_by

PLAYERS = ("ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "ida", "joe")
players = st.sampled_from(PLAYERS)
amounts = st.one_of(st.integers(-5, 400), st.sampled_from([2, 6, 20, 200, 2**53, 10**20]))
waits = st.sampled_from([0, 1, 500, 3_000, 20_000, 25_000, 60_000, 600_000])


class TableMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk()
        self.random = random.Random(0)
        self.checkpoint: bytes | None = None
        self.checkpoint_seq = 0

    @initialize(
        variant=st.sampled_from([STUD7, STUD5, RAKED]),
        bank_ms=st.sampled_from([0, 4_000, 60_000]),
        highest=st.sampled_from([None, 300]),
        dealer=st.integers(0, 8),
        seed=st.integers(0, 2**32 - 1),
        stacks=st.lists(st.integers(1, 250), min_size=2, max_size=6),
    )
    def open(  # noqa: PLR0913 - a table's beginning, drawn
        self, variant: Any, bank_ms: int, highest: int | None, dealer: int, seed: int, stacks: list[int]
    ) -> None:
        self.desk = Desk(
            config(variant, min_buy_in_chips=1, max_buy_in_chips=highest, time_bank_ms=bank_ms, dealer=dealer)
        )
        self.random = random.Random(seed)
        for player, chips in zip(PLAYERS, stacks, strict=False):
            self.desk.sit(player, chips)

    @rule(player=players, chips=amounts, seat=st.one_of(st.none(), st.integers(-1, 9)))
    def sit(self, player: str, chips: int, seat: int | None) -> None:
        self.ask(lambda: self.desk.sit(player, chips, seat))

    @rule(player=players)
    def stand_up(self, player: str) -> None:
        self.ask(lambda: self.desk.stand_up(player))

    @rule(player=players)
    def sit_out(self, player: str) -> None:
        self.ask(lambda: self.desk.sit_out(player))

    @rule(player=players)
    def sit_in(self, player: str) -> None:
        self.ask(lambda: self.desk.sit_in(player))

    @rule(player=players, chips=amounts)
    def top_up(self, player: str, chips: int) -> None:
        self.ask(lambda: self.desk.top_up(player, chips))

    @rule()
    def deal(self) -> None:
        self.desk.deal(shuffled_by(self.random))

    @precondition(lambda self: self.desk.state.hand is not None)
    @rule(choices=st.lists(st.integers(0, 5), min_size=1, max_size=12))
    def play(self, choices: list[int]) -> None:
        """Several turns in a row, so that hands get to their end."""
        for choice in choices:
            if self.desk.state.hand is None:
                return
            options = self.desk.turn().options
            action = options[min(choice, len(options) - 1)].action
            self.desk.do(replace(self.desk.wish(self.desk.words()[0], self.desk.on_turn()), action=action))
            self.everything_holds()

    @rule(player=players, number=st.integers(-1, 30), hand=st.sampled_from(["t1-1", "t1-2", "", "t2-1"]), chips=amounts)
    def act_wildly(self, player: str, number: int, hand: str, chips: int) -> None:
        state = self.desk.state
        action = Fold() if chips % 3 == 0 else Call(to_chips=chips)
        running = state.hand.hand if state.hand is not None and chips % 2 else HandId(hand)
        wish = Act(player=PlayerId(player), command_id=self.desk.id(), hand=running, turn=number, action=action)
        self.ask(lambda: self.desk.do(wish))

    @rule(ms=waits)
    def wait(self, ms: int) -> None:
        self.desk.wait(ms)

    @rule(ms=waits)
    def look_late(self, ms: int) -> None:
        self.desk.now_ms += ms
        self.desk.do(DeadlinePassed())

    @rule(down_ms=waits, known=st.booleans())
    def go_down_and_come_back(self, *, down_ms: int, known: bool) -> None:
        stopped_ms = self.desk.now_ms if known else None
        self.desk.state = recover(self.checkpoint, self.desk.rows[self.checkpoint_seq :])
        self.desk.now_ms += down_ms
        self.desk.do(Resume(stopped_ms=stopped_ms))

    @rule(command=st.sampled_from([CancelHand(reason="fault"), StartHand(deck=())]))
    def signal(self, command: Command) -> None:
        if isinstance(command, CancelHand) or self.desk.state.ready_since_ms is None:
            self.desk.do(command)

    def ask(self, wish: Any) -> list[AnyEvent]:
        """Ask for what may be refused; that a refusal changes nothing is the desk's to check."""
        try:
            events: list[AnyEvent] = wish()
        except Refusal:
            return []
        return events

    @invariant()
    def everything_holds(self) -> None:
        desk, state = self.desk, self.desk.state
        held = sum(desk.ledger.wallet(player) + desk.ledger.seat(player) for player in PLAYERS)
        assert held + desk.ledger.rake() == GRANT_CHIPS * len(PLAYERS), "no chip is made or lost"
        assert [seq for seq, _, _ in desk.rows] == list(range(1, state.seq + 1)), "numbered without a gap"
        assert sorted(state.turns) == sorted(legal_seats(state)), "a turn is open for whoever may act"
        assert not [seat for seat in state.turns if state.seats[seat].leaving], "no leaver is asked"
        assert all(state.seats[seat].player == player for seat, player in state.cast.items())
        if state.hand is None:
            self.checkpoint, self.checkpoint_seq = encode_checkpoint(state), state.seq
        recovered = recover(self.checkpoint, desk.rows[self.checkpoint_seq :])
        assert fingerprint(recovered) == fingerprint(state), "the journal tells it all again"

    def teardown(self) -> None:
        assert fingerprint(recover(None, self.desk.rows)) == fingerprint(self.desk.state)


TestTableMachine = TableMachine.TestCase
TestTableMachine.settings = settings(max_examples=60, stateful_step_count=40, deadline=None, print_blob=True)
