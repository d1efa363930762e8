"""The replies that the SDK reads are the ones that the server describes, field by field."""

from __future__ import annotations

import msgspec
import pytest
from pydantic import BaseModel

from app.accounts.schemas import LoggedInBody, PlayerBody
from app.errors import ErrorBody
from app.history.schemas import HandHistory as ToldHand
from app.history.schemas import MyHandBody, MyHandsBody
from app.history.schemas import PastEvent as ToldEvent
from app.lobby.schemas import (
    ClocksBody,
    RakeBody,
    RulesBody,
    SeatBody,
    StreetBody,
    TableBody,
    TableDetailBody,
    TablesBody,
)
from app.wallet.schemas import CurrencyBody, EntriesBody, EntryBody, RefilledBody, RefillTermsBody, WalletBody
from avenue_sdk import replies

PAIRS: list[tuple[type[msgspec.Struct], type[BaseModel] | type[msgspec.Struct]]] = [
    (replies.Player, PlayerBody),
    (replies.LoggedIn, LoggedInBody),
    (replies.Currency, CurrencyBody),
    (replies.RefillTerms, RefillTermsBody),
    (replies.Wallet, WalletBody),
    (replies.LedgerEntry, EntryBody),
    (replies.LedgerPage, EntriesBody),
    (replies.Refilled, RefilledBody),
    (replies.TableLine, TableBody),
    (replies.TableLines, TablesBody),
    (replies.Street, StreetBody),
    (replies.RakeRule, RakeBody),
    (replies.Rules, RulesBody),
    (replies.Clocks, ClocksBody),
    (replies.SeatLine, SeatBody),
    (replies.TableDetail, TableDetailBody),
    (replies.MyHand, MyHandBody),
    (replies.HandsPage, MyHandsBody),
    (replies.PastEvent, ToldEvent),
    (replies.HandHistory, ToldHand),
    (replies.ErrorReply, ErrorBody),
]


@pytest.mark.parametrize(("reply", "body"), PAIRS)
def test_every_field_that_is_read_is_told(
    reply: type[msgspec.Struct], body: type[BaseModel] | type[msgspec.Struct]
) -> None:
    read = {field.name for field in msgspec.structs.fields(reply)}
    told = set(body.__struct_fields__ if issubclass(body, msgspec.Struct) else body.model_fields)
    assert read <= told
    # What a table's line says of buying in is said again, as a body of its own, with its details.
    assert told - read <= {"buy_in"}


def test_a_login_does_not_show_its_token() -> None:
    player = replies.Player(id="p", name="Ada", kind="player")
    assert repr(replies.LoggedIn(player=player, token="secret", expires_at_ms=1)) == "<LoggedIn>"
