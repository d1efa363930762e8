"""Players of a simulated world: ordinary clients who see the table by the SDK's own fold and act on what they see.

A wish that was not answered is sent again with its own id when the line is back, as a good client does; what the answer
is, the judge looks at.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec

from app.rooms.viewer import Viewer
from avenue_sdk.codec import write_frame
from avenue_sdk.messages import Ack, Act, ClientFrame, Error, Events, Sit, SitIn, SitOut, Snapshot, StandUp, TopUp
from avenue_sdk.options import verb_of
from avenue_sdk.state import TableState, state_of
from engine.rules.events import PlayerId
from tests.sim.chaos import Span
from tests.sim.tempers import SECOND, Temper

if TYPE_CHECKING:
    from avenue_sdk.messages import Option, Turn
    from engine.table.events import TableId
    from tests.sim.wire import Line
    from tests.sim.world import World

RETRIED = frozenset({"table/busy", "table/closed", "table/paused"})
"""Refusals after which the same wish is sent again; so are faults of the server."""

ANSWERED_WITHIN_US = 240 * SECOND
"""How long a wish may wait on a line that holds, when nothing is out of order."""


class Wish(msgspec.Struct):
    """A command on its way: what was sent, when, and over which line."""

    frame: ClientFrame
    text: str
    at_us: int
    line: int


class Player:
    """Somebody with one wallet, who may play at several tables."""

    def __init__(self, world: World, *, name: str, temper: Temper, tables: list[TableId]) -> None:
        self.id = PlayerId(name)
        self.viewer = Viewer(player=self.id, name=name, house_bot=False)
        self.temper = temper
        self.dice = random.Random(f"{world.seed}:{name}")
        self.sessions = [Session(world, self, table) for table in tables]
        self._world = world
        self._numbers = 0
        self._refilling: str | None = None

    def new_id(self) -> str:
        self._numbers += 1
        return f"{self.id}-{self._numbers}"

    def refill(self) -> None:
        """Ask the house for chips, again under the same key as long as no answer came."""
        if self._refilling is None:
            self._refilling = self.new_id()
        process = self._world.process
        if process is None or not process.open:
            return
        key = self._refilling
        process.call(lambda house: house.bank.refill(self.id, self._world.refills, key=key), self._refilled)

    def _refilled(self, answer: object) -> None:
        self._world.after(self._world.network_us(), self._hears_of_refill, answer)

    def _hears_of_refill(self, answer: object) -> None:
        if getattr(answer, "code", "").startswith("fault/"):
            self._world.after(SECOND, self.refill)
        else:
            self._refilling = None
            for session in self.sessions:
                session.think()


class Session:
    """A player at one table, over one line or two, from one connection to the next."""

    def __init__(self, world: World, player: Player, table: TableId) -> None:
        self.player = player
        self.table = table
        self.seen: TableState | None = None
        self.line: Line | None = None
        self.wishes: dict[str, Wish] = {}
        self._world = world
        self._second: Line | None = None
        self._dice = player.dice
        self._temper = player.temper
        self._acting: tuple[str, int] | None = None
        self._whims_for: str | None = None
        self._planned = False
        self._connecting = False

    # Lines.

    def connect(self) -> None:
        """Open a line as soon as the server is there."""
        self._connecting = False
        if self.line is not None:
            return
        self.line = self._world.connect(self.table, self.player.viewer, self)
        if self.line is None:
            self._connect_later(Span(SECOND // 5, 2 * SECOND))
            return
        self.line.say(HELLO)
        if self._temper.second_line and self._second is None:
            self._second = self._world.connect(self.table, self.player.viewer, self)
            if self._second is not None:
                self._second.say(HELLO)

    def hang_up(self) -> None:
        line, self.line, self.seen = self.line, None, None
        if line is not None:
            line.hang_up()

    def lost(self, line: Line) -> None:
        if line is self._second:
            self._second = None
        if line is self.line:
            self.line = self.seen = None
            self._connect_later(Span(SECOND // 20, 3 * SECOND))

    def heard(self, line: Line, text: str) -> None:
        match frame := self._world.read_frame(text):
            case Ack():
                if line is self.line:
                    self._world.judge.answered(self, frame.seq)
                self.wishes.pop(frame.id, None)
            case Error():
                self._world.judge.heard_refusal(frame.code)
                self._refused(frame)
            case Snapshot() if line is self.line:
                self.seen = state_of(frame)
                self._acting = None
                self._send_again()
            case Events() if line is self.line and self.seen is not None:
                for event in frame.events:
                    self.seen = self.seen.after(event, frame.at_ms)
                self._world.judge.folded(self.table, self.player.id, self.seen)
            case _:
                return
        if line is self.line:
            self.think()

    # Wishes.

    def wish(self, frame: Any, *, at_us: int | None = None) -> None:
        """Send a command, sometimes several times over."""
        line = self.line
        if line is None:
            return
        text = write_frame(frame)
        self.wishes[frame.id] = Wish(frame=frame, text=text, at_us=self._world.time.now_us, line=line.number)
        self._world.judge.wished(self.player.id, self.table, frame)
        line.say(text, at_us=at_us)
        if self._dice.random() < self._temper.doubles:
            for _ in range(self._dice.randrange(1, 5)):
                other = self._second if self._second is not None and self._dice.random() < 0.5 else line
                other.say(text)

    def _send_again(self) -> None:
        """Over a new line, ask again for what was not answered; now and then forget it."""
        for command_id, wish in tuple(self.wishes.items()):
            if self._dice.random() < 0.1 or self.line is None:
                del self.wishes[command_id]
                continue
            wish.at_us, wish.line = self._world.time.now_us, self.line.number
            self.line.say(wish.text)

    def _again(self, command_id: str) -> None:
        wish = self.wishes.get(command_id)
        if wish is not None and self.line is not None:
            wish.at_us, wish.line = self._world.time.now_us, self.line.number
            self.line.say(wish.text)

    def _refused(self, error: Error) -> None:
        if error.id is None:
            return
        if error.id not in self.wishes:
            return
        if error.code in RETRIED or error.code.startswith("fault/"):
            self._world.after(self._dice.randrange(SECOND // 10, 2 * SECOND), self._again, error.id)
            return
        del self.wishes[error.id]
        if error.code == "wallet/insufficient":
            self.player.refill()
        elif error.code.startswith("action/"):
            # What was seen when it was sent is no longer so; whatever is open now is a new turn.
            self._acting = None

    # What to do.

    def think(self) -> None:
        if self.seen is None or self.line is None:
            return
        turn, hand = self.seen.my_turn, self.seen.hand
        if turn is not None and hand is not None:
            if (hand.hand, turn.turn) != self._acting:
                self._acting = (hand.hand, turn.turn)
                self._plan_act(hand.hand, turn)
        elif hand is not None and self._whims_for != hand.hand and self.seen.me is not None:
            self._whims_for = hand.hand
            self._have_whims()
        if not self._planned and (self.seen.me is None or self.seen.me.sitting_out):
            self._planned = True
            self._world.after(self._dice.randrange(SECOND // 5, 20 * SECOND), self._take_part)

    def _plan_act(self, hand: str, turn: Turn) -> None:
        dice, temper, world = self._dice, self._temper, self._world
        if self._whims_for != hand:
            self._whims_for = hand
            self._have_whims()
        if dice.random() < temper.garbage:
            self._send_garbage(hand, turn)
        if dice.random() < temper.silent:
            return
        frame = Act(id=self.player.new_id(), hand=hand, turn=turn.turn, action=self._choice(turn.options).action)
        bell_us = world.moment_of(turn.deadline_ms)
        if bell_us is not None and dice.random() < temper.at_the_bell:
            world.at(max(world.time.now_us, bell_us - SECOND // 10), self._act, hand, turn.turn, frame, bell_us)
        elif bell_us is not None and dice.random() < temper.late:
            world.at(bell_us + turn.time_bank_ms * 1_000 + dice.randrange(SECOND), self._act_late, frame)
        else:
            world.after(temper.thinks.draw(dice), self._act, hand, turn.turn, frame, None)

    def _act(self, hand: str, turn: int, frame: Act, at_us: int | None) -> None:
        """Do it, unless the turn is over as far as can be seen."""
        if self.seen is None or self.seen.hand is None or self.seen.hand.hand != hand:
            return
        mine = self.seen.my_turn
        if mine is not None and mine.turn == turn:
            if at_us is not None:
                at_us = max(self._world.time.now_us, at_us + self._dice.choice((0, 0, 0, -1_000, 1_000, 1)))
            self.wish(frame, at_us=at_us)

    def _act_late(self, frame: Act) -> None:
        if self.line is not None:
            self.wish(frame)

    def _choice(self, options: tuple[Option, ...]) -> Option:
        temper = self._temper
        weights = [
            {"fold": temper.folds, "check": temper.calls, "call": temper.calls, "bring_in": temper.calls}.get(
                verb_of(option), temper.wagers
            )
            for option in options
        ]
        return self._dice.choices(options, weights)[0]

    def _take_part(self) -> None:
        """Sit down, or in again; who has nothing left buys more or goes."""
        self._planned = False
        if self.seen is None or self.line is None or self._world.closing:
            return
        me, dice = self.seen.me, self._dice
        if any(isinstance(wish.frame, Sit | SitIn | TopUp | StandUp) for wish in self.wishes.values()):
            return
        if me is None:
            free = self.seen.free_seats
            seat = dice.choice(free) if free and dice.random() < 0.5 else None
            self.wish(Sit(id=self.player.new_id(), seat=seat, buy_in_chips=self._buy_in()))
        elif me.sitting_out and not me.leaving:
            if me.stack_chips + me.queued_chips == 0:
                if dice.random() < 0.5:
                    self.wish(StandUp(id=self.player.new_id()))
                else:
                    self.wish(TopUp(id=self.player.new_id(), added_chips=self._buy_in()))
            elif dice.random() < 0.9:
                self.wish(SitIn(id=self.player.new_id()))

    def _buy_in(self) -> int:
        assert self.seen is not None
        low, dice = self.seen.table.config.min_buy_in_chips, self._dice
        return low if dice.random() < self._temper.short else dice.randrange(low, 8 * low)

    def _have_whims(self) -> None:
        """Once a hand: perhaps something besides playing."""
        dice, temper = self._dice, self._temper
        when = dice.randrange(8 * SECOND)
        if dice.random() < temper.leaves:
            self._world.after(when, self._whim, StandUp(id=self.player.new_id()))
        if dice.random() < temper.sits_out:
            self._world.after(when, self._whim, SitOut(id=self.player.new_id()))
        if dice.random() < temper.tops_up:
            chips = dice.choice((1, 7, 40, self._buy_in()))
            self._world.after(when, self._whim, TopUp(id=self.player.new_id(), added_chips=chips))
        if dice.random() < temper.drops:
            self._world.after(when, self._drop)
        if dice.random() < temper.freezes:
            self._world.after(when, self._freeze)

    def _whim(self, frame: ClientFrame) -> None:
        if self.seen is not None and self.seen.me is not None and not self._world.closing:
            self.wish(frame)

    def _drop(self) -> None:
        self.hang_up()
        self._connect_later(Span(SECOND // 10, 40 * SECOND))

    def _freeze(self) -> None:
        if self.line is not None:
            self.line.freeze()
            self._world.after(self._dice.randrange(SECOND, 30 * SECOND), self.line.thaw)

    def _connect_later(self, span: Span) -> None:
        if not self._connecting:
            self._connecting = True
            self._world.after(span.draw(self._dice), self.connect)

    def _send_garbage(self, hand: str, turn: Turn) -> None:
        """Something that no server may choke on; what can be read of it is a command like any other."""
        assert self.line is not None
        dice, new_id = self._dice, self.player.new_id
        action = dice.choice(turn.options).action
        frame = dice.choice(
            (
                Act(id=new_id(), hand=hand, turn=turn.turn + dice.choice((-1, 1, 10**12)), action=action),
                Act(id=new_id(), hand=dice.choice(("", hand + "1", "?")), turn=turn.turn, action=action),
                msgspec.structs.replace(
                    Act(id=new_id(), hand=hand, turn=turn.turn, action=action),
                    action=dice.choice(WRONG_ACTIONS),
                ),
                TopUp(id=new_id(), added_chips=dice.choice((2**53 - 1, 2**53 - 2, 1))),
                Sit(id=new_id(), seat=dice.randrange(1, 9), buy_in_chips=dice.choice((1, 2**53 - 1))),
                None,
            )
        )
        if frame is None:
            self.line.say(dice.choice(GARBAGE))
        else:
            self.wish(frame)


HELLO = '{"type":"hello"}'

WRONG_ACTIONS = tuple(
    msgspec.json.decode(text, type=Act).action
    for text in (
        '{"type":"act","id":"x","hand":"h","turn":1,"action":{"verb":"call","to_chips":1}}',
        '{"type":"act","id":"x","hand":"h","turn":1,"action":{"verb":"raise","to_chips":9007199254740991}}',
        '{"type":"act","id":"x","hand":"h","turn":1,"action":{"verb":"bet","to_chips":-5}}',
        '{"type":"act","id":"x","hand":"h","turn":1,"action":{"verb":"check"}}',
    )
)

GARBAGE = (
    "",
    "null",
    "[]",
    "{",
    "\x00",
    '{"type":"act"}',
    '{"type":"deal_me_aces","id":"a"}',
    '{"type":"top_up","id":"a","added_chips":1.5}',
    '{"type":"top_up","id":"a","added_chips":"100"}',
    '{"type":"top_up","id":"a","added_chips":-1}',
    '{"type":"sit","id":"a","buy_in_chips":true}',
    '{"type":"stand_up","id":"a","player":"somebody"}',
    '{"type":"hello"}',
    '{"type":"start_hand","deck":[]}',
)
