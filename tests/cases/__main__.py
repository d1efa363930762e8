"""`python -m tests.cases FILE...`: one line a case and a closing line; exits non-zero when a case fails."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.cases.case import BrokenFile, load
from tests.cases.run import verdict


def main(paths: list[str]) -> int:
    """Run the files and give the exit status: 0 if all passed, 1 if something failed, 2 for no file at all."""
    if not paths:
        print("usage: python -m tests.cases FILE...", file=sys.stderr)
        return 2
    counts = {"ok": 0, "FAIL": 0, "waits": 0}
    for path in paths:
        try:
            cases = load(Path(path))
        except BrokenFile as broken:
            counts["FAIL"] += 1
            print(f"{path} FAIL: {broken}")
            continue
        for raw in cases:
            word, complaint = verdict(raw)
            counts[word] += 1
            print(f"{raw['id']} {word}: {complaint}" if complaint else f"{raw['id']} {word}")
    print(f"{counts['ok']} passed, {counts['FAIL']} failed")
    return 1 if counts["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
