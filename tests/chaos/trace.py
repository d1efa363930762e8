"""Reads a trace of a server's system calls: was everything that an acknowledgement promises synced before it left?

The trace is strace's, of all threads in one file, with the names of files (`-f -y`) and whole buffers (`-s`). A command
comes to stand by its id, which is written to SQLite's WAL in the commit of its events; a write to the WAL holds when an
`fdatasync` of the WAL that began later has ended well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

CALLS: Final = "pwrite64,pwritev,fdatasync,fsync,write,writev,sendto,sendmsg"
"""The system calls that a trace must hold."""

MAX_BUFFER: Final = 8_192
"""Longer than a page of the database and than any frame of a short run."""

_LINE = re.compile(r"^(?P<thread>\d+) +(?P<call>.*)$")
_ACK = re.compile(r'\{\\"type\\":\\"ack\\",\\"id\\":\\"(?P<id>[^"\\]+)\\"')
_COMMAND = re.compile(r"b\d+-\d+\.")
_SENDS = ("write(", "writev(", "sendto(", "sendmsg(")
_WRITES = ("pwrite64(", "pwritev(", "write(")
_SYNCS = ("fdatasync(", "fsync(")
_SYNC_ENDS = re.compile(r"f(data)?sync(\(| resumed).*= 0$")


class Promised(NamedTuple):
    """An acknowledgement that went out, and the lines of the trace at which what it promises was written and synced."""

    id: str
    sent_at: int
    written_at: int | None
    synced_at: int | None

    @property
    def kept(self) -> bool:
        """Whether all was on the disk when the acknowledgement left."""
        return self.written_at is not None and self.synced_at is not None and self.synced_at < self.sent_at


def promises(lines: Iterable[str]) -> list[Promised]:
    """Every acknowledgement of a trace, in order."""
    reading = _Reading()
    for number, line in enumerate(lines):
        found = _LINE.match(line)
        if found is not None:
            reading.take(number, found["thread"], found["call"])
    written, synced = reading.written, reading.synced
    return [Promised(id, at, written.get(id), synced.get(id)) for id, at in reading.sent.items()]


class _Reading:
    """A trace as far as it was read. All numbers are of lines."""

    def __init__(self) -> None:
        self.sent: dict[str, int] = {}
        self.written: dict[str, int] = {}
        self.synced: dict[str, int] = {}
        self._dirty: set[str] = set()
        self._syncing: dict[str, set[str]] = {}

    def take(self, number: int, thread: str, call: str) -> None:
        in_wal = "-wal>" in call.partition(",")[0]
        if in_wal and call.startswith(_WRITES):
            self._write(number, _COMMAND.findall(call))
        elif in_wal and call.startswith(_SYNCS):
            # What is written while the sync runs need not be part of it.
            self._syncing[thread] = set(self._dirty)
        elif not in_wal and call.startswith(_SENDS):
            for ack in _ACK.finditer(call):
                self.sent.setdefault(ack["id"], number)
        if thread in self._syncing and _SYNC_ENDS.search(call):
            self._sync(number, self._syncing.pop(thread))

    def _write(self, number: int, ids: Iterable[str]) -> None:
        for id in ids:
            if id not in self.written:
                self.written[id] = number
                self._dirty.add(id)

    def _sync(self, number: int, ids: set[str]) -> None:
        self.synced |= dict.fromkeys(ids, number)
        self._dirty -= ids
