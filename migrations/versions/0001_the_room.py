"""Everything that a room needs: players, money, tables, hands and the journal."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

MAX_CHIPS = 2**53 - 1
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

APPEND_ONLY = ("transfers", "entries", "journal")


def upgrade() -> None:
    _kinds()
    _people()
    _tables()
    _money()
    _hands()
    _seed()
    for table in APPEND_ONLY:
        _guard(table)


def downgrade() -> None:
    for table in APPEND_ONLY:
        _unguard(table)
    if _dialect() == "postgresql":
        op.execute("DROP FUNCTION refuse_change()")
    for table in (
        "answers",
        "hand_players",
        "hands",
        "journal",
        "entries",
        "transfers",
        "accounts",
        "checkpoints",
        "table_heads",
        "tables",
        "server_epochs",
        "sessions",
        "players",
        "player_kinds",
        "account_kinds",
        "currencies",
    ):
        op.drop_table(table)


def _kinds() -> None:
    op.create_table(
        "currencies",
        sa.Column("code", KEY, nullable=False),
        sa.Column("decimals", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("code", name=op.f("pk_currencies")),
        sa.CheckConstraint("decimals BETWEEN 0 AND 8", name=op.f("ck_currencies_decimals")),
    )
    op.create_table(
        "account_kinds",
        sa.Column("kind", KEY, nullable=False),
        *_chips("account_kinds", "floor_chips"),
        sa.PrimaryKeyConstraint("kind", name=op.f("pk_account_kinds")),
        sa.UniqueConstraint("kind", "floor_chips", name=op.f("uq_account_kinds_kind_floor_chips")),
        comment="What an account may be for, and how low it may go: 0, or below it for those who issue chips.",
    )
    op.create_table(
        "player_kinds",
        sa.Column("kind", KEY, nullable=False),
        sa.PrimaryKeyConstraint("kind", name=op.f("pk_player_kinds")),
    )


def _people() -> None:
    op.create_table(
        "players",
        sa.Column("id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("name", KEY, nullable=False),
        sa.Column("name_key", KEY, nullable=False, comment="The name in folded case: unique."),
        sa.Column("password_hash", KEY),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("of_age_word_ms", sa.BigInteger, comment="When the player gave his word that he is of age."),
        sa.Column("refilled_ms", sa.BigInteger, comment="When the wallet was last refilled."),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
        sa.UniqueConstraint("name_key", name=op.f("uq_players_name_key")),
        sa.ForeignKeyConstraint(["kind"], ["player_kinds.kind"], name=op.f("fk_players_kind")),
    )
    op.create_table(
        "sessions",
        sa.Column("token_sha256", sa.LargeBinary(32), nullable=False),
        sa.Column("player_id", KEY, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("token_sha256", name=op.f("pk_sessions")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_sessions_player_id")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_sessions_player_id"), "sessions", ["player_id"])
    op.create_index(op.f("ix_sessions_expires_ms"), "sessions", ["expires_ms"])


def _tables() -> None:
    op.create_table(
        "server_epochs",
        sa.Column("epoch", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("started_ms", sa.BigInteger, nullable=False),
        sa.Column(
            "alive_ms",
            sa.BigInteger,
            nullable=False,
            comment="The last sign of life: when the last batch was written.",
        ),
        sa.Column("batch", sa.BigInteger, nullable=False, comment="The number of the last batch that stands."),
        sa.PrimaryKeyConstraint("epoch", name=op.f("pk_server_epochs")),
        comment="One row for every start of a writer.",
    )
    op.create_table(
        "tables",
        sa.Column("id", KEY, nullable=False),
        sa.Column("config", KEY, nullable=False, comment="TableConfig as JSON."),
        sa.Column("currency", KEY, nullable=False),
        sa.Column("opened_ms", sa.BigInteger, nullable=False),
        sa.Column("closed_ms", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tables")),
        sa.ForeignKeyConstraint(["currency"], ["currencies.code"], name=op.f("fk_tables_currency")),
    )
    op.create_table(
        "table_heads",
        sa.Column("table_id", KEY, nullable=False),
        sa.Column(
            "epoch", sa.BigInteger, nullable=False, comment="The writer that owns the table; no other may commit."
        ),
        sa.Column("last_seq", sa.BigInteger, nullable=False),
        sa.Column("hands", sa.BigInteger, nullable=False, comment="How many have been dealt."),
        sa.Column("running_hand_id", KEY),
        sa.PrimaryKeyConstraint("table_id", name=op.f("pk_table_heads")),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_table_heads_table_id")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "checkpoints",
        sa.Column("table_id", KEY, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False, comment="The last event that is in the state."),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("table_id", name=op.f("pk_checkpoints")),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_checkpoints_table_id")),
    )
    op.create_table(
        "journal",
        sa.Column("table_id", KEY, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column(
            "format", sa.Integer, nullable=False, comment="How the payload is to be read; see app/store/codec.py."
        ),
        sa.Column("type", KEY, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seq", name=op.f("pk_journal")),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_journal_table_id")),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_journal_seq")),
        sqlite_with_rowid=False,
    )


def _money() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        *_chips("accounts", "floor_chips"),
        sa.Column("player_id", KEY),
        sa.Column("table_id", KEY),
        sa.Column("currency", KEY, nullable=False),
        *_chips("accounts", "balance_chips"),
        sa.Column("entries", sa.BigInteger, nullable=False, comment="How many there are: the number of the last one."),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.ForeignKeyConstraint(
            ["kind", "floor_chips"],
            ["account_kinds.kind", "account_kinds.floor_chips"],
            name=op.f("fk_accounts_kind_floor_chips"),
        ),
        sa.CheckConstraint("balance_chips >= floor_chips", name=op.f("ck_accounts_floor")),
        sa.UniqueConstraint("id", "currency", name=op.f("uq_accounts_id_currency")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_accounts_player_id")),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_accounts_table_id")),
        sa.ForeignKeyConstraint(["currency"], ["currencies.code"], name=op.f("fk_accounts_currency")),
    )
    op.create_index(op.f("ix_accounts_player_id"), "accounts", ["player_id"])
    op.create_index(op.f("ix_accounts_table_id"), "accounts", ["table_id"])
    op.create_table(
        "transfers",
        sa.Column("id", KEY, nullable=False),
        sa.Column("reason", KEY, nullable=False),
        sa.Column("currency", KEY, nullable=False),
        sa.Column("reference", KEY, nullable=False, comment="The hand or the seat that it is about."),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transfers")),
        sa.UniqueConstraint("id", "currency", name=op.f("uq_transfers_id_currency")),
        sa.ForeignKeyConstraint(["currency"], ["currencies.code"], name=op.f("fk_transfers_currency")),
    )
    op.create_index(op.f("ix_transfers_reference"), "transfers", ["reference"])
    op.create_table(
        "entries",
        sa.Column("transfer_id", KEY, nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("account_id", KEY, nullable=False),
        sa.Column("currency", KEY, nullable=False),
        *_chips("entries", "amount_chips"),
        sa.Column(
            "number", sa.BigInteger, nullable=False, comment="Counts the account's entries from 1, without a gap."
        ),
        *_chips("entries", "balance_after_chips"),
        sa.PrimaryKeyConstraint("transfer_id", "line", name=op.f("pk_entries")),
        sa.UniqueConstraint("account_id", "number", name=op.f("uq_entries_account_id_number")),
        sa.CheckConstraint("amount_chips <> 0", name=op.f("ck_entries_amount_chips_moves")),
        sa.ForeignKeyConstraint(
            ["transfer_id", "currency"],
            ["transfers.id", "transfers.currency"],
            name=op.f("fk_entries_transfer_id_currency"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "currency"],
            ["accounts.id", "accounts.currency"],
            name=op.f("fk_entries_account_id_currency"),
        ),
        sqlite_with_rowid=False,
    )


def _hands() -> None:
    op.create_table(
        "hands",
        sa.Column("id", KEY, nullable=False),
        sa.Column("table_id", KEY, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False, comment="Counts the table's hands from 1."),
        sa.Column("game", KEY, nullable=False),
        sa.Column("rules", sa.Integer, nullable=False, comment="The number of the rules that decide it."),
        sa.Column("currency", KEY, nullable=False),
        *_chips("hands", "ante_chips", at_least=0),
        *_chips("hands", "bring_in_chips", at_least=0, nullable=True),
        *_chips("hands", "small_bet_chips", at_least=0, nullable=True),
        *_chips("hands", "big_bet_chips", at_least=0, nullable=True),
        sa.Column("started_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_ms", sa.BigInteger),
        sa.Column("outcome", KEY, comment="ended, cancelled, or null while it runs."),
        sa.Column("cancel_reason", KEY),
        sa.Column(
            "first_seq", sa.BigInteger, nullable=False, comment="Its events are the table's from here to last_seq."
        ),
        sa.Column("last_seq", sa.BigInteger),
        *_chips("hands", "pot_chips", at_least=0, nullable=True),
        *_chips("hands", "rake_chips", at_least=0, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hands")),
        sa.UniqueConstraint("table_id", "number", name=op.f("uq_hands_table_id_number")),
        sa.CheckConstraint("outcome IN ('ended', 'cancelled')", name=op.f("ck_hands_outcome")),
        sa.CheckConstraint("(outcome IS NULL) = (ended_ms IS NULL)", name=op.f("ck_hands_ended_ms")),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_hands_table_id")),
        sa.ForeignKeyConstraint(["currency"], ["currencies.code"], name=op.f("fk_hands_currency")),
    )
    op.create_table(
        "hand_players",
        sa.Column("hand_id", KEY, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("player_id", KEY, nullable=False),
        sa.Column("started_ms", sa.BigInteger, nullable=False),
        *_chips("hand_players", "start_chips", at_least=0),
        *_chips("hand_players", "net_chips", nullable=True),
        sa.PrimaryKeyConstraint("hand_id", "seat", name=op.f("pk_hand_players")),
        sa.UniqueConstraint(
            "player_id", "started_ms", "hand_id", name=op.f("uq_hand_players_player_id_started_ms_hand_id")
        ),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], name=op.f("fk_hand_players_hand_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_hand_players_player_id")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "answers",
        sa.Column("table_id", KEY, nullable=False),
        sa.Column("player_id", KEY, nullable=False),
        sa.Column("command_id", KEY, nullable=False),
        sa.Column("digest", KEY, nullable=False, comment="Of the command's content."),
        sa.Column("seq", sa.BigInteger, nullable=False, comment="Where the table stood after it."),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False, comment="Orders a table's answers by age."),
        sa.PrimaryKeyConstraint("table_id", "player_id", "command_id", name=op.f("pk_answers")),
        sa.UniqueConstraint("table_id", "number", name=op.f("uq_answers_table_id_number")),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_answers_table_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_answers_player_id")),
        sqlite_with_rowid=False,
    )


def _seed() -> None:
    op.bulk_insert(
        sa.table("currencies", sa.column("code", sa.Text), sa.column("decimals", sa.Integer)),
        [{"code": "PLAY", "decimals": 0}],
    )
    op.bulk_insert(
        sa.table("account_kinds", sa.column("kind", sa.Text), sa.column("floor_chips", sa.BigInteger)),
        [
            {"kind": "wallet", "floor_chips": 0},
            {"kind": "seat", "floor_chips": 0},
            {"kind": "rake", "floor_chips": 0},
            {"kind": "issuer", "floor_chips": -MAX_CHIPS},
        ],
    )
    op.bulk_insert(sa.table("player_kinds", sa.column("kind", sa.Text)), [{"kind": "person"}, {"kind": "house_bot"}])


def _chips(table: str, name: str, *, nullable: bool = False, at_least: int = -MAX_CHIPS) -> tuple[Any, ...]:
    bounds = sa.CheckConstraint(f"{name} BETWEEN {at_least} AND {MAX_CHIPS}", name=op.f(f"ck_{table}_{name}_bounds"))
    column = sa.Column(name, sa.BigInteger, nullable=nullable)
    if _dialect() != "sqlite":
        return (column, bounds)
    whole = sa.CheckConstraint(f"typeof({name}) IN ('integer', 'null')", name=op.f(f"ck_{table}_{name}_whole"))
    return (column, bounds, whole)


def _guard(table: str) -> None:
    """Let nothing that stands in the table be changed or deleted."""
    if _dialect() == "sqlite":
        for verb in ("update", "delete"):
            op.execute(
                f"CREATE TRIGGER {table}_refuse_{verb} BEFORE {verb.upper()} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ "
        "BEGIN RAISE EXCEPTION USING MESSAGE = TG_TABLE_NAME || ' is append-only'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )


def _unguard(table: str) -> None:
    if _dialect() == "sqlite":
        for verb in ("update", "delete"):
            op.execute(f"DROP TRIGGER {table}_refuse_{verb}")
        return
    op.execute(f"DROP TRIGGER {table}_refuse_change ON {table}")


def _dialect() -> str:
    return op.get_context().dialect.name
