"""Players for load tests, and for company at a demo table."""
