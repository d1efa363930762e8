"""Refusals, each with a stable code: what a player or operator may not do, told apart from faults of our own.

    AvenueError
    ├── Refusal                       the asker's fault: nothing has changed, the code says why
    │   ├── ActionRefused             action/…   a wish that the rules of the running hand do not allow
    │   │   ├── NoHandRunning         action/no_hand
    │   │   ├── StaleHand             action/stale_hand
    │   │   ├── NotInHand             action/not_in_hand
    │   │   ├── NotYourTurn           action/not_your_turn
    │   │   ├── StaleTurn             action/stale_turn
    │   │   ├── ActionNotOffered      action/not_offered
    │   │   └── WrongAmount           action/wrong_amount
    │   ├── TableRefused              table/…    see `engine/table/errors.py`
    │   └── BadVariant                variant/bad_value
    └── Fault                         ours: never blamed on the player, and it changes nothing either
        └── LawBroken                 fault/law_broken

Every refusal carries fields that a client can act on; sentences for people are made by the clients.
"""

from __future__ import annotations

from typing import Any, ClassVar


class AvenueError(Exception):
    """Root of all that this project raises on purpose; `code` is stable, `fields` hold plain JSON values."""

    code: ClassVar[str] = "avenue/error"

    def __init__(self, **fields: Any) -> None:
        super().__init__(self.code)
        self.fields: dict[str, Any] = fields


class Refusal(AvenueError):
    """The asker asked for what is not allowed. The state is as it was before."""

    code = "refusal/refused"


class Fault(AvenueError):
    """Our own mistake or broken surroundings. Fields must never hold a card, a key or a token."""

    code = "fault/internal"


class LawBroken(Fault):
    """A law of the house does not hold (chips made or lost, a pot without a claimant): the hand cannot go on."""

    code = "fault/law_broken"


class ActionRefused(Refusal):
    code = "action/refused"


class NoHandRunning(ActionRefused):
    code = "action/no_hand"


class StaleHand(ActionRefused):
    """Fields: `hand`, the hand that runs now."""

    code = "action/stale_hand"


class NotInHand(ActionRefused):
    code = "action/not_in_hand"


class NotYourTurn(ActionRefused):
    """Fields: `to_act`, the seats that may act now."""

    code = "action/not_your_turn"


class StaleTurn(ActionRefused):
    """Fields: `turn`, the number of the turn that this seat has now."""

    code = "action/stale_turn"


class ActionNotOffered(ActionRefused):
    """The rules offer no such action on this turn. Fields: `options`, the actions that they do offer."""

    code = "action/not_offered"


class WrongAmount(ActionRefused):
    """The action is offered, but not at this price: it is never changed to fit. Fields: `options`, as above."""

    code = "action/wrong_amount"


class BadVariant(Refusal):
    """A game's data contradict themselves. Fields: `field`, and `reason` as a word."""

    code = "variant/bad_value"
