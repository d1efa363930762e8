"""The laws of a simulated world by their names. A world that breaks one stops, and says which."""

from __future__ import annotations

from collections import Counter
from typing import Any


class LawBroken(AssertionError):
    """A law does not hold. `law` is its name, `facts` what was seen; never a card that is not public."""

    def __init__(self, law: str, **facts: Any) -> None:
        super().__init__(law)
        self.law = law
        self.facts = facts

    def __str__(self) -> str:
        return f"{self.law}: {', '.join(f'{name}={value!r}' for name, value in self.facts.items())}"


class Laws:
    """Counts how often each law was looked at, and remembers the first that was broken.

    It is raised where it is found, and once more by the world: it may be found in the middle of the server's own code,
    which takes it for a mistake like any other and goes on.
    """

    def __init__(self) -> None:
        self.checked: Counter[str] = Counter()
        self.broken: Exception | None = None

    def hold(self, law: str, holds: bool, **facts: Any) -> None:  # noqa: FBT001 - a checked condition, not a flag
        """Raise `LawBroken` unless it holds."""
        self.checked[law] += 1
        if not holds:
            broken = LawBroken(law, **facts)
            self.broken = self.broken or broken
            raise broken

    def raise_broken(self) -> None:
        if self.broken is not None:
            raise self.broken


CHIPS_STEP = "chips: every event moves what it says, and a stack is what was left of it"
CHIPS_HAND = "chips: a hand ends with nothing in play, and nets and rake sum to zero"
CHIPS_ODD = "chips: a pot is paid whole, in equal shares, the odd chips to the first"
CHIPS_SEATS = "chips: a seat's account holds what lies at the seat"
CHIPS_SUM = "chips: all accounts together sum to zero"
CHIPS_WALLETS = "chips: a wallet holds what it was given, less what lies at the tables"
CHIPS_RAKE = "chips: the rake's account holds the rake of all hands"
SEQ_HOLE = "seq: a table's events are numbered without a hole"
SEQ_FRAMES = "seq: a line gets every event once, in order, from its snapshot on"
DURABLE = "durable: nothing is shown before it stands in the journal"
TRUE_FRAMES = "views: what is shown is what stands in the journal"
FOLD = "views: a snapshot is the fold of the views before it"
CENSUS = "secrecy: no frame holds a card that its reader may not see"
CENSUS_LOGS = "secrecy: no log line and no fault report holds a card"
ACKED = "answers: what is acknowledged stands with its answer in SQL"
KEPT = "answers: what was acknowledged is there after every restart"
SAME_ANSWER = "answers: a command sent again gets the answer that it had"
ANSWERED = "answers: every command is answered as long as its line holds"
EFFECTS = "answers: every effect has its one answer, and every answer its one effect"
ONE_DEED = "turns: a turn ends once, by its act or by its silence"
DEADLINES = "turns: no clock rings for a turn that is over or still has time"
FAIR_CLOCKS = "turns: a clock stands while the server is away, and while it says that it is paused"
ONE_END = "hands: a hand ends once, finished or cancelled"
NONE_CANCELLED = "hands: none is cancelled while nothing of ours is broken"
DECK = "hands: cards are dealt from the top of the hand's own deck, each once"
RECOVERED = "recovery: a table comes back as its last commit left it"
PREFIX = "recovery: a restart changes nothing of what stood in the journal"
ALL_BACK = "recovery: every table comes back"
LIVE_STATE = "recovery: the table in memory is the fold of its journal"
FAULTS = "faults: nothing of ours breaks but what was planted"
COMPLAINTS = "faults: no exception is left that nobody looked at"
STALE = "faults: a stale owner commits nothing"
AUDIT = "audit: everything adds up"
GOES_ON = "world: tables with players play on"
