"""Every bound in the system, and what happens at it. A number that is not here is not a bound."""

from __future__ import annotations

MAX_CHIPS = 2**53 - 1
"""No amount, balance or sum goes above it, so that JSON keeps it exact. Beyond: a refusal, or a check in SQL."""

MAX_SEATS_PER_TABLE = 8
"""Places at a stud table (`rules.md` A1)."""

MAX_TABLE_NAME_CHARS = 40

MIN_NAME_CHARS = 3
MAX_NAME_CHARS = 20
"""A player's name: letters, digits, `_` and `-`. Otherwise `account/bad_name`."""

MIN_PASSWORD_CHARS = 8
MAX_PASSWORD_CHARS = 200
"""Otherwise `account/bad_password`."""

MAX_COMMAND_ID_CHARS = 64
"""The client's own id of a command: printable ASCII. Otherwise `frame/bad_command_id`."""

MAX_FRAME_BYTES = 4096
"""A client's frame. A larger one closes the connection with 1009."""

MAX_INBOX_COMMANDS = 256
"""Commands that wait at one table. Beyond: `table/busy`, nothing done."""

MAX_ANSWERS_PER_TABLE = 4096
"""Answers to commands that a table remembers, refusals among them; the oldest go first."""

MAX_OUTBOX_FRAMES = 1024
"""Frames that wait for one slow reader. Beyond: the connection is closed and may come back."""

MAX_CONNECTIONS = 10_000
"""Open sockets of one process. Beyond: `connection/full`."""

COMMANDS_PER_SECOND = 20
COMMANDS_BURST = 60
"""A connection's token bucket. Beyond: `frame/too_many` for the frame, which is not read."""

MAX_PAGE_ROWS = 100
"""Rows of one page of a listing over REST."""

MAX_TABLES_PER_PLAYER = 16
"""Tables at which one player may sit at once. Beyond: `table/too_many_seats`."""

MAX_COMMIT_BATCH = 512
"""Commits that join one transaction; the rest wait for the next."""

MAX_WAITING_COMMITS = 8192
"""Commits that wait for the disk. Beyond: `fault/busy`, nothing done."""

MAX_HELLO_WAIT_MS = 5_000
"""How long a new connection may be silent before its `hello`. Beyond: it is closed and may come back."""

MAX_CLOSE_WAIT_MS = 5_000
"""How long a connection that is being closed may take to read what it was sent. Beyond: it is cut."""

MAX_HEAD_BYTES = 16_384
"""The first line and the headers of a request, handshakes too. Beyond: 400, and the connection is closed."""

MAX_BODY_BYTES = 16_384
"""The body of a REST request. Beyond: `request/too_large`, and the rest is not read."""

MAX_HASHES_AT_ONCE = 2
MAX_WAITING_HASHES = 64
"""Passwords that are hashed at the same time, and those that wait for it. Beyond: `account/busy`, nothing done."""

MAX_SESSIONS_PER_PLAYER = 10
"""Login sessions that one player may have. Beyond: the oldest ends."""

MAX_TABLE_RESTARTS = 5
"""How often in a row a table that broke down is brought back from its journal. Beyond: it stays closed."""

MIN_RESUMED_TURN_MS = 5_000
"""Time that an open turn has at least when the server comes back. A time bank does not grow by it."""

MIN_RETURN_MS = 60_000
"""Time that somebody who sits out has at least, once the table is back, before his seat is given up."""

FAULT_PAUSE_MS = 1_000
"""Pause before a table tries again what failed by a fault of ours. Players' commands are taken meanwhile."""

SLOW_COMMIT_MS = 1_000
"""How long a table's commit may take. Beyond: its players are told, and its clocks stand until the commit is there."""

MAX_RETRY_PAUSE_MS = 2_000
"""The longest pause before a table that can keep nothing tries again whether it can; the first ones are shorter."""

MAX_STOP_WAIT_MS = 10_000
"""How long a server that stops waits for the commits in flight. Beyond: they are left, and read back at the start."""

MAX_PORTS_TRIED = 20
"""Ports that `serve` tries, one after the other, when the first is taken. Beyond: it says so and ends."""

MAX_READERS = 4
"""Connections that read SQL at once. Beyond: a read waits."""

MAX_READ_MS = 10_000
"""How long one read of SQL may last. Beyond: it ends with a timeout, so no snapshot keeps the WAL from shrinking."""

MAX_BUSY_MS = 5_000
"""How long a connection to SQLite waits for another one that writes. Beyond: its write fails, and nothing was done."""

MAX_LOADED_TABLES = 32
"""Tables that are read back in one go at the start: so many that no read comes near `MAX_READ_MS`."""

MAX_ANSWERS_TAKEN_UP = 512
"""Answers that a table knows again after a restart, the latest. Beyond: one sent again is refused, never done twice."""

MAX_WAL_BYTES = 64 * 1024 * 1024
"""SQLite's WAL file is cut back to this once its pages have been copied into the database."""

AUDIT_PAGE_ROWS = 5_000
"""Rows that an audit looks at in one snapshot; then it lets go, so that no WAL grows for its sake."""

ARCHIVE_BATCH_ROWS = 2_000
"""Events that leave the journal in one transaction, unless one hand has more."""

MAX_UPKEEP_LOCK_MS = 100
"""How long an operator's command waits in PostgreSQL for what a server holds. Beyond: it tries again."""

MAX_UPKEEP_TRIES = 100
"""How often it tries. Beyond: it gives up, and nothing was done."""

MAX_HAND_KEYS = 4_096
"""Running hands whose keys stay at hand. Beyond: the one least lately used goes, and is read from SQL when it acts."""

ANSWERS_FORGOTTEN_AT_ONCE = 64
"""Answers that SQL may hold of a table beyond `MAX_ANSWERS_PER_TABLE` before the oldest go."""

MAX_PIPELINED_WRITES = 64
"""Writes that go to PostgreSQL at once. A refused one makes those before it in its lot run a second time."""

MAX_PREPARED_STATEMENTS = 256
"""Statements that PostgreSQL keeps prepared for the writer. Beyond: a statement is planned each time that it runs."""

MAX_CONNECT_MS = 3_000
"""How long it may take to reach PostgreSQL. Beyond: it is not there, and a write fails or is tried again."""

MAX_RECONNECT_MS = 5_000
"""How long writes wait for a PostgreSQL that went away. Beyond: they fail at once, nothing done, until it is back."""

MAX_LOCK_WAIT_MS = 2_000
"""How long a write waits in PostgreSQL for a row that somebody else holds. Beyond: it fails, and nothing was done."""

MAX_STATEMENT_MS = 10_000
"""How long one statement may run in PostgreSQL. Beyond: it fails, and nothing of its write was done."""

MAX_SILENCE_MS = 15_000
"""How long PostgreSQL may leave a question open. Beyond: the connection is given up, and what stands is read back."""

MAX_TAKEOVER_MS = 3_000
"""How long a server waits at its start for the one before it to be gone from PostgreSQL. Beyond: it is in use."""
