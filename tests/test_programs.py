"""What a run says about programs that are not there."""

from pathlib import Path

import pytest

NEEDS_A_PROGRAM = """
    from tests.programs import require_program

    def test_that_needs_it():
        require_program("no-such-program", cure="apt-get install no-such-program")
        raise AssertionError("never reached")

    def test_that_needs_another():
        assert require_program("python3", cure="none").name == "python3"
"""


@pytest.fixture
def inner_run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A run of its own, which knows the mechanism and nothing else of this project."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parent.parent))
    pytester.makeconftest("from tests.programs import pytest_terminal_summary")
    pytester.makepyfile(NEEDS_A_PROGRAM)
    return pytester


def test_a_missing_program_skips_and_is_named_at_the_end(
    inner_run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    result = inner_run.runpytest_subprocess("-p", "no:asyncio")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["skipped for want of no-such-program: apt-get install no-such-program"])


def test_a_missing_program_fails_in_ci(inner_run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = inner_run.runpytest_subprocess("-p", "no:asyncio")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*no-such-program is missing: apt-get install no-such-program"])
    result.stdout.no_fnmatch_line("*skipped for want of*")
