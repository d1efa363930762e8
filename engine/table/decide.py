"""What a command comes to: `decide(state, command, now_ms)`, at once and without waiting for anything.

A refusal leaves no trace, and neither does a decision that is thrown away: all is decided over a copy of the state.
"""

from __future__ import annotations

from typing import assert_never

from engine.limits import MAX_CHIPS, MAX_SEATS_PER_TABLE, MAX_TABLE_NAME_CHARS
from engine.rules.errors import BadVariant
from engine.rules.variants import checked
from engine.table.change import Decision
from engine.table.clocks import deadline_passed, resume
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
from engine.table.events import TableConfig, TableId, TableOpened
from engine.table.hands import act, cancel_hand, start_hand
from engine.table.seating import sit, sit_in, sit_out, stand_up, top_up
from engine.table.state import TableState, opened

__all__ = ["Decision", "checked_config", "decide", "opening"]


def decide(state: TableState, command: Command, now_ms: int) -> Decision:  # noqa: C901 - one branch a command
    """Say what happens when this is asked for at that moment; `state` is left as it is.

    Raises a `Refusal` for what a player may not do, and `LawBroken` where a law would be broken: then nothing has
    happened. The decision holds only if it is committed.
    """
    match command:
        case Act():
            return act(state, command, now_ms)
        case StartHand():
            return start_hand(state, command, now_ms)
        case DeadlinePassed():
            return deadline_passed(state, command, now_ms)
        case Sit():
            return sit(state, command, now_ms)
        case StandUp():
            return stand_up(state, command, now_ms)
        case SitOut():
            return sit_out(state, command, now_ms)
        case SitIn():
            return sit_in(state, command, now_ms)
        case TopUp():
            return top_up(state, command, now_ms)
        case Resume():
            return resume(state, command, now_ms)
        case CancelHand():
            return cancel_hand(state, command, now_ms)
        case _:
            assert_never(command)


def opening(*, table: TableId, config: TableConfig, now_ms: int) -> Decision:
    """Make a table: its first event. Raises `BadVariant` for a configuration that contradicts itself."""
    event = TableOpened(table=table, config=checked_config(config))
    return Decision(state=opened(event, now_ms), events=(event,))


def checked_config(config: TableConfig) -> TableConfig:
    """Give the configuration back if its data agree with each other; raises `BadVariant` with the field's name."""
    checked(config.variant)
    highest_chips = MAX_CHIPS if config.max_buy_in_chips is None else config.max_buy_in_chips
    for holds, field in (
        (1 <= len(config.name) <= MAX_TABLE_NAME_CHARS, "name"),
        (config.variant.seats <= MAX_SEATS_PER_TABLE, "variant.seats"),
        (config.currency != "", "currency"),
        (1 <= config.min_buy_in_chips <= highest_chips, "min_buy_in_chips"),
        (highest_chips <= MAX_CHIPS, "max_buy_in_chips"),
        (0 <= config.dealer <= config.variant.seats, "dealer"),
        (config.turn_ms >= 1, "turn_ms"),
        (config.time_bank_ms >= 0, "time_bank_ms"),
        (config.pause_ms >= 0, "pause_ms"),
        (config.quiet_pause_ms >= config.pause_ms, "quiet_pause_ms"),
        (config.absent_ms >= 1, "absent_ms"),
    ):
        if not holds:
            raise BadVariant(field=field, reason="out_of_range")
    return config
