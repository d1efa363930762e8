"""One module for every step of the database's history; a step that was released is never changed."""
