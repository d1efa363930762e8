"""Programs that some tests need beside Python; those tests are skipped without them, and the closing lines say so.

With `CI=true` a missing program fails its tests instead: there a skip would hide that nothing was tried.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

_missing: dict[str, str] = {}


def require_program(name: str, *, cure: str, also_in: Iterable[Path] = ()) -> Path:
    """Give the path of a program that the running test or fixture needs.

    It is looked for on the path, then in the folders of `also_in`. Where it is missing the test ends here: skipped, or
    failed with `CI=true`. `cure` is the command that brings it.
    """
    found = shutil.which(name) or next(filter(None, (shutil.which(name, path=str(place)) for place in also_in)), None)
    if found is not None:
        return Path(found)
    if os.environ.get("CI") == "true":
        pytest.fail(f"{name} is missing: {cure}", pytrace=False)
    _missing[name] = cure
    pytest.skip(f"{name} is missing: {cure}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Close with one line for each missing program."""
    for name, cure in sorted(_missing.items()):
        terminalreporter.write_line(f"skipped for want of {name}: {cure}", yellow=True)
    _missing.clear()
