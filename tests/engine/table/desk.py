"""A table to try decisions at: each one is booked and kept at once, at the moment that the desk's clock shows."""

from __future__ import annotations

import random
from itertools import count
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.rules import stud
from engine.rules.actions import Action, SeatNo
from engine.rules.cards import Card
from engine.rules.errors import Refusal
from engine.rules.events import HandEvent, HandId, PlayerId
from engine.rules.variants import Rake, Variant, five_card_stud, seven_card_stud
from engine.table.clocks import next_deadline_ms
from engine.table.commands import Act, Command, DeadlinePassed, Sit, SitIn, SitOut, StandUp, StartHand, TopUp
from engine.table.decide import Decision, decide, opening
from engine.table.events import AnyEvent, TableConfig, TableId, Turn
from engine.table.recovery import encode_checkpoint
from engine.table.state import SeatState, TableState
from engine.table.views import table_view
from tests.fakes import Ledger, shuffled_by

STUD7 = seven_card_stud(small_bet_chips=10, big_bet_chips=20, ante_chips=2, bring_in_chips=4)
STUD5 = five_card_stud(small_bet_chips=10, big_bet_chips=20, ante_chips=2)
RAKED = seven_card_stud(
    small_bet_chips=10, big_bet_chips=20, ante_chips=2, bring_in_chips=4, rake=Rake(basis_points=500, cap_chips=9)
)

CONFIG = TableConfig(
    name="Avenue 1",
    variant=STUD7,
    currency="play",
    min_buy_in_chips=200,
    turn_ms=20_000,
    time_bank_ms=60_000,
    pause_ms=3_000,
    quiet_pause_ms=60_000,
    absent_ms=600_000,
)


def config(variant: Variant = STUD7, **fields: Any) -> TableConfig:
    return replace(CONFIG, variant=variant, **fields)


ANN, BOB, CID, DAN = PlayerId("ann"), PlayerId("bob"), PlayerId("cid"), PlayerId("dan")
TABLE = TableId("t1")


class Desk:
    """Players are named by a letter or so; each one's name is his id."""

    def __init__(self, table: TableConfig = CONFIG, *, wallets: dict[str, int] | None = None, seed: int = 7) -> None:
        self.now_ms = 1_700_000_000_000
        self.ledger = Ledger(wallets)
        self.decisions: list[Decision] = []
        self.rows: list[tuple[int, int, AnyEvent]] = []
        self._ids = count(1)
        self._random = random.Random(seed)
        decision = opening(table=TABLE, config=table, now_ms=self.now_ms)
        self.state = decision.state
        self._keep(decision)

    def do(self, command: Command) -> list[AnyEvent]:
        """Decide and keep; gives what happened. A refusal leaves the table as it was, to the byte."""
        before = fingerprint(self.state)
        try:
            decision = decide(self.state, command, self.now_ms)
            self.ledger.book(decision.transfers)
        except Refusal:
            assert fingerprint(self.state) == before
            raise
        assert fingerprint(self.state) == before, "a decision leaves the state before it alone"
        self._keep(decision)
        return list(decision.events)

    def sit(self, player: str, chips: int = 1_000, seat: int | None = None, **fields: Any) -> list[AnyEvent]:
        return self.do(
            Sit(
                player=PlayerId(player),
                command_id=self.id(),
                name=player,
                seat=None if seat is None else SeatNo(seat),
                buy_in_chips=chips,
                **fields,
            )
        )

    def stand_up(self, player: str) -> list[AnyEvent]:
        return self.do(StandUp(player=PlayerId(player), command_id=self.id()))

    def sit_out(self, player: str) -> list[AnyEvent]:
        return self.do(SitOut(player=PlayerId(player), command_id=self.id()))

    def sit_in(self, player: str) -> list[AnyEvent]:
        return self.do(SitIn(player=PlayerId(player), command_id=self.id()))

    def top_up(self, player: str, chips: int) -> list[AnyEvent]:
        return self.do(TopUp(player=PlayerId(player), command_id=self.id(), added_chips=chips))

    def deal(self, deck: tuple[Card, ...] | None = None) -> list[AnyEvent]:
        """Let the pause pass and the next hand begin."""
        self.now_ms += self.state.config.pause_ms
        return self.do(StartHand(deck=deck or shuffled_by(self._random)))

    def act(self, word: str, player: str | None = None) -> list[AnyEvent]:
        """Let whoever is asked (or a certain player) do what one of his options says: `fold`, `call`, `bring_in` …"""
        turn = self.turn()
        return self.do(self.wish(word, player or self.player(turn.seat)))

    def wish(self, word: str, player: str, *, turn: int | None = None, hand: str | None = None) -> Act:
        open_turn = self.turn()
        return Act(
            player=PlayerId(player),
            command_id=self.id(),
            hand=HandId(hand or self.hand_id()),
            turn=open_turn.turn if turn is None else turn,
            action=offered(open_turn, word),
        )

    def wait(self, ms: int) -> list[AnyEvent]:
        """Let time pass and the clocks do what is due, each at its moment; no hand is dealt."""
        end_ms = self.now_ms + ms
        events: list[AnyEvent] = []
        while (due := self.due_ms()) is not None and due <= end_ms:
            self.now_ms = max(self.now_ms, due)
            happened = self.do(DeadlinePassed())
            if not happened:
                break
            events += happened
        self.now_ms = end_ms
        return events

    def due_ms(self) -> int | None:
        return next_deadline_ms(replace(self.state, ready_since_ms=None), quiet=False, now_ms=self.now_ms)

    def play_out(self, *words: str) -> list[AnyEvent]:
        """Play the running hand to its end: each in turn does the first of these words that he is offered."""
        events: list[AnyEvent] = []
        while self.state.hand is not None:
            events += self.act_first(*words)
        return events

    def act_first(self, *words: str) -> list[AnyEvent]:
        """Let whoever is asked do the first of these words that he is offered."""
        return self.act(next(word for word in words if word in self.words()))

    def words(self) -> list[str]:
        """What whoever is asked is offered."""
        return [verb_of(option.action) for option in self.turn().options]

    def turn(self) -> Turn:
        (turn,) = self.state.turns.values()
        return turn

    def on_turn(self) -> str:
        return self.player(self.turn().seat)

    def player(self, seat: int) -> str:
        return self.state.seats[SeatNo(seat)].player

    def seat(self, player: str) -> SeatNo:
        return self.seated(player).seat

    def seated(self, player: str) -> SeatState:
        seat = self.state.seat_of(PlayerId(player))
        assert seat is not None, f"{player} has no seat"
        return seat

    def behind(self, player: str) -> int:
        """What he has behind right now."""
        view = table_view(self.state, None)
        return next(seat.stack_chips for seat in view.seats if seat.player == player)

    def in_hand(self) -> list[str]:
        return list(self.state.cast.values())

    def pot(self) -> int:
        assert self.state.hand is not None
        return self.state.hand.chips_in_play()

    def hand_id(self) -> str:
        assert self.state.hand is not None
        return self.state.hand.hand

    def id(self) -> str:
        return f"c{next(self._ids)}"

    def _keep(self, decision: Decision) -> None:
        assert self.ledger.rake() >= 0
        first = len(self.rows) + 1
        self.rows += [(seq, self.now_ms, event) for seq, event in enumerate(decision.events, start=first)]
        self.decisions.append(decision)
        self.state = decision.state
        assert self.state.seq == len(self.rows)
        for seat in self.state.seats.values():
            assert self.ledger.seat(seat.player) == seat.account_chips, "the ledger holds what lies at the seat"


def offered(turn: Turn, word: str) -> Action:
    """The action of that verb among a turn's options; of two sizes the smaller."""
    return next(option.action for option in turn.options if verb_of(option.action) == word)


def verb_of(action: Action) -> str:
    verb = msgspec.to_builtins(action)["verb"]
    assert isinstance(verb, str)
    return verb


def fingerprint(state: TableState) -> bytes:
    """Everything of a state, cards included, as bytes."""
    hand = state.hand
    kept = encode_checkpoint(replace(state, hand=None, turns={}, cast={}))
    rest = (state.cast, state.turns, state.last_turn, hand)
    return kept + msgspec.json.encode(rest)


def names(events: list[AnyEvent]) -> list[str]:
    return [type(event).__name__ for event in events]


def hand_events(events: list[AnyEvent]) -> list[HandEvent]:
    return [event for event in events if isinstance(event, HandEvent)]


def legal_seats(state: TableState) -> list[int]:
    return [] if state.hand is None else list(stud.legal(state.hand))
