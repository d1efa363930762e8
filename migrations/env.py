"""Alembic's way in. `app/store/migrate.py` runs it and hands over the connection; there is no other caller."""

from __future__ import annotations

from alembic import context

attributes = context.config.attributes

if context.is_offline_mode():
    context.configure(dialect_name=attributes["dialect"], target_metadata=attributes["metadata"])
    context.run_migrations()
else:
    # One transaction for all revisions, also where Alembic would think that the database cannot: SQLite's schema is
    # as transactional as its rows, once the driver does not get in the way.
    context.configure(
        connection=attributes["connection"], target_metadata=attributes["metadata"], transactional_ddl=True
    )
    context.run_migrations()
