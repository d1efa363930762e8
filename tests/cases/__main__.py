"""`python -m tests.cases FILE...`: one line a case and a closing line; exits non-zero when a case fails."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.rules.errors import AvenueError
from tests.cases.case import load
from tests.cases.play import CaseFailed
from tests.cases.run import WAITING, judge


def main(paths: list[str]) -> int:
    if not paths:
        print("usage: python -m tests.cases FILE...", file=sys.stderr)
        return 2
    passed = failed = 0
    for path in paths:
        for case in load(Path(path)):
            if case.kind in WAITING:
                print(f"{case.id} waits")
                continue
            try:
                judge(case)
            except (CaseFailed, AvenueError) as failure:
                failed += 1
                print(f"{case.id} FAIL: {failure}")
            else:
                passed += 1
                print(f"{case.id} ok")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
