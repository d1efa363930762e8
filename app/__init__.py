"""The web server: everything real around the engine."""
