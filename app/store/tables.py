"""Every table of the database. `migrations/` makes them; a test holds the two equal.

Times are UTC milliseconds and end in `_ms`; amounts are whole units of their row's currency and end in `_chips`.
Transfers, entries and the journal are append-only: triggers refuse to change or to delete what stands
(`docs/decisions/0011-append-only-tables.md` has the door for archives).
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

from engine.limits import MAX_CHIPS

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

PLAY = "PLAY"
"""Play chips, the currency that every room has."""

APPEND_ONLY = ("transfers", "entries", "journal")

# Text is compared byte by byte everywhere: PostgreSQL would else sort by the language of its machine.
KEY = Text().with_variant(Text(collation="C"), "postgresql")


def _chips(name: str, *, nullable: bool = False, at_least: int = -MAX_CHIPS) -> tuple[Any, ...]:
    """An amount's column with its bounds. SQLite would else keep a fraction in a column of whole numbers."""
    return (
        Column(name, BigInteger, nullable=nullable),
        CheckConstraint(f"{name} BETWEEN {at_least} AND {MAX_CHIPS}", name=f"{name}_bounds"),
        CheckConstraint(f"typeof({name}) IN ('integer', 'null')", name=f"{name}_whole").ddl_if(dialect="sqlite"),
    )


currencies = Table(
    "currencies",
    metadata,
    Column("code", KEY, primary_key=True),
    Column("decimals", Integer, nullable=False),
    CheckConstraint("decimals BETWEEN 0 AND 8", name="decimals"),
)

account_kinds = Table(
    "account_kinds",
    metadata,
    Column("kind", KEY, primary_key=True),
    *_chips("floor_chips"),
    UniqueConstraint("kind", "floor_chips"),
    comment="What an account may be for, and how low it may go: 0, or below it for those who issue chips.",
)

player_kinds = Table("player_kinds", metadata, Column("kind", KEY, primary_key=True))

players = Table(
    "players",
    metadata,
    Column("id", KEY, primary_key=True),
    Column("kind", KEY, ForeignKey("player_kinds.kind"), nullable=False),
    Column("name", KEY, nullable=False),
    Column("name_key", KEY, nullable=False, comment="The name in folded case: unique."),
    Column("password_hash", KEY),
    Column("created_ms", BigInteger, nullable=False),
    Column("of_age_word_ms", BigInteger, comment="When the player gave his word that he is of age."),
    Column("refilled_ms", BigInteger, comment="When the wallet was last refilled."),
    UniqueConstraint("name_key"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("token_sha256", LargeBinary(32), primary_key=True),
    Column("player_id", KEY, ForeignKey("players.id"), nullable=False, index=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False, index=True),
    sqlite_with_rowid=False,
)

server_epochs = Table(
    "server_epochs",
    metadata,
    Column("epoch", BigInteger, primary_key=True, autoincrement=False),
    Column("started_ms", BigInteger, nullable=False),
    Column("alive_ms", BigInteger, nullable=False, comment="The last sign of life: when the last batch was written."),
    Column("batch", BigInteger, nullable=False, comment="The number of the last batch that stands."),
    comment="One row for every start of a writer.",
)

tables = Table(
    "tables",
    metadata,
    Column("id", KEY, primary_key=True),
    Column("config", KEY, nullable=False, comment="TableConfig as JSON."),
    Column("currency", KEY, ForeignKey("currencies.code"), nullable=False),
    Column("opened_ms", BigInteger, nullable=False),
    Column("closed_ms", BigInteger),
)

# What every commit changes stands by itself: some hundred tables' heads lie on a handful of pages, and so few pages
# have to be written when all of them commit at once.
table_heads = Table(
    "table_heads",
    metadata,
    Column("table_id", KEY, ForeignKey("tables.id"), primary_key=True),
    Column("epoch", BigInteger, nullable=False, comment="The writer that owns the table; no other may commit."),
    Column("last_seq", BigInteger, nullable=False),
    Column("hands", BigInteger, nullable=False, comment="How many have been dealt."),
    Column("running_hand_id", KEY),
    sqlite_with_rowid=False,
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("table_id", KEY, ForeignKey("tables.id"), primary_key=True),
    Column("seq", BigInteger, nullable=False, comment="The last event that is in the state."),
    Column("state", LargeBinary, nullable=False),
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", KEY, primary_key=True),
    Column("kind", KEY, nullable=False),
    *_chips("floor_chips"),
    Column("player_id", KEY, ForeignKey("players.id"), index=True),
    Column("table_id", KEY, ForeignKey("tables.id"), index=True),
    Column("currency", KEY, ForeignKey("currencies.code"), nullable=False),
    *_chips("balance_chips"),
    Column("entries", BigInteger, nullable=False, comment="How many there are: the number of the last one."),
    # The floor is the kind's own, so that no account can have another.
    ForeignKeyConstraint(["kind", "floor_chips"], ["account_kinds.kind", "account_kinds.floor_chips"]),
    CheckConstraint("balance_chips >= floor_chips", name="floor"),
    UniqueConstraint("id", "currency"),
)

transfers = Table(
    "transfers",
    metadata,
    Column("id", KEY, primary_key=True),
    Column("reason", KEY, nullable=False),
    Column("currency", KEY, ForeignKey("currencies.code"), nullable=False),
    Column("reference", KEY, nullable=False, index=True, comment="The hand or the seat that it is about."),
    Column("at_ms", BigInteger, nullable=False),
    UniqueConstraint("id", "currency"),
)

entries = Table(
    "entries",
    metadata,
    Column("transfer_id", KEY),
    Column("line", Integer),
    Column("account_id", KEY, nullable=False),
    Column("currency", KEY, nullable=False),
    *_chips("amount_chips"),
    Column("number", BigInteger, nullable=False, comment="Counts the account's entries from 1, without a gap."),
    *_chips("balance_after_chips"),
    PrimaryKeyConstraint("transfer_id", "line"),
    UniqueConstraint("account_id", "number"),
    CheckConstraint("amount_chips <> 0", name="amount_chips_moves"),
    # One currency for the transfer, for the entry and for the account: none of the three can cross.
    ForeignKeyConstraint(["transfer_id", "currency"], ["transfers.id", "transfers.currency"]),
    ForeignKeyConstraint(["account_id", "currency"], ["accounts.id", "accounts.currency"]),
    sqlite_with_rowid=False,
)

journal = Table(
    "journal",
    metadata,
    Column("table_id", KEY, ForeignKey("tables.id")),
    Column("seq", BigInteger),
    Column("at_ms", BigInteger, nullable=False),
    Column("format", Integer, nullable=False, comment="How the payload is to be read; see app/store/codec.py."),
    Column("type", KEY, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    PrimaryKeyConstraint("table_id", "seq"),
    CheckConstraint("seq >= 1", name="seq"),
    sqlite_with_rowid=False,
)

hands = Table(
    "hands",
    metadata,
    Column("id", KEY, primary_key=True),
    Column("table_id", KEY, ForeignKey("tables.id"), nullable=False),
    Column("number", BigInteger, nullable=False, comment="Counts the table's hands from 1."),
    Column("game", KEY, nullable=False),
    Column("rules", Integer, nullable=False, comment="The number of the rules that decide it."),
    Column("currency", KEY, ForeignKey("currencies.code"), nullable=False),
    *_chips("ante_chips", at_least=0),
    *_chips("bring_in_chips", at_least=0, nullable=True),
    *_chips("small_bet_chips", at_least=0, nullable=True),
    *_chips("big_bet_chips", at_least=0, nullable=True),
    Column("started_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger),
    Column("outcome", KEY, comment="ended, cancelled, or null while it runs."),
    Column("cancel_reason", KEY),
    Column("first_seq", BigInteger, nullable=False, comment="Its events are the table's from here to last_seq."),
    Column("last_seq", BigInteger),
    Column("key_id", KEY, comment="Which key wraps the hand's own; see app/store/sealing.py."),
    Column("wrapped_key", LargeBinary, comment="Opens what is sealed in its events. Null once they are archived."),
    *_chips("pot_chips", at_least=0, nullable=True),
    *_chips("rake_chips", at_least=0, nullable=True),
    UniqueConstraint("table_id", "number"),
    CheckConstraint("outcome IN ('ended', 'cancelled')", name="outcome"),
    CheckConstraint("(outcome IS NULL) = (ended_ms IS NULL)", name="ended_ms"),
)

archives = Table(
    "archives",
    metadata,
    Column("table_id", KEY, ForeignKey("tables.id")),
    Column("first_seq", BigInteger),
    Column("last_seq", BigInteger, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("file", KEY, nullable=False, comment="The name of the file that holds these events now."),
    PrimaryKeyConstraint("table_id", "first_seq"),
    CheckConstraint("last_seq >= first_seq", name="last_seq"),
    sqlite_with_rowid=False,
    comment="What has left the journal: of every table an unbroken row of its first events.",
)

hand_players = Table(
    "hand_players",
    metadata,
    Column("hand_id", KEY, ForeignKey("hands.id")),
    Column("seat", Integer),
    Column("player_id", KEY, ForeignKey("players.id"), nullable=False),
    Column("started_ms", BigInteger, nullable=False),
    *_chips("start_chips", at_least=0),
    *_chips("net_chips", nullable=True),
    PrimaryKeyConstraint("hand_id", "seat"),
    # A player sits once in a hand; the index also gives his hands, the newest first.
    UniqueConstraint("player_id", "started_ms", "hand_id"),
    sqlite_with_rowid=False,
)

answers = Table(
    "answers",
    metadata,
    Column("table_id", KEY, ForeignKey("tables.id")),
    Column("player_id", KEY, ForeignKey("players.id")),
    Column("command_id", KEY),
    Column("digest", KEY, nullable=False, comment="Of the command's content."),
    Column("seq", BigInteger, nullable=False, comment="Where the table stood after it."),
    Column("at_ms", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False, comment="Orders a table's answers by age."),
    PrimaryKeyConstraint("table_id", "player_id", "command_id"),
    UniqueConstraint("table_id", "number"),
    sqlite_with_rowid=False,
)
