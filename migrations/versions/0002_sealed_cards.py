"""Hands keep the keys that their cards are sealed with, and what has been archived is written down."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column(
        "hands", sa.Column("key_id", KEY, comment="Which key wraps the hand's own; see app/store/sealing.py.")
    )
    op.add_column(
        "hands",
        sa.Column(
            "wrapped_key",
            sa.LargeBinary,
            comment="Opens what is sealed in its events. Null once they are archived.",
        ),
    )
    op.create_table(
        "archives",
        sa.Column("table_id", KEY, nullable=False),
        sa.Column("first_seq", sa.BigInteger, nullable=False),
        sa.Column("last_seq", sa.BigInteger, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("file", KEY, nullable=False, comment="The name of the file that holds these events now."),
        sa.PrimaryKeyConstraint("table_id", "first_seq", name=op.f("pk_archives")),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_archives_table_id")),
        sa.CheckConstraint("last_seq >= first_seq", name=op.f("ck_archives_last_seq")),
        sqlite_with_rowid=False,
        comment="What has left the journal: of every table an unbroken row of its first events.",
    )


def downgrade() -> None:
    """What is sealed stays so, and without the keys of its hands nobody reads it any more."""
    op.drop_table("archives")
    op.drop_column("hands", "wrapped_key")
    op.drop_column("hands", "key_id")
