"""What may go wrong with the store itself; what it refuses comes as `CommitRefused` with one of the codes below.

    Fault
    ├── CommitFailed          fault/commit_failed     see `engine/table/errors.py`: surely nothing was kept
    │   ├── StoreBusy         fault/busy
    │   ├── StoreClosed       fault/store_closed
    │   └── BadTransfer       fault/bad_transfer
    ├── CommitUnknown         fault/commit_unknown    see there too: the writer ended before it could find out
    ├── StoreInUse            fault/store_in_use
    ├── StoreUnsafe           fault/store_unsafe
    ├── StoreUnreachable      fault/store_unreachable
    ├── WrongSchema           fault/wrong_schema
    ├── BadDatabaseUrl        fault/bad_database_url
    ├── BadSealingKeys        fault/bad_sealing_keys
    ├── BadArchive            fault/bad_archive
    └── UnreadableEvent       fault/unreadable_event

Codes of `CommitRefused`:

    wallet/insufficient          the wallet holds less than it should give
    money/duplicate_transfer     a transfer with this id stands already
    money/transfer_id_reused     … and it moved something else
    money/out_of_bounds          an account would hold more than `MAX_CHIPS`
    money/unknown_account        the player, the table or the kind of account is unknown
    money/unknown_currency
    table/command_id_reused      the player's command with this id was answered before
    table/exists                 a table with this id was opened before
    table/hand_running           the table cannot be closed during a hand
    account/name_taken, wallet/refill_too_soon, wallet/refill_not_needed
"""

from __future__ import annotations

from engine.rules.errors import Fault
from engine.table.errors import CommitFailed


class StoreBusy(CommitFailed):
    """Too much waits for the disk; nothing was done. Fields: `max_waiting`."""

    code = "fault/busy"


class StoreClosed(CommitFailed):
    """The writer takes nothing more; nothing was done."""

    code = "fault/store_closed"


class StoreInUse(Fault):
    """Another process holds this database. Fields: `database`, and `pid` and `host` where they are known."""

    code = "fault/store_in_use"

    def __str__(self) -> str:
        pid, host = self.fields.get("pid"), self.fields.get("host")
        by = f"process {pid}{f' on {host}' if host else ''}" if pid else "another process"
        return f"{self.fields.get('database')} is in use by {by}: one server at a time may write to it"


class StoreUnsafe(Fault):
    """The database does not keep what it is told to keep. Fields: `setting`, `found`, `wanted`."""

    code = "fault/store_unsafe"

    def __str__(self) -> str:
        setting, found, wanted = (self.fields.get(name) for name in ("setting", "found", "wanted"))
        return f"the database has {setting} = {found}, not {wanted}"


class StoreUnreachable(Fault):
    """The database does not answer. Fields: `database`, and `reason` as the driver tells it, without a password."""

    code = "fault/store_unreachable"

    def __str__(self) -> str:
        return f"{self.fields.get('database')} cannot be reached: {self.fields.get('reason')}"


class WrongSchema(Fault):
    """The database was made by another version. Fields: `found` (null if it is empty), `wanted`."""

    code = "fault/wrong_schema"

    def __str__(self) -> str:
        found, wanted = self.fields.get("found") or "nothing", self.fields.get("wanted")
        return f"the database holds {found}, this version wants {wanted}: run `avenue migrate`"


class BadDatabaseUrl(Fault):
    """The URL names no database that can be used. Fields: `reason` as a word; never the URL, it may hold a password."""

    code = "fault/bad_database_url"

    def __str__(self) -> str:
        forms = "sqlite:///path/to/avenue.db or postgresql://user@host/database"
        return f"the database's URL is of no use ({self.fields.get('reason')}): write {forms}"


class BadSealingKeys(Fault):
    """The keys that wrap the keys of hands are of no use. Fields: `reason` as a word, and which one; never a key."""

    code = "fault/bad_sealing_keys"

    def __str__(self) -> str:
        fields = {"key": None, "file": None, "bytes": None, **self.fields}
        return _ABOUT_KEYS.get(fields["reason"], "the sealing keys are of no use").format(**fields)


_ABOUT_KEYS = {
    "none": "there is no sealing key: make one with `avenue keys new` and give it as AVENUE_SEALING_KEYS",
    "unreadable": "the sealing keys cannot be read: write id:base64, parted by commas",
    "not_base64": "the sealing key {key} is not base64",
    "wrong_length": "a sealing key has {bytes} bytes in base64: make one with `avenue keys new`",
    "id_twice": "two sealing keys have the id {key}",
    "open_to_others": "{file} could be read by others: chmod 600, and change the keys if they may have been",
    "lost": "{file} is missing, and without it no card of this database can be read: bring it back from its copy",
    "unknown": "hands of this database are sealed by the key {key}, which is not among those given",
    "not_this": "the sealing key {key} is not the one that hands of this database are sealed by",
}


class BadArchive(Fault):
    """A file is no archive of this database, or not whole. Fields: `reason` as a word, `file`, and where."""

    code = "fault/bad_archive"

    def __str__(self) -> str:
        at = f" (table {self.fields['table']}, event {self.fields.get('seq')})" if "table" in self.fields else ""
        return f"{self.fields.get('file')} is no use as an archive: {self.fields.get('reason')}{at}"


class UnreadableEvent(Fault):
    """A journal's row cannot be read. Fields say which one, never what it holds."""

    code = "fault/unreadable_event"


class BadTransfer(CommitFailed):
    """A transfer of ours contradicts itself. Fields: `reason` as a word, `transfer`."""

    code = "fault/bad_transfer"
    for_good = True
