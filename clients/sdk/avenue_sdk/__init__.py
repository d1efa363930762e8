"""Typed Python client for Avenue, a server for online stud poker.

`play` seats a bot that is a function; `Client` and `TableSession` are what it is made of.
"""

from avenue_sdk.client import Client
from avenue_sdk.errors import ConnectionLost, Outdated, ProtocolBroken, Refused, SdkError, ServerFault, Unanswered
from avenue_sdk.messages import Action, Bet, BringIn, Call, Check, Complete, Event, Fold, Option, Raise
from avenue_sdk.options import Options
from avenue_sdk.play import Played, play, play_turns
from avenue_sdk.ranking import Made, made
from avenue_sdk.session import TableSession
from avenue_sdk.state import HIDDEN, TableState

__all__ = [
    "HIDDEN",
    "Action",
    "Bet",
    "BringIn",
    "Call",
    "Check",
    "Client",
    "Complete",
    "ConnectionLost",
    "Event",
    "Fold",
    "Made",
    "Option",
    "Options",
    "Outdated",
    "Played",
    "ProtocolBroken",
    "Raise",
    "Refused",
    "SdkError",
    "ServerFault",
    "TableSession",
    "TableState",
    "Unanswered",
    "made",
    "play",
    "play_turns",
]
