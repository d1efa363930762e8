"""What the server refuses besides the rules and the tables, each with a stable code.

    Refusal
    ├── RequestRefused            request/…     a REST request that nobody can answer
    │   ├── NotFound              request/not_found
    │   ├── MethodNotAllowed      request/method_not_allowed
    │   ├── BadJson               request/bad_json
    │   ├── BadBody               request/bad_body
    │   └── TooLarge              request/too_large
    ├── AccountRefused            account/…
    │   ├── BadName               account/bad_name
    │   ├── BadPassword           account/bad_password
    │   ├── NotOfAge              account/not_of_age
    │   ├── WrongLogin            account/wrong_login
    │   ├── NotLoggedIn           account/not_logged_in
    │   └── HashingBusy           account/busy
    ├── NoSuchTable               table/not_found
    ├── TooManySeats              table/too_many_seats
    ├── NoSuchHand                hand/not_found
    ├── HandRuns                  hand/running
    ├── HandArchived              hand/archived
    ├── FrameRefused              frame/…       a frame that is not what the protocol describes
    │   ├── BinaryFrame           frame/binary
    │   ├── BadFrameJson          frame/bad_json
    │   ├── UnknownFrameType      frame/unknown_type
    │   ├── BadFrameField         frame/bad_field
    │   ├── BadCommandId          frame/bad_command_id
    │   ├── FrameTooLarge         frame/too_large
    │   ├── TooManyFrames         frame/too_many
    │   └── UnexpectedHello       frame/unexpected_hello
    └── ConnectionRefused         connection/…  the connection ends; `app/errors.py` has the close code of each
        ├── HelloExpected         connection/hello_expected
        ├── HelloTooLate          connection/hello_too_late
        ├── SlowReader            connection/slow_reader
        ├── ServerFull            connection/full
        └── ServerStops           connection/server_stops

What the store refuses comes as `CommitRefused` with a code of its own, listed in `app/store/errors.py`. Which HTTP
status and which close code each of them gets stands in `app/errors.py` alone.
"""

from __future__ import annotations

from engine.rules.errors import Refusal


class RequestRefused(Refusal):
    code = "request/refused"


class NotFound(RequestRefused):
    code = "request/not_found"


class MethodNotAllowed(RequestRefused):
    code = "request/method_not_allowed"


class BadJson(RequestRefused):
    code = "request/bad_json"


class BadBody(RequestRefused):
    """Fields: `errors`, each `at` (where, by name) and `reason` as a word; never what was sent."""

    code = "request/bad_body"


class TooLarge(RequestRefused):
    """Fields: `max_bytes`."""

    code = "request/too_large"


class AccountRefused(Refusal):
    code = "account/refused"


class BadName(AccountRefused):
    """Fields: `min_chars`, `max_chars`, and `reason` as a word: `length`, `letters` or `reserved`."""

    code = "account/bad_name"


class BadPassword(AccountRefused):
    """Fields: `min_chars`, `max_chars`."""

    code = "account/bad_password"


class NotOfAge(AccountRefused):
    """Nobody plays here below that age. Fields: `min_age`."""

    code = "account/not_of_age"


class WrongLogin(AccountRefused):
    """The name or the password is wrong; which of both is not told."""

    code = "account/wrong_login"


class NotLoggedIn(AccountRefused):
    """There is no token, or one that is unknown or has run out."""

    code = "account/not_logged_in"


class HashingBusy(AccountRefused):
    """Too many logins at once; nothing was done, and it may be tried again later."""

    code = "account/busy"


class NoSuchTable(Refusal):
    code = "table/not_found"


class TooManySeats(Refusal):
    """The player sits at as many tables as one may. Fields: `max_tables`."""

    code = "table/too_many_seats"


class NoSuchHand(Refusal):
    code = "hand/not_found"


class HandRuns(Refusal):
    """A hand is history when it is over; until then it is followed at its table."""

    code = "hand/running"


class HandArchived(Refusal):
    """What happened in the hand has left the server for an archive; its result is still in one's list."""

    code = "hand/archived"


class FrameRefused(Refusal):
    code = "frame/refused"


class BinaryFrame(FrameRefused):
    """Frames are text."""

    code = "frame/binary"


class BadFrameJson(FrameRefused):
    code = "frame/bad_json"


class UnknownFrameType(FrameRefused):
    """The frame's `type` is none that a client may send."""

    code = "frame/unknown_type"


class BadFrameField(FrameRefused):
    """A field is missing, too many, of another type or out of range. Fields: `at`, the path to it where it is known."""

    code = "frame/bad_field"


class BadCommandId(FrameRefused):
    """The command's id is missing or not what an id may be. Fields: `max_chars`."""

    code = "frame/bad_command_id"


class FrameTooLarge(FrameRefused):
    """Fields: `max_bytes`."""

    code = "frame/too_large"


class TooManyFrames(FrameRefused):
    """The frame was not read. Fields: `retry_after_ms`."""

    code = "frame/too_many"


class UnexpectedHello(FrameRefused):
    """A connection says `hello` once."""

    code = "frame/unexpected_hello"


class ConnectionRefused(Refusal):
    code = "connection/refused"


class HelloExpected(ConnectionRefused):
    """The first frame was no `hello`."""

    code = "connection/hello_expected"


class HelloTooLate(ConnectionRefused):
    """Fields: `max_wait_ms`."""

    code = "connection/hello_too_late"


class SlowReader(ConnectionRefused):
    """The client read too slowly, and too much waited for it."""

    code = "connection/slow_reader"


class ServerFull(ConnectionRefused):
    code = "connection/full"


class ServerStops(ConnectionRefused):
    code = "connection/server_stops"
