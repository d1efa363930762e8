"""The database's history, carried by the wheel so that an installed server can migrate itself."""
