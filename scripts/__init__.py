"""What the checkout does with itself: make an environment, serve, test, check. Run with `python3 -m scripts`.

This file alone is read before anything else, so it is written for Pythons far older than the one that is needed.
"""

import sys

OLDEST_PYTHON = (3, 11)


def refuse_old_python(version: "tuple[int, ...]") -> None:
    """End the program with one line when this Python is too old for Avenue."""
    if version < OLDEST_PYTHON:
        line = (
            "avenue: Python {0}.{1} is too old, {2}.{3} or newer is needed: name one (make PYTHON=python{2}.{3} serve)."
        )
        sys.exit(line.format(*(tuple(version[:2]) + OLDEST_PYTHON)))


refuse_old_python(sys.version_info[:2])
