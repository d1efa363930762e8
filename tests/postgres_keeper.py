"""Runs a PostgreSQL server of its own until the pipe on its standard input ends: `python -m tests.postgres_keeper BIN`.

So the server ends with whoever started it, also after a SIGKILL. PostgreSQL refuses to run as root: the server then
belongs to a user who may do nothing else here. It syncs to the disk as a real one does, and is small otherwise. Each
line on the standard input is an order (`restart`, `crash`, `stop`, `start`); it is answered by a line with the URL, or
by `stopped`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

USERS = ("postgres", "nobody")
"""Who the server is when we are root: the first of them that there is."""

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "shared_buffers": "32MB",
    "max_connections": "60",
    "max_wal_size": "256MB",
    "log_min_messages": "fatal",
}
START_S = 30
MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of the server's own is made in it
MEMORY_BYTES = 2 * 1024**3
"""A file system in memory takes the server's files if it has so much room: to make a database is all syncs."""


class Keeper:
    """One server in a folder of its own."""

    def __init__(self, binaries: Path, *, on_disk: bool) -> None:
        self._binaries = binaries
        self._user = next((name for name in USERS if _exists(name)), None) if os.geteuid() == 0 else None
        self._folder = Path(tempfile.mkdtemp(prefix="avenue-postgres-", dir=None if on_disk else _roomy()))
        self._port = _free_port()
        self._server: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://avenue@127.0.0.1:{self._port}/postgres"
        if self._user is not None:
            shutil.chown(self._folder, self._user)

    def make(self) -> None:
        common = ("-D", str(self._folder / "data"), "-U", "avenue", "-A", "trust", "-E", "UTF8", "--no-sync")
        # A database that sorts as people do shows where the code trusts in the order of bytes without saying so.
        by_language = (*common, "--locale-provider=icu", "--icu-locale=en-US", "--locale=C")
        if self._run("initdb", *by_language).returncode != 0:
            shutil.rmtree(self._folder / "data", ignore_errors=True)
            made = self._run("initdb", *common, "--locale=C")
            if made.returncode != 0:
                sys.exit(made.stderr.decode())

    def start(self) -> None:
        settings = SETTINGS | {"port": str(self._port)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        log = (self._folder / "log").open("ab")
        self._server = subprocess.Popen(
            [self._binaries / "postgres", "-D", self._folder / "data", *options],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, user=self._user, cwd=self._folder, start_new_session=True,
        )  # fmt: skip
        log.close()
        ends_at = time.monotonic() + START_S
        while self._run("pg_isready", "-h", "127.0.0.1", "-p", str(self._port), "-U", "avenue").returncode != 0:
            if time.monotonic() > ends_at or self._server.poll() is not None:
                sys.exit((self._folder / "log").read_text(errors="replace"))
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT cuts every connection and shuts down in order; SIGQUIT leaves everything to recovery."""
        if self._server is not None:
            self._server.send_signal(how)
            self._server.wait(START_S)
            self._server = None

    def remove(self) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)

    def obey(self, order: str) -> None:
        match order:
            case "stop":
                self.stop()
            case "start":
                self.start()
            case "restart":
                self.stop()
                self.start()
            case "crash":
                self.stop(signal.SIGQUIT)
                self.start()
            case _:
                sys.exit(f"no such order: {order}")
        say("stopped" if self._server is None else self.url)

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [self._binaries / program, *arguments], user=self._user, cwd=self._folder, capture_output=True, check=False
        )


def main() -> None:
    # A Ctrl-C is for the tests: they end, and then the pipe does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keeper = Keeper(Path(sys.argv[1]), on_disk="--on-disk" in sys.argv[2:])
    try:
        keeper.make()
        keeper.start()
        say(keeper.url)
        for line in sys.stdin:
            keeper.obey(line.strip())
    finally:
        keeper.remove()


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _roomy() -> Path | None:
    is_roomy = MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES
    return MEMORY if is_roomy else None


def _exists(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


if __name__ == "__main__":
    main()
