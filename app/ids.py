"""Ids that nobody can guess, from the operating system's generator for secrets."""

from __future__ import annotations

import secrets


class RandomIds:
    """The `IdSource` of a running server: eight random bytes, which is more than ever meet by chance."""

    def new(self, kind: str) -> str:
        return f"{kind}_{secrets.token_hex(8)}"
