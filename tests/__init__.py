"""The twin of the source tree, and what every test shares."""
