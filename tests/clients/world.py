"""A real table with random players, driven by its own decisions: what clients are tested against, without a server."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec

from avenue_sdk.messages import TableView, You
from avenue_sdk.state import TableState as SeenState
from engine.rules.actions import SeatNo
from engine.rules.cards import DECK
from engine.rules.errors import Refusal
from engine.rules.events import PlayerId
from engine.rules.variants import Rake, Variant, five_card_stud, seven_card_stud
from engine.rules.views import view_event
from engine.table.commands import (
    Act,
    CancelHand,
    Command,
    DeadlinePassed,
    Resume,
    Sit,
    SitIn,
    SitOut,
    StandUp,
    StartHand,
    TopUp,
)
from engine.table.decide import checked_config, decide
from engine.table.events import TableConfig, TableId, TableOpened
from engine.table.state import TableState, evolve, opened
from engine.table.views import table_view

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.table.change import Decision
    from engine.table.events import AnyEvent

PLAYERS = tuple(PlayerId(f"player-{number}") for number in range(1, 11))
"""More than there are seats, so that some are always turned away and some only watch."""

TABLE = TableId("table-1")

VIEW = msgspec.json.Decoder(TableView)


class Told(msgspec.Struct, frozen=True):
    """One event with all that tests need to know of it: the table after it, and who plays by seat."""

    event: AnyEvent
    at_ms: int
    after: TableState
    cast: Mapping[SeatNo, PlayerId]


class World:
    """A table at which random players do random things. One seed, one world; `seated` of them sit from the start."""

    def __init__(self, seed: int, *, variant: Variant | None = None, seated: int | None = None) -> None:
        self.random = Random(seed)
        config = TableConfig(
            name="Test",
            variant=variant or random_variant(self.random),
            currency="PLAY",
            min_buy_in_chips=self.random.choice((1, 40, 400)),
            dealer=self.random.randrange(9),
            time_bank_ms=self.random.choice((0, 60_000)),
        )
        self.now_ms = 1_000_000
        first = TableOpened(table=TABLE, config=checked_config(config))
        self.state = opened(first, self.now_ms)
        self.told = [Told(event=first, at_ms=self.now_ms, after=self.state, cast={})]
        self._patience = self.random.choice((0.0, 0.3, 1.0))
        """How often a seat that would give up its hand stays after all: from time to time everyone stays to the end."""
        self._commands = 0
        for player in PLAYERS[: self.random.randrange(9) if seated is None else seated]:
            self.sit(player, self.random.randint(config.min_buy_in_chips, 2_000))

    def run(self, *, hands: int, most_commands: int = 4_000) -> list[Told]:
        """Play until so many hands were dealt and are over; gives everything that was told since the table opened."""
        for _ in range(most_commands):
            if self.state.hands >= hands and self.state.hand is None:
                break
            self.step()
        return self.told

    def step(self) -> list[Told]:
        """Let one random thing happen."""
        return self.do(self._something())

    def do(self, command: Command) -> list[Told]:
        """Ask this of the table; a refusal tells nothing."""
        try:
            decision = decide(self.state, command, self.now_ms)
        except Refusal:
            return []
        return self._take(decision)

    def act(self, choose: Callable[[TableState, int], Any]) -> list[Told]:
        """Let the seat that is to act do what `choose` says of the state and its number."""
        seat, turn = next(iter(self.state.turns.items()))
        assert self.state.hand is not None
        return self.do(
            Act(
                player=self.state.cast[seat],
                command_id=self._id(),
                hand=self.state.hand.hand,
                turn=turn.turn,
                action=choose(self.state, seat),
            )
        )

    def deal(self) -> list[Told]:
        """Deal the next hand as soon as it is due."""
        self.now_ms += 60_000
        return self.do(StartHand(deck=self.deck()))

    def deck(self) -> tuple[Any, ...]:
        return tuple(self.random.sample(DECK, len(DECK)))

    def sit(self, player: PlayerId, buy_in_chips: int) -> list[Told]:
        return self.do(
            Sit(
                player=player, command_id=self._id(), name=player, seat=None, buy_in_chips=buy_in_chips, house_bot=False
            )
        )

    def _take(self, decision: Decision) -> list[Told]:
        """Fold the events one by one, as everybody who is told of them does."""
        folded, told = self.state.copy(), []
        for event in decision.events:
            folded = folded.copy()
            evolve(folded, event, self.now_ms)
            told.append(Told(event=event, at_ms=self.now_ms, after=folded, cast=decision.cast))
        self.state = decision.state
        self.told += told
        return told

    def _something(self) -> Command:
        random, state = self.random, self.state
        self.now_ms += random.choice((0, 5, 400, 3_000))
        if state.turns and random.random() < 0.8:
            seat, turn = random.choice(list(state.turns.items()))
            assert state.hand is not None
            option = random.choice(turn.options)
            if _gives_up(option.action) and random.random() < self._patience:
                option = turn.options[1]
            return Act(
                player=state.cast[seat],
                command_id=self._id(),
                hand=state.hand.hand,
                turn=turn.turn,
                action=option.action,
            )
        if state.turns and random.random() < 0.2:
            self.now_ms = min(turn.deadline_ms for turn in state.turns.values()) + random.choice((0, 10))
            return DeadlinePassed()
        if state.hand is None and random.random() < 0.6:
            self.now_ms += 60_000
            return StartHand(deck=self.deck())
        return self._of_a_player(random.choice(PLAYERS))

    def _of_a_player(self, player: PlayerId) -> Command:
        random, command_id = self.random, self._id()
        chips = random.choice((1, 3, 17, 40, 333, 1_000))
        kind = random.choices(
            ("sit", "top_up", "sit_in", "sit_out", "stand_up", "resume", "cancel"), (12, 3, 3, 1, 1, 1, 0.3)
        )[0]
        match kind:
            case "sit":
                seat = random.choice((None, random.randint(1, 8)))
                return Sit(
                    player=player,
                    command_id=command_id,
                    name=player,
                    seat=seat,  # type: ignore[arg-type]
                    buy_in_chips=max(chips, self.state.config.min_buy_in_chips),
                    house_bot=random.random() < 0.5,
                )
            case "top_up":
                return TopUp(player=player, command_id=command_id, added_chips=chips)
            case "sit_in":
                return SitIn(player=player, command_id=command_id)
            case "sit_out":
                return SitOut(player=player, command_id=command_id)
            case "stand_up":
                return StandUp(player=player, command_id=command_id)
            case "resume":
                return Resume(stopped_ms=random.choice((None, self.now_ms - 500)))
            case _:
                return CancelHand(reason="test/cancelled")

    def _id(self) -> str:
        self._commands += 1
        return f"c{self._commands}"


def random_variant(random: Random) -> Variant:
    small = random.choice((1, 5, 20))
    rake = random.choice((Rake(), Rake(basis_points=500, cap_chips=7)))
    uncapped = random.random() < 0.3
    if random.random() < 0.5:
        bring_in = random.choice((None, max(1, small // 2)))
        return five_card_stud(
            small_bet_chips=small,
            big_bet_chips=2 * small,
            bring_in_chips=bring_in,
            heads_up_uncapped=uncapped,
            rake=rake,
        )
    small = max(small, 2)
    return seven_card_stud(small_bet_chips=small, big_bet_chips=2 * small, heads_up_uncapped=uncapped, rake=rake)


def event_text(told: Told, viewer: PlayerId | None) -> bytes:
    """The event as the viewer gets it over the wire."""
    seat = next((seat for seat, player in told.cast.items() if player == viewer), None)
    return msgspec.json.encode(view_event(told.event, seat))


def view_text(state: TableState, viewer: PlayerId | None) -> bytes:
    """The table as the viewer gets it in a snapshot."""
    return msgspec.json.encode(table_view(state, viewer))


def seen_by(state: TableState, viewer: PlayerId | None) -> SeenState:
    """The state as a snapshot tells it to the viewer."""
    you = None
    if viewer is not None:
        seat = next((seat.seat for seat in state.seats.values() if seat.player == viewer), None)
        you = You(player=viewer, name=viewer, seat=seat)
    table = VIEW.decode(view_text(state, viewer))
    return SeenState(table=table, you=you, at_ms=state.at_ms)


def _gives_up(action: Any) -> bool:
    return bool(action.__struct_config__.tag == "fold")
