"""Every code with which a socket refuses is in the schema, and in the pages for people."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from app.errors import CLOSES
from app.wire.codes import socket_codes
from tests.house_rules import refusal_codes

ROOT = Path(__file__).resolve().parents[3]


def test_every_code_of_the_socket_s_areas_is_there() -> None:
    trees = {
        str(path): ast.parse(path.read_text(encoding="utf-8"))
        for folder in ("engine", "app")
        for path in sorted((ROOT / folder).rglob("*.py"))
    }
    declared, _ = refusal_codes(trees)
    wanted = {code for code in declared if re.fullmatch(r"(action|table|frame|connection)/(?!refused$).*", code)}
    assert wanted <= set(socket_codes())


def test_every_code_that_ends_a_connection_is_there() -> None:
    assert set(CLOSES) <= set(socket_codes())


def test_the_pages_for_people_list_every_code_and_no_other() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `([a-z_]+/[a-z_]+)`", page, re.MULTILINE))
    assert listed == set(socket_codes())


def test_the_pages_for_people_list_every_close_code_of_ours() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    for code, close in CLOSES.items():
        line = rf"^\| {close.code} \| `{code}` \| {'yes' if close.may_reconnect else 'no'} \|"
        assert re.search(line, page, re.MULTILINE), f"{code} with {close.code}"
