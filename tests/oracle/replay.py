"""One hand through both engines at once: every turn compared, every card dealt to both, the stacks at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from engine.rules import stud
from engine.rules.actions import Action, BringIn, Call, Check, Fold, Option, Options, SeatNo, Wager
from engine.rules.cards import DECK, RANK_OF
from engine.rules.errors import AvenueError
from engine.rules.events import (
    BetsCollected,
    CardBurnt,
    CardDealt,
    CommonCardDealt,
    HandEnded,
    HandEvent,
    HandId,
    HandSeat,
    PlayerId,
    Pot,
    PotAwarded,
    RoundOpened,
    Share,
)
from engine.rules.stud_hand import HandPlayer
from tests.cases.play import words
from tests.oracle.betting_log import (
    Act,
    BettingLog,
    HouseWager,
    PokerKitMemory,
    covered,
    house_terms,
    house_wagers,
    pokerkit_terms,
)
from tests.oracle.deal_log import DealLog, Laid
from tests.oracle.differences import Difference, Mismatch, Terms
from tests.oracle.plans import Plan, Players
from tests.oracle.pokerkit_hand import PokerKitHand


@dataclass
class Played:
    """What came of a hand: `turns` counts the turns compared, `differences` the times that a rule was met.

    `mismatch` says where the engines part against the rules, and `tokens` are the actions up to there.
    """

    plan: Plan
    turns: int = 0
    bent: int = 0
    differences: Counter[Difference] = field(default_factory=Counter)
    tokens: list[str] = field(default_factory=list)
    events: list[HandEvent] = field(default_factory=list)
    free_folds: int = 0
    mismatch: str | None = None


def play(plan: Plan, players: Players) -> Played:
    """Play the hand in both engines; never raises for what either of them does, but says it in `mismatch`."""
    played = Played(plan)
    try:
        _Replay(plan, players, played).run()
    except (Mismatch, AvenueError, ValueError, AssertionError) as fault:
        # PokerKit refuses by ValueError, and asserts what it takes for granted.
        played.mismatch = f"{type(fault).__name__}: {fault}"
    return played


def start_hand(plan: Plan) -> tuple[stud.StudHand, list[HandEvent]]:
    """Our own hand of the plan."""
    seats = [
        HandSeat(seat=seat, player=PlayerId(f"p{seat}"), name=f"Seat {seat}", stack_chips=chips)
        for seat, chips in plan.stacks.items()
    ]
    return stud.start(hand=HandId(plan.name), variant=plan.variant, dealer=plan.dealer, seats=seats, deck=plan.deck)


class _Replay:
    def __init__(self, plan: Plan, players: Players, played: Played) -> None:
        self.players = players
        self.played = played
        self.hand, self.opening_events = start_hand(plan)
        stacks = [player.start_chips for player in self.hand.players]
        self.theirs = PokerKitHand(plan.variant, stacks)
        self.index_of = {player.seat: index for index, player in enumerate(self.hand.players)}
        self.log: BettingLog | None = None
        self.pots: tuple[Pot, ...] = ()
        self.street_dealt: int | None = None
        self.deal_log = DealLog(plan.deck)
        self.to_come: list[Laid] = []
        self.awards: dict[int, tuple[Share, ...]] = {}
        self.compared_to_the_end = False

    def run(self) -> None:
        self._follow(self.opening_events)
        while not self.hand.over:
            self._turn()
        if not self.compared_to_the_end:
            raise Mismatch("our hand is over without having ended")

    def _turn(self) -> None:
        legal = stud.legal(self.hand)
        if len(legal) != 1 or self.log is None:
            raise Mismatch(f"one seat is to act, not {list(legal)}")
        ((seat, options),) = legal.items()
        theirs = self._compare(self.log, seat, options)
        action = self.players(seat, options)
        self.played.tokens.append(f"{seat}:{_word(options, action)}")
        able = _able_after(self.hand, seat, action)
        self._tell(self.log, self.index_of[seat], action, theirs)
        events = stud.apply(self.hand, seat, action)
        self.played.events.append(events[0])
        if len(events) > 1 and self.theirs.actor is not None:
            self._settle_last(self.log, able)
        self._follow(events[1:])

    def _compare(self, log: BettingLog, seat: SeatNo, options: Options) -> Terms:
        """Hold a turn against PokerKit's, and give PokerKit's terms."""
        self.played.turns += 1
        players, index = self.hand.players, self.index_of[seat]
        actor = self.theirs.actor
        if actor != index:
            raise Mismatch(f"seat {seat} is to act, by PokerKit {_seat_at(players, actor)}")
        self._compare_chips(log)
        ours = _our_terms(players[index], options, house_wagers(log, players, index))
        by_the_rules = house_terms(log, players, index)
        if ours != by_the_rules:
            raise Mismatch(f"seat {seat} may {ours}, by the rules {by_the_rules}")
        expected, differences = pokerkit_terms(ours, log, players, index)
        theirs = self.theirs.terms()
        if theirs != expected:
            raise Mismatch(f"seat {seat} may {ours}, PokerKit offers {theirs} where it should offer {expected}")
        self.played.differences.update(differences)
        return theirs

    def _compare_chips(self, log: BettingLog) -> None:
        for index, player in enumerate(self.hand.players):
            untold = log.untold.get(index, 0)
            ours = player.stack_chips, player.round_chips
            theirs = self.theirs.state.stacks[index] - untold, self.theirs.state.bets[index] + untold
            if ours != theirs:
                raise Mismatch(f"seat {player.seat} has {ours} behind and in the round, by PokerKit {theirs}")

    def _tell(self, log: BettingLog, index: int, action: Action, terms: Terms) -> None:
        """Have PokerKit do what our player does, bent where it does not offer that, and note it in the round's log."""
        player = self.hand.players[index]
        to_chips = getattr(action, "to_chips", player.round_chips)
        all_in = to_chips == player.round_chips + player.stack_chips
        match action:
            case Fold():
                self.played.free_folds += terms.check
                log.acts.append(Act(index, "pass", to_chips, all_in))
                if terms.fold:
                    self.theirs.fold()
                else:
                    self.played.bent += 1
                    self.theirs.fold_unforced()
            case Check():
                log.acts.append(Act(index, "pass", to_chips, all_in))
                self.theirs.check_or_call()
            case BringIn():
                log.acts.append(Act(index, "bring_in", to_chips, all_in))
                self.theirs.bring_in()
            case Call():
                self._put_in(log, Act(index, "pass", to_chips, all_in), terms, offered=to_chips == terms.call_to)
            case _:
                self._put_in(log, Act(index, "wager", to_chips, all_in), terms, offered=to_chips in terms.wagers_to)

    def _put_in(self, log: BettingLog, act: Act, terms: Terms, *, offered: bool) -> None:
        is_call = act.kind == "pass"
        level_chips = PokerKitMemory(log).level_chips
        if offered:
            log.acts.append(act)
            if is_call:
                self.theirs.check_or_call()
            else:
                self.theirs.wager(act.to_chips)
            return
        self.played.bent += 1
        if covered(self.hand.players, act.index, level_chips):
            log.acts.append(act)
            self.theirs.wager_freely(act.to_chips, PokerKitMemory(log), is_call=is_call)
        elif terms.call_to is not None:
            # Nobody can call the rest, so it comes back: PokerKit need not know of it.
            log.acts.append(msgspec.structs.replace(act, known=False))
            log.untold[act.index] = act.to_chips - terms.call_to
            self.theirs.check_or_call()
        else:
            raise Mismatch(f"PokerKit cannot take the wager to {act.to_chips}")

    def _settle_last(self, log: BettingLog, able: list[int]) -> None:
        """Our round is over while PokerKit still asks somebody: that may only be the last one who has chips."""
        actor = self.theirs.actor
        if actor is None or able != [actor]:
            raise Mismatch(f"our round is over, PokerKit asks {_seat_at(self.hand.players, actor)}")
        terms = self.theirs.terms()
        if terms.wagers_to or terms.call_to is not None or self.theirs.state.bets[actor] < log.price_chips():
            raise Mismatch(f"our round is over, PokerKit offers the last player {terms}")
        self.played.differences[Difference.LAST_NOT_ASKED] += 1
        self.played.bent += 1
        self.theirs.check_unasked()

    def _follow(self, events: Sequence[HandEvent]) -> None:
        """Deal to PokerKit what we have dealt, and see that it stands where we stand."""
        for event in events:
            self.played.events.append(event)
            match event:
                case BetsCollected():
                    self.pots = event.pots
                case CardBurnt():
                    self._lay(event.street, Laid("burnt", event.card))
                    self.theirs.burn(event.card)
                case CardDealt():
                    self._lay(event.street, Laid("dealt", event.card))
                    ours = self.index_of[event.seat], event.face == "up"
                    theirs = self.theirs.deal(event.card)
                    if ours != theirs:
                        raise Mismatch(f"a card goes to player and lies up as {ours}, by PokerKit {theirs}")
                case CommonCardDealt():
                    self._lay(event.street, Laid("common", event.card))
                    self.theirs.deal_common(event.card)
                case RoundOpened():
                    self._open_round(event)
                case PotAwarded():
                    self.awards[event.pot] = event.shares
                case HandEnded():
                    self._compare_end(event)
                case _:
                    pass

    def _lay(self, street: int, laid: Laid) -> None:
        """See that this is the card to come, and at a street's first that PokerKit is ready for it."""
        if street != self.street_dealt:
            if self.to_come:
                raise Mismatch(f"street {self.street_dealt} has too few cards")
            self.street_dealt = street
            self._begin_street(street)
        if not self.to_come or self.to_come.pop(0) != laid:
            raise Mismatch(f"street {street} has another card to come than the one {laid.way}")
        if laid.way != "burnt" and self.theirs.wants_burn:
            self.theirs.burn(None)

    def _begin_street(self, number: int) -> None:
        """Hold the pots and the way of dealing against PokerKit's, which with a short stub deals folded cards again."""
        if not self.theirs.running or self.theirs.actor is not None:
            raise Mismatch(f"we deal street {number}, PokerKit is not ready to")
        pots = [(pot.amount_chips, tuple(self.index_of[seat] for seat in pot.seats)) for pot in self.pots]
        if number != self.hand.variant.streets[0].number and pots != self.theirs.pots():
            raise Mismatch(f"pots are {pots}, by PokerKit {self.theirs.pots()}")
        street = next(street for street in self.hand.variant.streets if street.number == number)
        needed = len(self.hand.live()) * len(street.deal)
        folded_cards = sum(len(player.cards) for player in self.hand.players if player.folded)
        left = len(self.deal_log.stub) + len(self.deal_log.burns) + folded_cards
        if self.theirs.wants_common_card != (left < needed):
            raise Mismatch(f"PokerKit deals {needed} cards otherwise than from {left}")
        self.to_come = self.deal_log.street(street, players=len(self.hand.live()))
        if self.deal_log.short:
            self.played.differences[Difference.SHORT_DECK] += 1

    def _open_round(self, event: RoundOpened) -> None:
        street = next(street for street in self.hand.variant.streets if street.number == event.street)
        live = self.hand.live()
        boards = {player.seat: _ranks_up(player) for player in live}
        open_pair = street.open_pair_doubles and any(len({*ranks}) < len(ranks) for ranks in boards.values())
        low_card = min(live, key=lambda player: DECK.index(player.board()[0]))
        forced = street.number == self.hand.variant.streets[0].number and low_card.stack_chips > 0
        self.log = log = BettingLog(self.hand.variant, street, open_pair=open_pair, forced=forced)
        if not event.betting:
            return
        ours = event.open_pair, event.forced, event.small_chips, event.big_chips
        expected = open_pair, forced, log.small_chips, log.big_chips
        if ours != expected:
            raise Mismatch(f"open pair, forced, small and big bet are {ours}, by the rules {expected}")
        if self.hand.common is not None:
            self._compare_opener(event.seat, RANK_OF[self.hand.common], boards)

    def _compare_opener(self, seat: SeatNo, common_rank: int, boards: Mapping[SeatNo, list[int]]) -> None:
        """Hold the opener against the boards with the common card, and PokerKit's against the boards without it."""
        players = self.hand.players
        ours = max(boards, key=lambda one: _strength_up([*boards[one], common_rank]))
        theirs = max(boards, key=lambda one: _strength_up(boards[one]))
        ours_index, theirs_index = (_first_with_chips(players, self.index_of[best]) for best in (ours, theirs))
        if (self.index_of[seat], self.theirs.actor) != (ours_index, theirs_index):
            expected = f"expected {_seat_at(players, ours_index)} and {_seat_at(players, theirs_index)}"
            raise Mismatch(f"seat {seat} opens, by PokerKit {_seat_at(players, self.theirs.actor)}: {expected}")
        if ours_index != theirs_index:
            self.played.differences[Difference.COMMON_CARD_SPEAKS] += 1
            self.played.bent += 1
            self.theirs.turn_to(ours_index)

    def _compare_end(self, event: HandEnded) -> None:
        if self.theirs.state.status:
            raise Mismatch("our hand is over and PokerKit's is not")
        ours = {result.seat: result.stack_chips for result in event.results}
        theirs = {player.seat: self.theirs.state.stacks[index] for index, player in enumerate(self.hand.players)}
        apart, together = (self._stacks_by_pots(ours, merging=merging) for merging in (False, True))
        if ours != apart:
            raise Mismatch(f"stacks are {ours}, by the rules {apart}")
        if theirs != together:
            raise Mismatch(f"stacks are {ours}, by PokerKit {theirs} where they should be {together}")
        if ours != theirs:
            self.played.differences[Difference.POTS_MERGED] += 1
        self.compared_to_the_end = True

    def _stacks_by_pots(self, ours: Mapping[SeatNo, int], *, merging: bool) -> dict[SeatNo, int]:
        """Our final stacks with the pots split anew among their winners, the odd chips to the nearest of them.

        With `merging`, neighbouring pots are one where the same seats claim them once beaten hands are gone.
        """
        winners = {share.seat for shares in self.awards.values() for share in shares}
        stacks = dict(ours)
        merged: list[tuple[list[SeatNo], list[SeatNo], int]] = []
        for number, pot in enumerate(self.pots):
            won = {share.seat: share.amount_chips for share in self.awards.get(number, ())}
            for seat, chips in won.items():
                stacks[seat] -= chips
            claiming = [seat for seat in pot.seats if seat in winners]
            before_chips = merged.pop()[2] if merging and merged and merged[-1][0] == claiming else 0
            merged.append((claiming, [seat for seat in pot.seats if seat in won], before_chips + pot.amount_chips))
        for _, sharing, amount_chips in merged:
            for place, seat in enumerate(sharing):
                stacks[seat] += amount_chips // len(sharing) + (amount_chips % len(sharing) if place == 0 else 0)
        return stacks


def _our_terms(player: HandPlayer, options: Options, house: tuple[HouseWager, ...]) -> Terms:
    """Our options as terms, once each is found sound in itself and the wagers are what the rules say."""
    by_kind: dict[type[Action], Option] = {type(option.action): option for option in options}
    wagers: list[HouseWager] = []
    for option in options:
        to_chips = getattr(option.action, "to_chips", player.round_chips)
        added_chips = to_chips - player.round_chips
        if option.added_chips != added_chips or option.all_in != (0 < added_chips == player.stack_chips):
            raise Mismatch(f"seat {player.seat}: an option adds {option.added_chips}, it should add {added_chips}")
        if isinstance(option.action, Wager):
            wagers.append(HouseWager(type(option.action), to_chips, full=option.full))
    if tuple(wagers) != house:
        raise Mismatch(f"seat {player.seat} may wager {_listed(wagers)}, by the rules {_listed(house)}")
    call, bring_in = by_kind.get(Call), by_kind.get(BringIn)
    return Terms(
        fold=Fold in by_kind,
        check=Check in by_kind,
        call_to=None if call is None else player.round_chips + call.added_chips,
        bring_in_to=None if bring_in is None else bring_in.added_chips,
        wagers_to=tuple(wager.to_chips for wager in wagers),
    )


def _able_after(hand: stud.StudHand, seat: SeatNo, action: Action) -> list[int]:
    """Indexes of the unfolded players who have chips once this action is done, before anything follows from it."""
    behind = {index: player.stack_chips for index, player in enumerate(hand.players) if not player.folded}
    index = next(index for index, player in enumerate(hand.players) if player.seat == seat)
    player = hand.players[index]
    behind[index] -= getattr(action, "to_chips", player.round_chips) - player.round_chips
    return [place for place, chips in behind.items() if chips and not (place == index and isinstance(action, Fold))]


def _listed(wagers: Sequence[HouseWager]) -> str:
    return ", ".join(f"{one.verb.__name__}({one.to_chips}, full={one.full})" for one in wagers) or "nothing"


def _word(options: Options, action: Action) -> str:
    return next(word for word, offered in words(options).items() if offered == action)


def _seat_at(players: Sequence[HandPlayer], index: int | None) -> str:
    return "nobody" if index is None else f"seat {players[index].seat}"


def _first_with_chips(players: Sequence[HandPlayer], start: int) -> int:
    order: list[int] = [*range(start, len(players)), *range(start)]
    return next(index for index in order if players[index].stack_chips and not players[index].folded)


def _ranks_up(player: HandPlayer) -> list[int]:
    return [RANK_OF[card] for card in player.board()]


def _strength_up(ranks: Sequence[int]) -> tuple[list[int], list[int]]:
    """Up to five exposed ranks as a value that is bigger for the better board: what repeats, then the ranks."""
    grouped = sorted(((ranks.count(rank), rank) for rank in {*ranks}), reverse=True)
    return [times for times, _ in grouped], [rank for _, rank in grouped]
