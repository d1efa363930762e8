"""PokerKit's side of a hand: its `State`, fed with our cards and actions one by one.

Where the house's rules allow what PokerKit's do not, PokerKit is bent: for the length of one action, public fields of
its state are set so that it takes it. Only its permission is bent; whose turn it is, chips, pots and hands stay its
own, so the hand can be followed to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pokerkit import (
    Automation,
    BettingStructure,
    Card,
    Deck,
    FixedLimitSevenCardStud,
    Mode,
    Opening,
    StandardHighHand,
    State,
    Street,
)

from engine.rules.cards import DECK
from engine.rules.variants import Variant
from tests.oracle.betting_log import MOST_WAGERS, PokerKitMemory
from tests.oracle.differences import Mismatch, Terms

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
"""All but the cards, which we deal, and the players' own actions."""

CARDS: dict[str, Card] = {card: next(Card.parse(card)) for card in DECK}

TOKEN_BRING_IN = 1
"""PokerKit wants a bring-in below the bet. Where ours is the bet, this one stands for it and is never posted."""


def new_state(variant: Variant, stacks: Sequence[int], *, automations: tuple[Automation, ...] = AUTOMATIONS) -> State:
    """PokerKit's hand of this game, players clockwise from the dealer's left, antes posted as far as automated."""
    if variant.game == "stud7":
        return FixedLimitSevenCardStud.create_state(
            automations,
            True,  # noqa: FBT003 - PokerKit's own signature: an ante that no one matched goes back
            variant.ante_chips,
            variant.bring_in_chips,
            variant.small_bet_chips,
            variant.big_bet_chips,
            tuple(stacks),
            len(stacks),
            mode=Mode.CASH_GAME,
        )
    if variant.bring_in_is_bet and variant.small_bet_chips <= TOKEN_BRING_IN:
        raise ValueError("PokerKit plays no five-card stud at this stake: no bring-in is below the bet")
    return State(
        automations,
        Deck.STANDARD,
        (StandardHighHand,),
        _five_card_streets(variant),
        BettingStructure.FIXED_LIMIT,
        True,  # noqa: FBT003 - as above
        variant.ante_chips,
        0,
        TOKEN_BRING_IN if variant.bring_in_is_bet else variant.bring_in_chips,
        tuple(stacks),
        len(stacks),
        mode=Mode.CASH_GAME,
    )


def _five_card_streets(variant: Variant) -> tuple[Street, ...]:
    """Down and up, then three more up; the low card opens, later the high hand."""
    deals = ((False, True), (True,), (True,), (True,))
    bets = (variant.small_bet_chips,) * 2 + (variant.big_bet_chips,) * 2
    return tuple(
        Street(
            number > 0,
            deal,
            0,
            False,  # noqa: FBT003 - PokerKit's own signature: nobody draws
            Opening.HIGH_HAND if number else Opening.LOW_CARD,
            bet_chips,
            MOST_WAGERS,
        )
        for number, (deal, bet_chips) in enumerate(zip(deals, bets, strict=True))
    )


class PokerKitHand:
    """A running hand of PokerKit's. Players go by their index, clockwise from the dealer's left."""

    def __init__(self, variant: Variant, stacks: Sequence[int]) -> None:
        self._bet_by_bring_in = variant.bring_in_is_bet
        self.state = new_state(variant, stacks)

    @property
    def actor(self) -> int | None:
        return self.state.actor_index

    @property
    def running(self) -> bool:
        """Whether the hand still has cards to come or turns to take: its pots are not yet being pushed."""
        return self.state.status and self.state.street_index is not None

    def terms(self) -> Terms:
        """What PokerKit offers to its actor."""
        state = self.state
        actor = state.actor_index
        if actor is None:
            raise Mismatch("PokerKit asks nobody")
        pay = state.checking_or_calling_amount
        bring_in = state.effective_bring_in_amount
        least, most = (
            state.min_completion_betting_or_raising_to_amount,
            state.max_completion_betting_or_raising_to_amount,
        )
        if least != most:
            raise Mismatch("PokerKit leaves the size of a wager open")
        wagers_to = () if least is None else (least,)
        if self._bet_by_bring_in and bring_in is not None:
            bring_in, wagers_to = least, ()
        return Terms(
            fold=state.can_fold(),
            check=pay == 0,
            call_to=state.bets[actor] + pay if pay else None,
            bring_in_to=bring_in,
            wagers_to=wagers_to,
        )

    def pots(self) -> list[tuple[int, tuple[int, ...]]]:
        """Amounts of the pots with the indexes of those who claim them, the main pot first."""
        return [(pot.amount, tuple(pot.player_indices)) for pot in self.state.pots]

    def fold(self) -> None:
        self.state.fold()

    def fold_unforced(self) -> None:
        """Fold in the place of a bring-in; whoever comes next has to open."""
        self.state.bring_in_status = False
        self.state.fold()
        self.state.bring_in_status = self.actor is not None

    def check_or_call(self) -> None:
        self.state.check_or_call()

    def check_unasked(self) -> None:
        """Let the last player with chips, who owes nothing, pass a turn that our rules do not give him."""
        self.state.bring_in_status = False
        self.state.check_or_call()

    def bring_in(self) -> None:
        if self._bet_by_bring_in:
            self.state.complete_bet_or_raise_to()
        else:
            self.state.post_bring_in()

    def wager(self, to_chips: int) -> None:
        self.state.complete_bet_or_raise_to(to_chips)

    def wager_freely(self, to_chips: int, memory: PokerKitMemory, *, is_call: bool = False) -> None:
        """Take a wager of any size, as no-limit does; `memory` is what PokerKit is to remember of the round after it.

        With `is_call`, it is a call of a price that PokerKit does not know.
        """
        state = self.state
        kept = state.betting_structure, state.streets, state.completion_status
        street_index = state.street_index
        if street_index is None:
            raise Mismatch("PokerKit's betting is over")
        free = replace(state.streets[street_index], min_completion_betting_or_raising_amount=1)
        state.betting_structure = BettingStructure.NO_LIMIT
        state.streets = (*state.streets[:street_index], free, *state.streets[street_index + 1 :])
        state.completion_status = True
        state.completion_betting_or_raising_amount = state.completion_betting_or_raising_count = 0
        state.consecutive_short_all_in_amounts.clear()
        state.complete_bet_or_raise_to(to_chips)
        state.betting_structure, state.streets, completing = kept
        if is_call:
            state.completion_status = completing
        state.completion_betting_or_raising_amount = memory.largest_chips
        state.completion_betting_or_raising_count = memory.count
        state.consecutive_short_all_in_amounts[:] = memory.short_chips
        state.acted_player_indices.clear()
        state.acted_player_indices.update(memory.acted)

    def turn_to(self, index: int) -> None:
        """Let another player open the round."""
        actors = self.state.actor_indices
        actors.rotate(-actors.index(index))
        self.state.opener_index = index

    @property
    def wants_burn(self) -> bool:
        return self.state.card_burning_status

    @property
    def wants_common_card(self) -> bool:
        return any(self.state.board_dealing_counts)

    def burn(self, card: str | None) -> None:
        """Burn this card; None is a burn that PokerKit wants and our rules leave out."""
        self.state.burn_card(Card.UNKNOWN if card is None else CARDS[card])

    def deal(self, card: str) -> tuple[int, bool]:
        """Deal to whoever is next; gives who that was and whether the card lies face up."""
        dealt = self.state.deal_hole(CARDS[card])
        return dealt.player_index, dealt.statuses[0]

    def deal_common(self, card: str) -> None:
        """Deal one card for all, whatever PokerKit meant to deal."""
        for pending in self.state.hole_dealing_statuses:
            pending.clear()
        self.state.board_dealing_counts[0] = 1
        self.state.deal_board(CARDS[card])
