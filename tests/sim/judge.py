"""The judge of a simulated world. He believes nothing that the server says and reads for himself what stands in SQL.

Whenever a frame leaves the server he first reads what the database holds by now, tells each table's chronicle, and then
looks at the frame: whatever is shown must stand there already, be true, and hold no card that its reader may not see.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, deque
from typing import TYPE_CHECKING, Any

import msgspec

from app.wire.server import Ack, Error, Events, GoingOn, Paused, ServerFrame, Snapshot
from engine.rules.actions import SeatNo
from engine.rules.cards import HIDDEN, Card
from engine.rules.events import CardBurnt, CardDealt, HandStarted, PlayerId
from engine.table.events import ClockResumed, TimeBankStarted, TurnOpened, TurnTimedOut
from engine.table.state import TableState, evolve, opened
from engine.table.views import table_view
from tests.engine.table.desk import fingerprint
from tests.sim.chronicle import Chronicle, Effect
from tests.sim.laws import (
    ACKED,
    ALL_BACK,
    ANSWERED,
    AUDIT,
    CENSUS,
    CENSUS_LOGS,
    CHIPS_RAKE,
    CHIPS_SEATS,
    CHIPS_SUM,
    CHIPS_WALLETS,
    COMPLAINTS,
    DURABLE,
    EFFECTS,
    FAIR_CLOCKS,
    FAULTS,
    FOLD,
    GOES_ON,
    KEPT,
    LIVE_STATE,
    PREFIX,
    RECOVERED,
    SAME_ANSWER,
    SEQ_FRAMES,
    SEQ_HOLE,
    STALE,
    TRUE_FRAMES,
    Laws,
)
from tests.sim.player import ANSWERED_WITHIN_US, RETRIED
from tests.sim.records import Records, TableRows
from tests.sim.tempers import SECOND

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from avenue_sdk.messages import ClientFrame
    from avenue_sdk.state import TableState as SeenState
    from engine.table.actor import TableActor
    from engine.table.events import AnyEvent, TableId
    from engine.table.ports import FaultReport
    from tests.sim.player import Session
    from tests.sim.process import Process
    from tests.sim.wire import Line
    from tests.sim.world import World

PLANTED = frozenset(
    {
        # What the disk says, and what the store and the actor make of it.
        "OperationalError",
        "CommitFailed",
        "CommitUnknown",
        "StoreClosed",
        # A commit's answer that was lost on the way to its table.
        "ConnectionResetError",
    }
)
"""The faults that worlds plant, by the class that the fault log is told."""

LOST_UNSEEN_MS = 1_500
"""What a turn may lose with each trouble: the last sign of life is up to a second old, short delays are not owed."""

CARD = re.compile(r'"([2-9TJQKA][cdhs])"')
LOOSE_CARD = re.compile(r"(?<![\w-])[2-9TJQKA][cdhs](?![\w-])")
_FRAMES: msgspec.json.Decoder[ServerFrame] = msgspec.json.Decoder(ServerFrame)


class Book:
    """What the judge knows of one table: its state folded from SQL, its chronicle, and who was answered what."""

    def __init__(self, laws: Laws) -> None:
        self.state: TableState | None = None
        self.chronicle = Chronicle(laws)
        self.events: list[AnyEvent] = []
        self.answers: dict[tuple[str, str], int] = {}
        self.answers_read = 0
        self.acked: dict[tuple[str, str], int] = {}
        self.lives = 0
        """How often the table was brought back: what it refused is forgotten then."""
        self.refused: dict[tuple[str, str], tuple[int, str]] = {}
        self.turns: dict[SeatNo, tuple[int, int, int, int]] = {}
        """Of each seat's turn when it was opened, by both clocks, its own time and its time bank."""
        self.standing_since_us: int | None = None
        self.stood: deque[tuple[int, int]] = deque(maxlen=100)
        """When the table could not be played at, as its players were told or found out."""
        self.trail = hashlib.blake2b(digest_size=16)
        self.frames: dict[str, tuple[ServerFrame, frozenset[Card]]] = {}

    def stands_still(self, now_us: int) -> None:
        if self.standing_since_us is None:
            self.standing_since_us = now_us

    def goes_on(self, now_us: int) -> None:
        if self.standing_since_us is not None:
            self.stood.append((self.standing_since_us, max(self.standing_since_us, now_us)))
            self.standing_since_us = None

    def stood_since(self, us: int, now_us: int) -> tuple[int, int]:
        """For how long it has stood still since a moment, and how often."""
        spans = [span for span in self.stood if span[1] >= us]
        if self.standing_since_us is not None:
            spans.append((self.standing_since_us, now_us))
        return sum(end - max(begin, us) for begin, end in spans), len(spans)


class Judge:
    """Looks at everything that leaves the server, and at what it leaves behind."""

    def __init__(self, world: World) -> None:
        self.laws = Laws()
        self.books: dict[TableId, Book] = {}
        self.seen: Counter[str] = Counter()
        self.digest = hashlib.blake2b(digest_size=16)
        self._world = world
        self._wished: dict[tuple[str, TableId, str], ClientFrame] = {}
        self._records: Records | None = None
        self._dice = world.dice("judge")
        self._logs = 0

    @property
    def hands(self) -> int:
        """How many hands have ended, finished or not."""
        return sum(book.chronicle.ended + book.chronicle.cancelled for book in self.books.values())

    # What the world tells.

    def wished(self, player: PlayerId, table: TableId, frame: ClientFrame) -> None:
        """A player sends a command."""
        command_id: str = frame.id  # type: ignore[union-attr]
        self._wished[player, table, command_id] = frame
        self.seen[f"command: {frame.__struct_config__.tag}"] += 1

    def follow(self, process: Process) -> None:
        """Read from the files that this process has."""
        if self._records is not None:
            self._records.close()
        self._records = Records(process.path, sealing_keys=self._world.sealing_keys)

    def process_opened(self, process: Process) -> None:
        """A process says that it is open: everything must be back."""
        there = sorted(room.table for room in process.rooms)
        open_tables = sorted(self._read().open_tables())
        self.laws.hold(ALL_BACK, there == open_tables, there=len(there), open=len(open_tables))
        for table in there:
            self._catch_up(table)

    def recovered(self, process: Process, actor: TableActor) -> None:
        """A table was brought back from its journal, after a restart or a breakdown."""
        table = actor.state.table
        self.seen["recovery of a table"] += 1
        book = self._catch_up(table)
        book.lives += 1
        assert book.state is not None
        same = fingerprint(actor.state) == fingerprint(book.state)
        self.laws.hold(RECOVERED, same, table=table, process=process.number, seq=actor.state.seq, sql=book.state.seq)
        rows = self._read().rows(table, after_seq=max(0, book.state.seq - 200))
        self.laws.hold(PREFIX, rows.events == book.events[-len(rows.events) :], table=table, seq=book.state.seq)
        self._answers_are_kept(table, book)

    def lives_on(self, process: Process) -> None:
        """Lay every table in the memory of a process beside its journal."""
        for room in process.rooms:
            self._look_at_memory(process, room.table)

    def frame(self, line: Line, text: str) -> None:
        """A frame leaves the server."""
        try:
            self._frame(line, text)
        except Exception as error:
            # It goes up through the server's code, which may take it for one of its own mistakes.
            self.laws.broken = self.laws.broken or error
            raise

    def _frame(self, line: Line, text: str) -> None:  # noqa: C901 - one branch a frame
        world, table = self._world, line.table
        self.digest.update(b"%d %d %b\n" % (world.time.now_us, line.number, text.encode()))
        book = self.books.get(table)
        if book is None:
            return
        known = book.frames.get(text)
        if known is None:
            known = _FRAMES.decode(text), frozenset(Card(card) for card in CARD.findall(text))
            if isinstance(known[0], Events):
                book.frames[text] = known
        frame, cards = known
        viewer = None if line.viewer is None else line.viewer.player
        match frame:
            case Events():
                self._events_frame(line, book, frame, viewer)
            case Snapshot():
                self._snapshot(line, book, frame, viewer)
            case Ack():
                assert viewer is not None
                self._ack(line, book, frame, viewer)
            case Error():
                self._error(line, book, frame, viewer)
            case Paused():
                book.stands_still(world.time.now_us)
            case GoingOn():
                book.goes_on(world.time.now_us)
        if cards:
            seen = book.chronicle.cards_of(viewer, seq=_last_seq_of(frame))
            self.laws.hold(CENSUS, cards <= seen, table=table, reader=viewer, cards=len(cards - seen))
        else:
            self.laws.checked[CENSUS] += 1

    def folded(self, table: TableId, player: PlayerId, seen: SeenState) -> None:
        """A player has folded what he heard; now and then it is laid beside what a snapshot would say."""
        state = self.books[table].state
        if state is None or state.seq != seen.seq or self._dice.random() >= self._world.care:
            return
        snapshot = msgspec.json.encode(table_view(state, player))
        self.laws.hold(FOLD, msgspec.json.encode(seen.table) == snapshot, table=table, player=player, seq=seen.seq)

    def answered(self, session: Session, seq: int) -> None:
        """A player hears over his line that a command is done: he must have heard of what it did before."""
        if session.seen is not None:
            seen_seq = session.seen.seq
            self.laws.hold(SEQ_FRAMES, seen_seq >= seq, table=session.table, seen=seen_seq, acked=seq)

    def heard_refusal(self, code: str) -> None:
        """A player hears that something was refused."""
        self.seen[f"refusal: {code}"] += 1

    def fault(self, process: Process, fault: FaultReport) -> None:
        """The server reports a fault of its own at a table."""
        self.seen[f"fault: {fault.error}"] += 1
        told = msgspec.json.encode(fault).decode()
        self.laws.hold(CENSUS_LOGS, LOOSE_CARD.search(told) is None, table=fault.table)
        planted = fault.error in PLANTED or (fault.error == "StaleOwner" and process is not self._world.process)
        self.laws.hold(
            FAULTS, planted, error=fault.error, code=fault.code, command=fault.command, where=fault.where[-4:]
        )

    def server_gone(self) -> None:
        """The process is dead or has ended: no table can be played at."""
        for book in self.books.values():
            book.stands_still(self._world.time.now_us)

    def logged(self, entries: list[MutableMapping[str, Any]]) -> None:
        """What the server has logged since the last time."""
        for entry in entries[self._logs :]:
            told = " ".join(f"{value!r} {value}" for value in entry.values())
            self.laws.hold(CENSUS_LOGS, LOOSE_CARD.search(told) is None, event=entry.get("event"))
        self._logs = len(entries)

    # Frames.

    def _events_frame(self, line: Line, book: Book, frame: Events, viewer: PlayerId | None) -> None:
        expected, after = line.expects_seq, frame.seq + len(frame.events)
        self.laws.hold(SEQ_FRAMES, expected == frame.seq, table=line.table, expected=expected, got=frame.seq)
        line.expects_seq = after
        if book.chronicle.seq < after - 1:
            self._catch_up(line.table)
            self.laws.hold(
                DURABLE, book.chronicle.seq >= after - 1, table=line.table, shown=after - 1, sql=book.chronicle.seq
            )
            self._sometimes(line.process, line.table)
        for shown, stands in zip(frame.events, book.events[frame.seq - 1 : after - 1], strict=True):
            if shown != stands:
                own = isinstance(stands, CardDealt) and book.chronicle.is_dealt_to(viewer, stands.seat, seq=after - 1)
                self._redacted(line, shown, stands, own=own)

    def _redacted(self, line: Line, shown: AnyEvent, stands: AnyEvent, *, own: bool) -> None:
        """What differs between a shown event and the journal's may be a hidden card and the deck, and nothing else."""
        match shown, stands:
            case HandStarted(), HandStarted():
                same = shown.deck == () and msgspec.structs.replace(stands, deck=()) == shown
            case CardDealt(), CardDealt():
                hidden = msgspec.structs.replace(stands, card=HIDDEN) == shown
                same = hidden and stands.face == "down" and not own
            case CardBurnt(), CardBurnt():
                same = msgspec.structs.replace(stands, card=HIDDEN) == shown
            case _:
                same = False
        self.laws.hold(TRUE_FRAMES, same, table=line.table, shown=type(shown).__name__, stands=type(stands).__name__)

    def _snapshot(self, line: Line, book: Book, frame: Snapshot, viewer: PlayerId | None) -> None:
        seq = frame.table.seq
        if book.chronicle.seq < seq:
            self._catch_up(line.table)
        self.laws.hold(DURABLE, book.chronicle.seq >= seq, table=line.table, shown=seq, sql=book.chronicle.seq)
        line.expects_seq = seq + 1
        if frame.paused is None:
            book.goes_on(self._world.time.now_us)
        else:
            book.stands_still(self._world.time.now_us)
        if book.state is not None and book.state.seq == seq:
            same = frame.table == table_view(book.state, viewer)
            self.laws.hold(TRUE_FRAMES, same, table=line.table, shown="snapshot", seq=seq)

    def _ack(self, line: Line, book: Book, frame: Ack, player: PlayerId) -> None:
        key = (player, frame.id)
        if key not in book.answers:
            self._catch_up(line.table)
        facts = {"table": line.table, "player": player, "command": frame.id, "seq": frame.seq}
        self.laws.hold(ACKED, book.answers.get(key) == frame.seq, **facts, sql=book.answers.get(key))
        self.laws.hold(DURABLE, book.chronicle.seq >= frame.seq, **facts)
        self.laws.hold(SAME_ANSWER, book.acked.setdefault(key, frame.seq) == frame.seq, **facts)
        refused = book.refused.get(key)
        again = refused is not None and refused[0] == book.lives
        self.laws.hold(SAME_ANSWER, not again, **facts, refused=refused)

    def _error(self, line: Line, book: Book, frame: Error, viewer: PlayerId | None) -> None:
        if frame.id is None or viewer is None or frame.code.startswith(("fault/", "frame/")):
            return
        if frame.code in RETRIED:
            return
        key = (viewer, frame.id)
        facts = {"table": line.table, "player": viewer, "command": frame.id, "code": frame.code}
        self.laws.hold(SAME_ANSWER, key not in book.acked, **facts)
        life, code = book.refused.get(key, (book.lives, frame.code))
        self.laws.hold(SAME_ANSWER, code == frame.code or life != book.lives, **facts, before=code)
        book.refused[key] = (book.lives, frame.code)

    # What stands in SQL.

    def _read(self) -> Records:
        assert self._records is not None
        return self._records

    def _catch_up(self, table: TableId) -> Book:
        """Read what the database holds by now of a table, and tell its chronicle."""
        book = self.books.get(table)
        if book is None:
            book = self.books[table] = Book(self.laws)
        rows = self._read().rows(table, after_seq=book.chronicle.seq)
        self._tell(table, book, rows)
        self._lay_answers_beside_effects(table, book)
        if book.chronicle.money_moved:
            book.chronicle.money_moved = False
            self._money(table, book)
        if rows.events:
            book.frames.clear()
        return book

    def _tell(self, table: TableId, book: Book, rows: TableRows) -> None:
        for seq, at_ms, event in zip(rows.seqs, rows.times_ms, rows.events, strict=True):
            book.chronicle.take(seq, at_ms, event)
            if book.state is None:
                book.state = opened(event, at_ms)  # type: ignore[arg-type]  # a table's first event opens it
            else:
                evolve(book.state, event, at_ms)
            book.events.append(event)
            book.trail.update(b"%d %d %b\n" % (seq, at_ms, msgspec.json.encode(event)))
            self.seen[type(event).__name__] += 1
            self._clocks_are_fair(table, book, event)
        last_seq = self._read().last_seq(table)
        self.laws.hold(SEQ_HOLE, last_seq == book.chronicle.seq, table=table, head=last_seq, journal=book.chronicle.seq)

    def _clocks_are_fair(self, table: TableId, book: Book, event: AnyEvent) -> None:
        """A turn's own time and its bank last as long as they say, not counting what was lost meanwhile."""
        now_us = self._world.time.now_us
        match event:
            case TurnOpened():
                for turn in event.turns:
                    assert book.state is not None
                    config = book.state.config
                    book.turns[turn.seat] = now_us, book.state.at_ms, config.turn_ms, turn.time_bank_ms
            case TimeBankStarted() | TurnTimedOut():
                assert book.state is not None
                since_us, since_ms, turn_ms, bank_ms = book.turns[event.seat]
                due_ms = turn_ms if isinstance(event, TimeBankStarted) else turn_ms + bank_ms
                lost_us, times = book.stood_since(since_us, now_us)
                # What happened while nobody could look is read late, all at once: then its own times count.
                had_ms = max((now_us - since_us) // 1_000, book.state.at_ms - since_ms) - lost_us // 1_000
                facts = {"table": table, "seq": book.chronicle.seq, "had_ms": had_ms, "due_ms": due_ms}
                fair = had_ms >= due_ms - 1_200 - LOST_UNSEEN_MS * times
                self.laws.hold(FAIR_CLOCKS, fair, **facts, troubles=times)
            case ClockResumed():
                # A process that is frozen right after it can tell nobody yet, but its clocks run.
                assert book.state is not None
                resumed_us = self._world.moment_of(book.state.at_ms)
                book.goes_on(now_us if resumed_us is None else min(now_us, resumed_us))
            case _:
                pass

    def complaints(self, process: Process) -> None:
        """A process has ended in order: asyncio must have nothing to say about it."""
        self.laws.hold(COMPLAINTS, not process.loop.complaints, complaints=process.loop.complaints[:3])

    def _lay_answers_beside_effects(self, table: TableId, book: Book) -> None:
        """Every effect that came since must be the one of an accepted command, and the other way round."""
        effects = Counter(book.chronicle.effects)
        book.chronicle.effects.clear()
        answers = self._read().answers(table, after_number=book.answers_read)
        for number, player, command_id, seq in answers:
            book.answers_read = number
            key = (player, command_id)
            facts = {"table": table, "player": player, "command": command_id, "seq": seq}
            self.laws.hold(EFFECTS, key not in book.answers, **facts, reason="answered twice")
            book.answers[key] = seq
            frame = self._wished.get((player, table, command_id))
            self.laws.hold(EFFECTS, frame is not None, **facts, reason="nobody asked")
            assert frame is not None
            effect = effect_of(player, frame)
            if effects[effect] > 0:
                effects[effect] -= 1
            else:
                idle = effect.kind in {"sit_in", "sit_out"}
                self.laws.hold(EFFECTS, idle, **facts, reason="no effect", kind=effect.kind)
        left = [f"{effect.player} {effect.kind}" for effect, times in effects.items() if times > 0]
        self.laws.hold(EFFECTS, not left, table=table, seq=book.chronicle.seq, without_answer=left)

    def _money(self, table: TableId, book: Book) -> None:
        """Lay the ledger beside the chronicles: this table's seats, the players' wallets, the rake, and everything."""
        records = self._read()
        seats = {player: chips for player, chips in book.chronicle.seat_accounts().items() if chips}
        booked = records.seat_accounts(table)
        self.laws.hold(CHIPS_SEATS, seats == booked, table=table, seq=book.chronicle.seq, seats=seats, booked=booked)
        self.laws.hold(CHIPS_SUM, records.sum_of_accounts() == 0, table=table, seq=book.chronicle.seq)
        others_are_read = all(
            other is book or records.last_seq(name) == other.chronicle.seq for name, other in self.books.items()
        )
        if not others_are_read:
            return
        rake = sum(other.chronicle.rake_chips for other in self.books.values())
        self.laws.hold(CHIPS_RAKE, records.rake() == rake, booked=records.rake(), counted=rake)
        for player in book.chronicle.wallets_touched():
            given = records.given(player)
            away = sum(other.chronicle.wallet_chips.get(player, 0) for other in self.books.values())
            wallet = records.wallet(player)
            self.laws.hold(CHIPS_WALLETS, wallet == given - away, player=player, wallet=wallet, given=given, away=away)

    def _answers_are_kept(self, table: TableId, book: Book) -> None:
        """The latest acknowledged commands must be in SQL with the answer that was given."""
        for (player, command_id), seq in list(book.acked.items())[-200:]:
            kept = self._read().answer(table, player, command_id)
            self.laws.hold(KEPT, kept == seq, table=table, player=player, command=command_id, acked=seq, sql=kept)

    def _sometimes(self, process: Process, table: TableId) -> None:
        if self._dice.random() < self._world.care:
            self._look_at_memory(process, table)
        if self._dice.random() < self._world.audits:
            self.audit()

    def _look_at_memory(self, process: Process, table: TableId) -> None:
        actor = process.rooms.actor_of(table)
        book = self.books[table]
        if actor is not None and book.state is not None and actor.state.seq == book.state.seq:
            same = fingerprint(actor.state) == fingerprint(book.state)
            self.laws.hold(LIVE_STATE, same, table=table, seq=book.state.seq)

    def audit(self) -> None:
        """Add everything up by the server's own audit."""
        found = self._read().audit()
        self.laws.hold(AUDIT, not found, differences=[f"{one.what} {one.where} {one.figures}" for one in found[:5]])

    # From time to time, and at the end.

    def look_around(self, process: Process, *, quiet_us: int) -> None:
        """While nothing has been out of order for so long: clocks ring, hands are dealt, and everyone is answered."""
        now_ms, slack_ms = process.clock.now_ms(), 30_000
        if quiet_us < 2 * slack_ms * 1_000:
            return
        for room in process.rooms:
            actor = process.rooms.actor_of(room.table)
            self.laws.hold(GOES_ON, actor is not None, table=room.table, reason="it has no actor")
            assert actor is not None
            state = actor.state
            due = [turn.deadline_ms + turn.time_bank_ms for turn in state.turns.values()]
            if state.ready_since_ms is not None:
                due.append(state.ready_since_ms + state.config.pause_ms)
            late_ms = max((now_ms - slack_ms - one for one in due), default=-1)
            self.laws.hold(GOES_ON, late_ms < 0, table=room.table, late_ms=late_ms)
            ahead_ms = max((one - now_ms for one in due), default=0)
            longest_ms = state.config.turn_ms + state.config.time_bank_ms + state.config.pause_ms + slack_ms
            self.laws.hold(GOES_ON, ahead_ms <= longest_ms, table=room.table, ahead_ms=ahead_ms)
        if quiet_us > ANSWERED_WITHIN_US:
            for session in self._world.sessions():
                self._nobody_waits(session)

    def _nobody_waits(self, session: Session) -> None:
        for wish in session.wishes.values():
            if session.line is not None and wish.line == session.line.number and session.line.alive:
                waited_s = (self._world.time.now_us - wish.at_us) // SECOND
                facts = {"table": session.table, "player": session.player.id, "waited_s": waited_s}
                self.laws.hold(
                    ANSWERED, waited_s < ANSWERED_WITHIN_US // SECOND, **facts, frame=wish.frame.__struct_config__.tag
                )

    def count_of_tables(self) -> int:
        return len(self._read().open_tables())

    def committed(self, process: Process, table: TableId) -> None:
        """A process believes that a commit of its own stands: it must own the table."""
        if process is not self._world.process:
            owner = self._read().owner(table)
            self.laws.hold(STALE, owner == process.writer.epoch, table=table, owner=owner, epoch=process.writer.epoch)

    def close(self) -> None:
        if self._records is not None:
            self._records.close()

    def closing(self) -> None:
        """Everything once more, at the end: from the first row on."""
        for table, book in self.books.items():
            self._catch_up(table)
            rows = self._read().rows(table, after_seq=0)
            self.laws.hold(
                PREFIX, rows.events == book.events, table=table, rows=len(rows.events), told=len(book.events)
            )
            replayed = opened(rows.events[0], rows.times_ms[0])  # type: ignore[arg-type]  # see `_tell`
            for at_ms, event in zip(rows.times_ms[1:], rows.events[1:], strict=True):
                evolve(replayed, event, at_ms)
            assert book.state is not None
            self.laws.hold(RECOVERED, fingerprint(replayed) == fingerprint(book.state), table=table, seq=replayed.seq)
            self._answers_are_kept(table, book)
            self._money(table, book)
            finished, cancelled = self._read().outcomes(table)
            counted = (book.chronicle.ended, book.chronicle.cancelled)
            self.laws.hold(
                PREFIX, (finished, cancelled) == counted, table=table, sql=(finished, cancelled), told=counted
            )
            self.digest.update(book.trail.digest())
        self.audit()
        self.digest.update(self._read().dump())


def _last_seq_of(frame: ServerFrame) -> int:
    """The last event that a frame can know of; other frames than these two have no cards to show."""
    match frame:
        case Events():
            return frame.seq + len(frame.events) - 1
        case Snapshot():
            return frame.table.seq
        case _:
            return 0


def effect_of(player: str, frame: ClientFrame) -> Effect:
    """What a command does if it is accepted."""
    told: dict[str, Any] = msgspec.to_builtins(frame)
    kind = told["type"]
    match kind:
        case "sit":
            return Effect(player, kind, (told["buy_in_chips"],))
        case "top_up":
            return Effect(player, kind, (told["added_chips"],))
        case "act":
            action = told["action"]
            return Effect(player, kind, (told["hand"], told["turn"], action["verb"], action.get("to_chips")))
        case _:
            return Effect(player, kind)
