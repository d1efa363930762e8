"""From one hand to the next: dealing it, acting in it, playing on until somebody is asked, and its end."""

from __future__ import annotations

from engine.rules import stud
from engine.rules.actions import Action, Fold, Options, SeatNo
from engine.rules.errors import NoHandRunning, NotInHand, NotYourTurn, StaleHand, StaleTurn
from engine.rules.events import HandId, HandSeat
from engine.table.change import Change, Decision, nothing
from engine.table.commands import Act, CancelHand, StartHand
from engine.table.events import Turn, TurnOpened
from engine.table.settlement import hand_id, settle
from engine.table.state import TableState


def hand_due_ms(state: TableState, *, quiet: bool, now_ms: int) -> int | None:
    """The moment at which the next hand is dealt, or None while a hand runs or fewer than two seats are ready."""
    if state.ready_since_ms is None:
        return None
    if state.ready_since_ms > now_ms:
        # The wall clock was set back while the server was away: the pause is over.
        return now_ms
    return state.ready_since_ms + (state.config.quiet_pause_ms if quiet else state.config.pause_ms)


def start_hand(state: TableState, command: StartHand, now_ms: int) -> Decision:
    """Deal the next hand to all ready seats if it is due; otherwise nothing happens."""
    due_ms = hand_due_ms(state, quiet=command.quiet, now_ms=now_ms)
    if due_ms is None or now_ms < due_ms:
        return nothing(state)
    change = Change(state, now_ms)
    hand, events = stud.start(
        hand=HandId(hand_id(state.table, state.hands + 1)),
        variant=state.config.variant,
        dealer=state.config.dealer,
        seats=[
            HandSeat(seat=seat.seat, player=seat.player, name=seat.name, stack_chips=seat.stack_chips)
            for seat in state.ready_seats()
        ],
        deck=command.deck,
        commitment=command.commitment,
    )
    change.begin(hand, events)
    play_on(change)
    return change.decided()


def act(state: TableState, command: Act, now_ms: int) -> Decision:
    """Do what a player wishes on his turn, and all that follows.

    Refused in this order: no hand or another hand, not dealt in, not his turn, another turn, and what the rules refuse.
    """
    hand = state.hand
    if hand is None:
        raise NoHandRunning
    if command.hand != hand.hand:
        raise StaleHand(hand=hand.hand)
    seat = next((seat for seat, player in state.cast.items() if player == command.player), None)
    if seat is None:
        raise NotInHand
    turn = state.turns.get(seat)
    if turn is None:
        raise NotYourTurn(to_act=list(state.turns))
    if turn.turn != command.turn:
        raise StaleTurn(turn=turn.turn)
    change = Change(state, now_ms)
    change.take_in(stud.apply(change.hand, seat, command.action))
    play_on(change)
    return change.decided()


def cancel_hand(state: TableState, command: CancelHand, now_ms: int) -> Decision:
    """Make the running hand void; without one nothing happens."""
    if state.hand is None:
        return nothing(state)
    change = Change(state, now_ms)
    change.take_in(stud.cancel(change.hand, command.reason))
    settle(change)
    return change.decided()


def play_on(change: Change) -> None:
    """Act for the leavers whose turn it is, then ask whoever is to act next, or settle the hand if it is over."""
    state = change.state
    while state.hand is not None:
        legal = stud.legal(state.hand)
        leaver = next((seat for seat in legal if state.seats[seat].leaving), None)
        if leaver is None:
            _open_turns(change, legal)
            return
        change.take_in(stud.apply(state.hand, leaver, _parting_action(change, leaver, legal[leaver])))
    settle(change)


def _parting_action(change: Change, seat: SeatNo, options: Options) -> Action:
    """Who leaves folds; where he may not, it is done what silence does: a bring-in is posted (`rules.md` A10)."""
    if any(isinstance(option.action, Fold) for option in options):
        return Fold()
    return stud.on_timeout(change.hand, seat)


def _open_turns(change: Change, legal: dict[SeatNo, Options]) -> None:
    """Open a turn for every seat that is asked and has none yet."""
    state = change.state
    asked = [seat for seat in legal if seat not in state.turns]
    if asked:
        turns = [
            Turn(
                seat=seat,
                turn=number,
                options=legal[seat],
                deadline_ms=change.now_ms + state.config.turn_ms,
                time_bank_ms=state.seats[seat].time_bank_ms,
            )
            for number, seat in enumerate(asked, start=state.last_turn + 1)
        ]
        change.say(TurnOpened(turns=tuple(turns)))
