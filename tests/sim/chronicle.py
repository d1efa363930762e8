"""One table's journal read by somebody who knows the game's sums and none of the engine's code.

Event by event: chips are counted along, turns are opened and closed once, cards come from the top of the deck. What
each event is an effect of is written down, to be laid beside the answers.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple, assert_never

from engine.limits import MIN_RESUMED_TURN_MS
from engine.rules.actions import SeatNo
from engine.rules.cards import DECK as ALL_CARDS
from engine.rules.cards import Card
from engine.rules.events import (
    AntePosted,
    BetMade,
    BetsCollected,
    BringInPosted,
    Called,
    CardBurnt,
    CardDealt,
    Checked,
    CommonCardDealt,
    Completed,
    Folded,
    HandCancelled,
    HandEnded,
    HandMucked,
    HandShown,
    HandsTabled,
    HandStarted,
    Pot,
    PotAwarded,
    Raised,
    RakeTaken,
    RoundOpened,
    UncalledReturned,
)
from engine.table.events import (
    AnyEvent,
    ClockResumed,
    LeaveAnnounced,
    PlayerLeft,
    PlayerSat,
    SatIn,
    SatOut,
    TableOpened,
    TimeBankStarted,
    ToppedUp,
    TopUpQueued,
    Turn,
    TurnOpened,
    TurnTimedOut,
)
from tests.sim.laws import (
    CHIPS_HAND,
    CHIPS_ODD,
    CHIPS_STEP,
    DEADLINES,
    DECK,
    NONE_CANCELLED,
    ONE_DEED,
    ONE_END,
    SEQ_HOLE,
    Laws,
)

Deed = Checked | Called | Folded | BringInPosted | Completed | BetMade | Raised
_VERBS: dict[type, str] = {
    Checked: "check",
    Called: "call",
    Folded: "fold",
    BringInPosted: "bring_in",
    Completed: "complete",
    BetMade: "bet",
    Raised: "raise",
}


class Effect(NamedTuple):
    """What a command did, in the words of the command: who, what, and how much."""

    player: str
    kind: str
    detail: tuple[Any, ...] = ()


class Chair:
    """A taken seat as the chronicle counts it."""

    def __init__(self, player: str, chips: int) -> None:
        self.player = player
        self.chips = chips
        self.queued_chips = 0
        self.start_chips = 0
        self.round_chips = 0
        self.in_hand = False
        self.folded = False
        self.leaving = False
        self.timed_out = False


class DealtHand(NamedTuple):
    """A hand's players by seat, the cards that everybody has seen, and those that each player was dealt."""

    first_seq: int
    seats: dict[SeatNo, str]
    public: set[Card]
    held: dict[str | None, list[Card]]


class Chronicle:
    """A table, told from its first event on. `take` every event once."""

    def __init__(self, laws: Laws) -> None:
        self._laws = laws
        self.seq = 0
        self.chairs: dict[SeatNo, Chair] = {}
        self.hand: str | None = None
        self.hands = self.ended = self.cancelled = 0
        self.rake_chips = 0
        self.wallet_chips: dict[str, int] = {}
        """What has gone from each player's wallet to this table, less what came back."""
        self.effects: list[Effect] = []
        self.money_moved = False
        self.turns: dict[SeatNo, Turn] = {}
        self._dealt_hands: deque[DealtHand] = deque(maxlen=50)
        self._touched: set[str] = set()
        self._last_turn = 0
        self._to_come: list[Card] = []
        self._in_play_chips = 0
        self._hand_rake_chips = 0
        self._pots: tuple[Pot, ...] = ()
        self._raked: dict[int, int] = {}

    def cards_of(self, player: str | None, *, seq: int) -> set[Card]:
        """What a player may see of the cards of the hand that ran at a number, or last before it.

        A frame that waited for a slow reader tells of a hand that is over by now.
        """
        hand = self._hand_at(seq)
        return set() if hand is None else hand.public.union(hand.held.get(player, ()))

    def is_dealt_to(self, player: str | None, seat: SeatNo, *, seq: int) -> bool:
        """Whether a seat was that player's in the hand that ran at a number."""
        hand = self._hand_at(seq)
        return hand is not None and player is not None and hand.seats.get(seat) == player

    def seat_accounts(self) -> dict[str, int]:
        """What must lie in each player's account of this table: during a hand, what he had before it."""
        return {
            chair.player: (chair.start_chips if chair.in_hand else chair.chips) + chair.queued_chips
            for chair in self.chairs.values()
        }

    def wallets_touched(self) -> list[str]:
        """The players whose wallets have moved since this was last asked."""
        touched = sorted(self._touched)
        self._touched.clear()
        return touched

    def take(self, seq: int, at_ms: int, event: AnyEvent) -> None:  # noqa: C901, PLR0915 - one branch an event
        """Count an event along."""
        self._laws.hold(SEQ_HOLE, seq == self.seq + 1, seq=seq, after=self.seq)
        self.seq = seq
        match event:
            case TableOpened() | RoundOpened():
                for chair in self.chairs.values():
                    chair.round_chips = 0
            case PlayerSat():
                self._sat(event)
            case LeaveAnnounced():
                chair = self.chairs[event.seat]
                chair.leaving = True
                self._effect(chair, "stand_up")
            case PlayerLeft():
                self._left(event)
            case SatOut():
                if event.reason == "asked":
                    self._effect(self.chairs[event.seat], "sit_out")
            case SatIn():
                self._effect(self.chairs[event.seat], "sit_in")
            case TopUpQueued():
                chair = self.chairs[event.seat]
                chair.queued_chips += event.added_chips
                self._bought(chair, event.added_chips, "top_up")
            case ToppedUp():
                self._topped_up(event)
            case TurnOpened():
                self._turns_opened(event, at_ms)
            case TimeBankStarted():
                turn = self._open_turn(event.seat, event.turn, at_ms, rings=True)
                self.turns[event.seat] = Turn(turn.seat, turn.turn, turn.options, event.deadline_ms, 0)
            case ClockResumed():
                turn = self._open_turn(event.seat, event.turn, at_ms, rings=False)
                left_ms = event.deadline_ms - at_ms
                self._laws.hold(DEADLINES, left_ms >= MIN_RESUMED_TURN_MS, seq=seq, turn=turn.turn, left_ms=left_ms)
                self.turns[event.seat] = Turn(turn.seat, turn.turn, turn.options, event.deadline_ms, turn.time_bank_ms)
            case TurnTimedOut():
                turn = self._open_turn(event.seat, event.turn, at_ms, rings=True)
                self._laws.hold(DEADLINES, turn.time_bank_ms == 0, seq=seq, turn=turn.turn, reason="bank left")
                del self.turns[event.seat]
                self.chairs[event.seat].timed_out = True
            case HandStarted():
                self._hand_started(event)
            case AntePosted():
                self._pays(event.seat, event.added_chips, event.stack_chips)
                self.chairs[event.seat].round_chips = 0
            case CardBurnt():
                self._dealt(event.card)
                self._to_come.append(event.card)
            case CardDealt():
                self._dealt(event.card)
                self._hand().held[self.chairs[event.seat].player].append(event.card)
                if event.face != "down":
                    self._hand().public.add(event.card)
            case CommonCardDealt():
                self._dealt(event.card)
                self._hand().public.add(event.card)
            case Checked() | Called() | Folded() | BringInPosted() | Completed() | BetMade() | Raised():
                self._deed(event)
            case UncalledReturned():
                chair = self.chairs[event.seat]
                self._move(chair, event.returned_chips, event.stack_chips)
            case BetsCollected():
                total = sum(pot.amount_chips for pot in event.pots)
                self._laws.hold(
                    CHIPS_STEP, total == self._in_play_chips, seq=seq, pots=total, put_in=self._in_play_chips
                )
                self._pots = event.pots
            case HandsTabled():
                for tabled in event.hands:
                    self._shown(tabled.seat, tabled.cards)
            case HandShown():
                self._shown(event.seat, event.cards)
            case HandMucked():
                pass
            case RakeTaken():
                self._raked[event.pot] = self._raked.get(event.pot, 0) + event.amount_chips
                self._in_play_chips -= event.amount_chips
                self._hand_rake_chips += event.amount_chips
            case PotAwarded():
                self._awarded(event)
            case HandEnded():
                self._hand_ended(event)
            case HandCancelled():
                self._laws.hold(NONE_CANCELLED, holds=False, seq=seq, reason=event.reason)
            case _:
                assert_never(event)

    def _sat(self, event: PlayerSat) -> None:
        self._laws.hold(CHIPS_STEP, event.seat not in self.chairs, seq=self.seq, reason="the seat was taken")
        chair = self.chairs[event.seat] = Chair(event.player, event.stack_chips)
        self._bought(chair, event.stack_chips, "sit")

    def _left(self, event: PlayerLeft) -> None:
        chair = self.chairs.pop(event.seat)
        held = chair.chips + chair.queued_chips
        facts = {"seq": self.seq, "held": held, "cashed_out": event.cashed_out_chips}
        self._laws.hold(CHIPS_STEP, held == event.cashed_out_chips and not chair.in_hand, **facts)
        self.wallet_chips[chair.player] -= held
        self._touched.add(chair.player)
        self.money_moved = True
        if event.reason == "stood_up" and not chair.leaving:
            self._effect(chair, "stand_up")

    def _bought(self, chair: Chair, chips: int, kind: str) -> None:
        self._laws.hold(CHIPS_STEP, chips > 0, seq=self.seq, chips=chips)
        self.wallet_chips[chair.player] = self.wallet_chips.get(chair.player, 0) + chips
        self._touched.add(chair.player)
        self.money_moved = True
        self._effect(chair, kind, chips)

    def _topped_up(self, event: ToppedUp) -> None:
        chair = self.chairs[event.seat]
        chair.chips += event.added_chips
        self._laws.hold(CHIPS_STEP, event.stack_chips == chair.chips, seq=self.seq, stack=event.stack_chips)
        if chair.queued_chips:
            queued, chair.queued_chips = chair.queued_chips, 0
            self._laws.hold(CHIPS_STEP, queued == event.added_chips, seq=self.seq, queued=queued)
        else:
            self._bought(chair, event.added_chips, "top_up")

    def _turns_opened(self, event: TurnOpened, at_ms: int) -> None:
        for turn in event.turns:
            chair = self.chairs[turn.seat]
            may = chair.in_hand and not chair.folded and turn.seat not in self.turns
            fresh = turn.turn > self._last_turn and turn.deadline_ms > at_ms and turn.options != ()
            self._laws.hold(ONE_DEED, may and fresh, seq=self.seq, turn=turn.turn, seat=turn.seat)
            self._last_turn = turn.turn
            self.turns[turn.seat] = turn

    def _open_turn(self, seat: SeatNo, number: int, at_ms: int, *, rings: bool) -> Turn:
        """The open turn that an event of its clock is about."""
        turn = self.turns.get(seat)
        facts = {"seq": self.seq, "seat": seat, "turn": number}
        if turn is None or turn.turn != number:
            self._laws.hold(DEADLINES, holds=False, **facts, reason="the turn is over")
            raise AssertionError("unreachable")
        early = rings and at_ms < turn.deadline_ms
        self._laws.hold(DEADLINES, not early, **facts, at_ms=at_ms, deadline_ms=turn.deadline_ms)
        return turn

    def _deed(self, event: Deed) -> None:
        """A deed ends an open turn, follows its silence, or is that of somebody who leaves."""
        chair = self.chairs[event.seat]
        turn = self.turns.pop(event.seat, None)
        may = chair.timed_out or chair.leaving or turn is not None
        self._laws.hold(ONE_DEED, may and chair.in_hand and not chair.folded, seq=self.seq, seat=event.seat)
        if turn is not None and not chair.leaving:
            to_chips = getattr(event, "to_chips", None)
            self._effect(chair, "act", self.hand, turn.turn, _VERBS[type(event)], to_chips)
        chair.timed_out = False
        if isinstance(event, Folded):
            chair.folded = True
        elif not isinstance(event, Checked):
            self._pays(event.seat, event.added_chips, event.stack_chips)
            facts = {"seq": self.seq, "to": event.to_chips, "in_round": chair.round_chips}
            self._laws.hold(CHIPS_STEP, chair.round_chips == event.to_chips, **facts)

    def _pays(self, seat: SeatNo, added_chips: int, stack_chips: int) -> None:
        chair = self.chairs[seat]
        chair.round_chips += added_chips
        self._laws.hold(CHIPS_STEP, added_chips > 0 and chair.in_hand, seq=self.seq, added=added_chips)
        self._move(chair, -added_chips, stack_chips)

    def _move(self, chair: Chair, chips: int, stack_chips: int | None) -> None:
        chair.chips += chips
        self._in_play_chips -= chips
        sound = chair.chips >= 0 and self._in_play_chips >= 0 and stack_chips in {None, chair.chips}
        self._laws.hold(CHIPS_STEP, sound, seq=self.seq, counted=chair.chips, said=stack_chips)

    def _hand_started(self, event: HandStarted) -> None:
        self._laws.hold(ONE_END, self.hand is None, seq=self.seq, running=self.hand)
        self._laws.hold(DECK, sorted(event.deck) == sorted(ALL_CARDS), seq=self.seq, cards=len(event.deck))
        self.hand, self._to_come = event.hand, list(event.deck)
        self.hands += 1
        held: dict[str | None, list[Card]] = {seat.player: [] for seat in event.seats}
        seats = {seat.seat: str(seat.player) for seat in event.seats}
        self._dealt_hands.append(DealtHand(self.seq, seats, set(), held))
        self._pots, self._raked, self._last_turn = (), {}, 0
        self._in_play_chips = self._hand_rake_chips = 0
        for seat in event.seats:
            chair = self.chairs[seat.seat]
            facts = {"seq": self.seq, "seat": seat.seat, "said": seat.stack_chips, "counted": chair.chips}
            self._laws.hold(CHIPS_STEP, chair.chips == seat.stack_chips > 0, **facts)
            self._laws.hold(CHIPS_STEP, chair.player == seat.player and not chair.leaving, **facts)
            chair.start_chips = chair.chips
            chair.in_hand, chair.folded, chair.timed_out = True, False, False
            chair.round_chips = 0

    def _hand_at(self, seq: int) -> DealtHand | None:
        return next((hand for hand in reversed(self._dealt_hands) if hand.first_seq <= seq), None)

    def _hand(self) -> DealtHand:
        return self._dealt_hands[-1]

    def _dealt(self, card: Card) -> None:
        """A card comes off the deck; when it is used up, the burns follow in their order (`rules.md` A7)."""
        self._laws.hold(DECK, self._to_come[:1] == [card], seq=self.seq, left=len(self._to_come))
        del self._to_come[0]

    def _shown(self, seat: SeatNo, cards: tuple[Card, ...]) -> None:
        chair = self.chairs[seat]
        self._laws.hold(
            DECK, tuple(self._hand().held[chair.player]) == cards and not chair.folded, seq=self.seq, seat=seat
        )
        self._hand().public.update(cards)

    def _awarded(self, event: PotAwarded) -> None:
        amounts = [share.amount_chips for share in event.shares]
        pot_chips = self._pots[event.pot].amount_chips - self._raked.get(event.pot, 0)
        share, odd = divmod(pot_chips, len(amounts))
        fair = amounts == [share + odd, *[share] * (len(amounts) - 1)]
        self._laws.hold(CHIPS_ODD, fair, seq=self.seq, pot=pot_chips, shares=amounts)
        for one in event.shares:
            self._move(self.chairs[one.seat], one.amount_chips, None)

    def _hand_ended(self, event: HandEnded) -> None:
        self._laws.hold(ONE_END, self.hand is not None and not self.turns, seq=self.seq, open=len(self.turns))
        nets = sum(result.net_chips for result in event.results)
        facts = {"seq": self.seq, "in_play": self._in_play_chips, "nets": nets, "rake": event.rake_chips}
        sums = self._in_play_chips == 0 and nets + event.rake_chips == 0 and event.rake_chips == self._hand_rake_chips
        self._laws.hold(CHIPS_HAND, sums, **facts)
        players = [chair for chair in self.chairs.values() if chair.in_hand]
        self._laws.hold(CHIPS_HAND, len(players) == len(event.results), **facts)
        for result in event.results:
            chair = self.chairs[result.seat]
            right = chair.chips == result.stack_chips and result.net_chips == chair.chips - chair.start_chips
            self._laws.hold(CHIPS_HAND, right and chair.in_hand, **facts, seat=result.seat)
        for chair in players:
            chair.in_hand = chair.folded = False
        self.hand = None
        self.ended += 1
        self.rake_chips += event.rake_chips
        self.money_moved = True

    def _effect(self, chair: Chair, kind: str, *detail: Any) -> None:
        self.effects.append(Effect(chair.player, kind, detail))
