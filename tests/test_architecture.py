"""The whole checkout against the house's rules; what a rule finds is named with the line and what to write instead.

What may import what is import-linter's part (`pyproject.toml`); here stands what imports cannot show.
"""

import ast
import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests import house_rules
from tests.house_rules import Finding

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("app", "engine", "migrations", "scripts", "clients/sdk/avenue_sdk", "clients/bots/avenue_bots")
LITTER = frozenset({"__pycache__", "node_modules", "dist", "build", "var"})

SOURCE_LINES, TEST_LINES = 400, 600
GENERATED = re.compile(r"# generated\b", re.IGNORECASE)
"""A file that a program writes says so in its first lines; it may be as long as it comes, and drift is its test."""

WITHOUT_TWIN = frozenset({"__init__.py", "__main__.py"})

COMMITTING_ACTOR = "engine/table/actor.py"
"""The one module outside the store that may say `journal.commit(...)`: it asks the port, and the store does it."""


def test_rules_never_wait() -> None:
    assert_clean("engine/rules", house_rules.awaiting)


def test_rules_and_tables_count_in_whole_numbers() -> None:
    assert_clean("engine/rules", house_rules.fractions)
    assert_clean("engine/table", house_rules.fractions)


def test_rules_walk_over_nothing_unordered() -> None:
    assert_clean("engine/rules", house_rules.unordered_walks)


def test_only_the_store_commits() -> None:
    for folder in ("app", "engine", "clients"):
        for path in python_files(folder):
            if not path.startswith("app/store/"):
                found = house_rules.commits(tree_of(path), journal_may=path == COMMITTING_ACTOR)
                assert not found, listing(path, found)


def test_every_module_has_its_twin_test() -> None:
    missing = [
        f"{path}: write {twin_of(path)} with a test in it"
        for folder in ("app", "engine", "clients")
        for path in python_files(folder)
        if needs_twin(path) and not has_tests(ROOT / twin_of(path))
    ]
    assert not missing, "\n" + "\n".join(missing)


def test_files_are_short() -> None:
    limits = [(path, SOURCE_LINES) for folder in SOURCES for path in python_files(folder)]
    limits += [(path, TEST_LINES) for path in python_files("tests")]
    long = [
        f"{path}: {lines} lines, {limit} at most: part it by what it does"
        for path, limit in limits
        if (lines := line_count(path)) > limit
    ]
    assert not long, "\n" + "\n".join(long)


def test_every_refusal_has_a_code_of_its_own() -> None:
    trees = {path: tree_of(path) for folder in ("app", "engine") for path in python_files(folder)}
    codes, without = house_rules.refusal_codes(trees)
    assert len(codes) > 1, "the tree of refusals was not found: does AvenueError have another name now?"
    assert not without, f"give each a code like 'area/name': {without}"
    shapeless = {code: bearers for code, bearers in codes.items() if not house_rules.CODE_SHAPE.fullmatch(code)}
    assert not shapeless, f"a code is 'area/name' in small letters: {shapeless}"
    shared = {code: bearers for code, bearers in codes.items() if len(bearers) > 1}
    assert not shared, f"a client cannot tell these apart, give each its own code: {shared}"


def test_no_file_tells_of_a_machine_or_a_registry() -> None:
    told = [
        f"{path}:{number}: {advice}"
        for path in all_files()
        if path != "uv.lock"
        for number, line in enumerate(lines_of(path), start=1)
        for pattern, advice in FORBIDDEN.items()
        if re.search(pattern, line)
    ]
    assert not told, "\n" + "\n".join(told)


# A letter in brackets stands for itself: so this file does not break its own rule.
FORBIDDEN = {
    r"(?i)\bp[y]pi\b|python[h]osted|npm[j]s\.": "name no package registry: the lock file alone does",
    r"(?<![\w.}/*-])/(?:[w]ork|[h]ome|[r]oot|[t]mp|[U]sers)/\w": "no place of one machine: take it from the caller",
    r"\b[A-Za-z]:\\\\?[U]sers\b": "no place of one machine: take it from the caller",
    r"\b(?:T[O]DO|F[I]XME|X[X]X)\b": "finish it, or leave it out",
    r"(?i)\bi[s]sues? #?\d": "say what it is about, numbers of issues mean nothing to a reader",
}


@pytest.mark.parametrize(
    "code",
    [
        "async def deal(): ...",
        "def deal():\n    async def inner(): ...",
    ],
)
def test_awaiting_is_found(code: str) -> None:
    assert house_rules.awaiting(ast.parse(code))


@pytest.mark.parametrize(
    "code", ["x = 0.5", "x = a / b", "x /= 2", "def f(x: float) -> int: ...", "float(x)", "x = 1e3", "x = 2j"]
)
def test_fractions_are_found(code: str) -> None:
    assert house_rules.fractions(ast.parse(code))


@pytest.mark.parametrize("code", ["x = a // b", "q, r = divmod(a, b)", "x = 10**6", "x = '0.5 a/b'", "x = 7 % 2"])
def test_whole_numbers_are_left_alone(code: str) -> None:
    assert not house_rules.fractions(ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "for x in {1, 2}: ...",
        "for x in set(seats): ...",
        "[x for x in {seat for seat in seats}]",
        "{x: 1 for x in frozenset(seats)}",
        "live = {1}\nfor x in live: ...",
        "live = {1}\ndef f():\n    for x in live: ...",
        "live = {1} | {2}\nlist(live)",
        "def f(live: set[int]):\n    for x in live: ...",
        "def f(live: 'int', folded: frozenset[int] | None):\n    return tuple(folded)",
        "def f(*, live: AbstractSet[int]):\n    return [x + 1 for x in live - {3}]",
        "live: set[int] = f()\nfirst = next(iter(live))",
        "if live := set(seats):\n    live.pop()",
        "def f(live: set[int]):\n    return max(live, key=stack_of)",
        "def f(live: set[int]):\n    return sorted(live, key=stack_of)",
        "def f(live: set[str]):\n    return ''.join(live)",
        "def f(live: set[int]):\n    return (*live,)",
        "def f(live: set[int]):\n    yield from live",
        "def f(live: set[int]):\n    return lambda: [x for x in live]",
    ],
)
def test_walks_over_sets_are_found(code: str) -> None:
    assert house_rules.unordered_walks(ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "for x in sorted({2, 1}): ...",
        "for x in {1: 2}: ...",
        "for x in [1, 2]: ...",
        "any(x > 2 for x in {1, 2})",
        "total = sum(stacks[x] for x in set(seats))",
        "low = min({2, 1})",
        "sorted(x + 1 for x in {2, 1})",
        "more = {x + 1 for x in {1, 2}}",
        "1 in {1, 2}",
        "live = {1}\ndef f(live: list[int]):\n    for x in live: ...",
        "live = {1}\ndef f():\n    live = [1]\n    for x in live: ...",
        "def f(live: dict[int, set[int]]):\n    for x in live: ...",
        "cards.pop()",
    ],
)
def test_ordered_walks_are_left_alone(code: str) -> None:
    assert not house_rules.unordered_walks(ast.parse(code))


def test_commits_are_found_but_for_the_actors_own() -> None:
    assert house_rules.commits(ast.parse("await session.commit()"), journal_may=True)
    assert house_rules.commits(ast.parse("await self._journal.commit(batch)"))
    assert not house_rules.commits(ast.parse("await self._journal.commit(batch)"), journal_may=True)


def test_codes_of_refusals_are_found_by_class() -> None:
    tree = ast.parse(
        "class AvenueError(Exception):\n    code: ClassVar[str] = 'avenue/error'\n"
        "class Refusal(AvenueError):\n    code = 'refusal/refused'\n"
        "class Late(errors.Refusal):\n    code = 'refusal/refused'\n"
        "class Silent(Late): ...\n"
        "class Passed(Refusal):\n    def __init__(self, code):\n        self.code = code\n"
        "class Other(Exception):\n    code = 'Not looked at'\n"
    )
    codes, without = house_rules.refusal_codes({"m.py": tree})
    assert codes == {"avenue/error": ["m.py:AvenueError"], "refusal/refused": ["m.py:Late", "m.py:Refusal"]}
    assert without == ["m.py:Silent"]


@pytest.mark.parametrize(
    "line",
    [
        "see https://py" + "pi.org/project",
        "open('/ho" + "me/me/avenue.db')",
        "cd /wo" + "rk/main",
        "# TO" + "DO: later",
        "as in issue" + " #12",
    ],
)
def test_forbidden_words_are_found(line: str) -> None:
    assert any(re.search(pattern, line) for pattern in FORBIDDEN)


@pytest.mark.parametrize(
    "line", ["sqlite:////data/avenue.db", "a/wo" + "rk/b", "GET /tables/1", "${HOME}/wo" + "rk/x", "issued 3"]
)
def test_innocent_lines_are_left_alone(line: str) -> None:
    assert not any(re.search(pattern, line) for pattern in FORBIDDEN)


@pytest.mark.parametrize(
    ("source", "twin"),
    [
        ("engine/rules/pots.py", "tests/engine/rules/test_pots.py"),
        ("app/main.py", "tests/app/test_main.py"),
        ("app/store/_rows.py", "tests/app/store/test_rows.py"),
        ("clients/sdk/avenue_sdk/state.py", "tests/clients/sdk/test_state.py"),
        ("clients/bots/avenue_bots/play/loose.py", "tests/clients/bots/play/test_loose.py"),
    ],
)
def test_a_twin_stands_where_its_source_does(source: str, twin: str) -> None:
    assert twin_of(source) == twin


def assert_clean(folder: str, rule: Callable[[ast.Module], list[Finding]]) -> None:
    """Hold every module under a folder to a rule."""
    for path in python_files(folder):
        found = rule(tree_of(path))
        assert not found, listing(path, found)


def listing(path: str, found: list[Finding]) -> str:
    return "\n" + "\n".join(f"{path}:{finding.line}: {finding.advice}" for finding in found)


def twin_of(path: str) -> str:
    """Where the test of a source module stands; the package folder of a client is left out of the way."""
    folder, name = os.path.split(path)
    folder = folder.replace("/avenue_sdk", "").replace("/avenue_bots", "")
    return f"tests/{folder}/test_{name.lstrip('_')}"


def needs_twin(path: str) -> bool:
    return Path(path).name not in WITHOUT_TWIN and not is_generated(path)


def has_tests(twin: Path) -> bool:
    return twin.is_file() and any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        for node in ast.walk(ast.parse(twin.read_text(encoding="utf-8")))
    )


def line_count(path: str) -> int:
    return 0 if is_generated(path) else len(lines_of(path))


def is_generated(path: str) -> bool:
    return any(GENERATED.match(line) for line in lines_of(path)[:5])


def lines_of(path: str) -> list[str]:
    try:
        return (ROOT / path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []


def python_files(folder: str) -> Iterator[str]:
    return (path for path in all_files() if path.startswith(f"{folder}/") and path.endswith(".py"))


@cache
def all_files() -> list[str]:
    """Every file of the project, by its path from the root; what tools leave behind is none of it."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in LITTER and (not name.startswith(".") or name == ".ci")]
        found += [(Path(folder) / name).relative_to(ROOT).as_posix() for name in names]
    return sorted(found)


@cache
def tree_of(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=path)
