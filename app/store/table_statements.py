"""The statements that `app/store/commits.py` makes a table's writes of. Their rows are given in the order of `row`."""

from __future__ import annotations

from typing import Final

from sqlalchemy import ScalarSelect, bindparam, delete, func, insert, literal_column, select, update
from sqlalchemy.dialects.postgresql import insert as insert_or

from app.store.tables import KEY, answers, checkpoints, hand_players, hands, journal, table_heads, tables
from app.store.writes import Statement, given
from engine.limits import MAX_ANSWERS_PER_TABLE

_NUMBER: Final = journal.c.seq.type


def _running_hand(table: str) -> ScalarSelect[str]:
    of_table = table_heads.c.table_id == bindparam(table, type_=KEY)
    return select(table_heads.c.running_hand_id).where(of_table).scalar_subquery()


OPEN: Final = Statement(
    insert(tables).values(given("id", "config", "currency", "opened_ms")),
    row=("id", "config", "currency", "opened_ms"),
)
OPEN_HEAD: Final = Statement(
    insert(table_heads).values(given("table_id", "epoch", "last_seq", "hands")),
    row=("table_id", "epoch", "last_seq", "hands"),
)
CLOSE: Final = Statement(
    update(tables)
    .where(tables.c.id == bindparam("of_table"), _running_hand("in_table").is_(None))
    .values(closed_ms=bindparam("at_ms")),
    row=("at_ms", "of_table", "in_table"),
)

ADVANCE: Final = Statement(
    update(table_heads)
    .where(
        table_heads.c.table_id == bindparam("of_table"),
        table_heads.c.epoch == bindparam("of_epoch"),
        table_heads.c.last_seq == bindparam("from_seq"),
    )
    .values(last_seq=bindparam("to_seq")),
    row=("to_seq", "of_table", "of_epoch", "from_seq"),
)
SET_HAND: Final = Statement(
    update(table_heads)
    .where(table_heads.c.table_id == bindparam("of_table"))
    .values(running_hand_id=bindparam("to_hand"), hands=table_heads.c.hands + bindparam("more_hands")),
    row=("to_hand", "more_hands", "of_table"),
)
TAKE: Final = Statement(
    # A later owner is not put out of its place by an earlier one that wakes up.
    update(table_heads)
    .where(table_heads.c.table_id == bindparam("of_table"), table_heads.c.epoch <= bindparam("to_epoch"))
    .values(epoch=bindparam("to_epoch")),
    row=("to_epoch", "of_table"),
)
STILL_OWN: Final = Statement(
    update(table_heads)
    .where(table_heads.c.table_id == bindparam("of_table"), table_heads.c.epoch == bindparam("of_epoch"))
    .values(last_seq=table_heads.c.last_seq),
    row=("of_table", "of_epoch"),
)

_SAVE: Final = insert_or(checkpoints).values(given("table_id", "seq", "state"))
SAVE: Final = Statement(
    _SAVE.on_conflict_do_update(
        index_elements=[checkpoints.c.table_id],
        set_={"seq": _SAVE.excluded.seq, "state": _SAVE.excluded.state},
    ),
    row=("table_id", "seq", "state"),
)

RECORD: Final = Statement(insert(journal), row=("table_id", "seq", "at_ms", "format", "type", "payload"))

START_HAND: Final = Statement(
    insert(hands).from_select(
        [
            "id",
            "table_id",
            "number",
            "currency",
            "game",
            "rules",
            "ante_chips",
            "bring_in_chips",
            "small_bet_chips",
            "big_bet_chips",
            "started_ms",
            "first_seq",
        ],
        select(
            bindparam("hand", type_=KEY),
            tables.c.id,
            table_heads.c.hands + bindparam("nth", type_=_NUMBER),
            tables.c.currency,
            bindparam("game", type_=KEY),
            bindparam("rules", type_=hands.c.rules.type),
            bindparam("ante_chips", type_=_NUMBER),
            bindparam("bring_in_chips", type_=_NUMBER),
            bindparam("small_bet_chips", type_=_NUMBER),
            bindparam("big_bet_chips", type_=_NUMBER),
            bindparam("started_ms", type_=_NUMBER),
            bindparam("first_seq", type_=_NUMBER),
        )
        .join(table_heads, table_heads.c.table_id == tables.c.id)
        .where(tables.c.id == bindparam("of_table")),
    ),
    row=(
        "hand",
        "nth",
        "game",
        "rules",
        "ante_chips",
        "bring_in_chips",
        "small_bet_chips",
        "big_bet_chips",
        "started_ms",
        "first_seq",
        "of_table",
    ),
)
GIVE_KEY: Final = Statement(
    # A hand's key is given once: another one would lock up what is sealed already.
    update(hands)
    .where(hands.c.id == bindparam("of_hand"), hands.c.wrapped_key.is_(None))
    .values(key_id=bindparam("to_key_id"), wrapped_key=bindparam("to_wrapped_key")),
    row=("to_key_id", "to_wrapped_key", "of_hand"),
)
_DEALT_IN: Final = ("hand_id", "seat", "player_id", "started_ms", "start_chips")
DEAL_IN: Final = Statement(insert(hand_players).values(given(*_DEALT_IN)), row=_DEALT_IN)
END_HAND: Final = Statement(
    update(hands)
    .where(
        hands.c.id == func.coalesce(bindparam("of_hand", type_=KEY), _running_hand("of_table")),
        hands.c.outcome.is_(None),
    )
    .values(
        outcome=bindparam("to_outcome"),
        cancel_reason=bindparam("for_reason"),
        ended_ms=bindparam("at_ms"),
        last_seq=bindparam("to_seq"),
        pot_chips=bindparam("in_pot_chips"),
        rake_chips=bindparam("in_rake_chips"),
    ),
    row=("to_outcome", "for_reason", "at_ms", "to_seq", "in_pot_chips", "in_rake_chips", "of_hand", "of_table"),
)
NET: Final = Statement(
    update(hand_players)
    .where(
        hand_players.c.hand_id == func.coalesce(bindparam("of_hand", type_=KEY), _running_hand("of_table")),
        hand_players.c.seat == bindparam("of_seat"),
    )
    .values(net_chips=bindparam("to_net_chips")),
    row=("to_net_chips", "of_seat", "of_hand", "of_table"),
)

_LATEST_ANSWER: Final = (
    select(func.coalesce(func.max(answers.c.number), literal_column("0")))
    .where(answers.c.table_id == bindparam("in_table", type_=KEY))
    .scalar_subquery()
)
ANSWER: Final = Statement(
    insert(answers).values(
        given("table_id", "player_id", "command_id", "digest", "seq", "at_ms")
        | {"number": _LATEST_ANSWER + literal_column("1")}
    ),
    row=("table_id", "player_id", "command_id", "digest", "seq", "at_ms", "in_table"),
)
FORGET: Final = Statement(
    delete(answers).where(
        answers.c.table_id == bindparam("of_table"),
        answers.c.number <= _LATEST_ANSWER - literal_column(str(MAX_ANSWERS_PER_TABLE)),
    ),
    row=("of_table", "in_table"),
)
