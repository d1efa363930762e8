"""What may go wrong for a client.

SdkError
├── Refused           the server says no, with a code; nothing has changed
├── Unanswered        no answer came in time: whether it was done is not known
├── ConnectionLost    the server is away or has closed the connection
├── Outdated          the table told of something that this SDK does not know; open it again for a new snapshot
└── ProtocolBroken    the server sends what the protocol does not describe
"""

from __future__ import annotations

from typing import Any


class SdkError(Exception):
    """Root of all that the SDK raises on purpose."""


class Refused(SdkError):
    """The server refused; `code` is stable (`docs/protocol.md` lists them), `fields` say more."""

    def __init__(self, code: str, fields: dict[str, Any] | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.fields = fields or {}


class ServerFault(Refused):
    """The server could not, by a fault of its own; the same may be asked again later."""


def refusal_of(code: str, fields: dict[str, Any]) -> Refused:
    """The exception for a code that the server answered."""
    return ServerFault(code, fields) if code.startswith("fault/") else Refused(code, fields)


class Unanswered(SdkError):
    """No answer came within `waited_s`. The command may have been done: the next snapshot tells."""

    def __init__(self, waited_s: float) -> None:
        super().__init__(f"no answer within {waited_s:g} s")
        self.waited_s = waited_s


class ConnectionLost(SdkError):
    """The server cannot be reached, or the connection has ended.

    `close_code` is the WebSocket's, or None where there was none; `reason` is the server's code for it, often empty.
    """

    def __init__(self, close_code: int | None = None, reason: str = "") -> None:
        super().__init__(f"connection lost ({close_code or 'no close code'}{', ' + reason if reason else ''})")
        self.close_code = close_code
        self.reason = reason


class Outdated(SdkError):
    """What has happened since the snapshot is not known in full: an unknown event came, or some are missing.

    Open the table again; a new snapshot tells all.
    """


class ProtocolBroken(SdkError):
    """The server sent a frame that cannot be read. It is of another version, or no Avenue server at all."""
