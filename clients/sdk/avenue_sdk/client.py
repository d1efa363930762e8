"""One player's access to a server: accounts, lobby, wallet and history over REST, and the way to the tables."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar
from urllib.parse import quote, urlsplit, urlunsplit

import httpx2
import msgspec

from avenue_sdk.errors import ConnectionLost, ProtocolBroken, Refused, Unanswered, refusal_of
from avenue_sdk.replies import (
    ErrorReply,
    HandHistory,
    HandsPage,
    LedgerPage,
    LoggedIn,
    Player,
    Refilled,
    TableDetail,
    TableLine,
    TableLines,
    Wallet,
)
from avenue_sdk.session import TableSession

if TYPE_CHECKING:
    from types import TracebackType

    from avenue_sdk.messages import Game, HandId, TableId
    from avenue_sdk.session import EventListener

ReplyT = TypeVar("ReplyT")


class Client:
    """A player, or a spectator before the login. Use it as `async with Client(url) as client:`.

    Every method asks the server once and raises `Refused` with its code, `ConnectionLost` or `Unanswered`. The token
    of a login stays in here; give one from before as `token`.
    """

    def __init__(self, url: str, *, token: str | None = None, timeout_s: float = 30) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._timeout_s = timeout_s
        self._http = httpx2.AsyncClient(base_url=self._url, timeout=timeout_s, trust_env=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._http.aclose()

    def __repr__(self) -> str:
        return f"<Client {self._url}>"

    async def register(self, name: str, password: str, *, of_age: bool) -> Player:
        """Make an account and log in. With `of_age` you give your word that you are as old as the house asks."""
        body = {"name": name, "password": password, "of_age": of_age}
        return self._logged_in(await self._ask("POST", "/api/accounts", LoggedIn, body=body))

    async def login(self, name: str, password: str) -> Player:
        return self._logged_in(
            await self._ask("POST", "/api/sessions", LoggedIn, body={"name": name, "password": password})
        )

    async def enter(self, name: str, password: str, *, of_age: bool = False) -> Player:
        """Log in; where the server does not take the login and you are `of_age`, register the name."""
        try:
            return await self.login(name, password)
        except Refused as refusal:
            if refusal.code != "account/wrong_login" or not of_age:
                raise
            try:
                return await self.register(name, password, of_age=of_age)
            except Refused as second:
                # The name was there, so it was the password that is wrong.
                raise (refusal if second.code == "account/name_taken" else second) from None

    async def logout(self) -> None:
        """End the login; the server knows the token no more."""
        await self._ask("DELETE", "/api/sessions/current", None)
        self._token = None

    async def whoami(self) -> Player:
        return await self._ask("GET", "/api/me", Player)

    async def balance(self) -> Wallet:
        """What is in the wallet, and when a refill may be asked for. Chips at tables are not in it."""
        return await self._ask("GET", "/api/wallet", Wallet)

    async def ledger(self, *, before: int | None = None, limit: int = 50) -> LedgerPage:
        """The wallet's lines, the newest first; `before` is the last page's `next`."""
        return await self._ask("GET", "/api/wallet/entries", LedgerPage, query={"before": before, "limit": limit})

    async def refill(self, *, request_id: str | None = None) -> Refilled:
        """Ask for chips when one has run low. With the same `request_id` it is done once, however often it is sent."""
        body = {"id": request_id or secrets.token_hex(12)}
        return await self._ask("POST", "/api/wallet/refills", Refilled, body=body)

    async def lobby(
        self,
        *,
        game: Game | None = None,
        min_small_bet_chips: int | None = None,
        max_small_bet_chips: int | None = None,
        min_free_seats: int = 0,
    ) -> tuple[TableLine, ...]:
        """The tables that are open, by game, stakes and name."""
        query = {
            "game": game,
            "min_small_bet_chips": min_small_bet_chips,
            "max_small_bet_chips": max_small_bet_chips,
            "min_free_seats": min_free_seats,
        }
        return (await self._ask("GET", "/api/tables", TableLines, query=query)).tables

    async def table_detail(self, table: TableId) -> TableDetail:
        """One table with its rules and who sits there."""
        return await self._ask("GET", f"/api/tables/{quote(table, safe='')}", TableDetail)

    async def find_table(self, wanted: str | None = None) -> TableId:
        """The id of the table with this id or name; by default of the first one with a free seat."""
        tables = await self.lobby(min_free_seats=1 if wanted is None else 0)
        for table in tables:
            if wanted is None or wanted in (table.id, table.name):
                return table.id
        raise Refused("table/not_found")

    async def hands(self, *, before: str | None = None, limit: int = 50) -> HandsPage:
        """The finished hands that I was dealt into, the newest first; `before` is the last page's `next`."""
        return await self._ask("GET", "/api/hands", HandsPage, query={"before": before, "limit": limit})

    async def hand(self, hand: HandId) -> HandHistory:
        """A finished hand with all its events, as I may see it."""
        return await self._ask("GET", f"/api/hands/{quote(hand, safe='')}", HandHistory)

    def table(self, table: TableId, *, on_event: EventListener | None = None) -> TableSession:
        """A table to play at or to watch: `async with client.table(table_id) as table:`."""
        scheme, host, path, _, _ = urlsplit(self._url)
        path = f"{path}/ws/tables/{quote(table, safe='')}"
        return TableSession(
            urlunsplit(("wss" if scheme == "https" else "ws", host, path, "", "")),
            headers=self._headers(),
            on_event=on_event,
            timeout_s=self._timeout_s,
        )

    async def _ask(
        self,
        method: Literal["GET", "POST", "DELETE"],
        path: str,
        reply: type[ReplyT] | None,
        *,
        query: dict[str, Any] | None = None,
        body: dict[str, Any] | None = None,
    ) -> ReplyT:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            answer = await self._http.request(method, path, params=given, json=body, headers=self._headers())
        except httpx2.TimeoutException as error:
            raise Unanswered(self._timeout_s) from error
        except httpx2.TransportError as error:
            raise ConnectionLost(reason=type(error).__name__) from error
        try:
            if answer.status_code >= 400:
                said = msgspec.json.decode(answer.content, type=ErrorReply)
                raise refusal_of(said.code, said.fields)
            return msgspec.json.decode(answer.content or b"null", type=reply)
        except msgspec.DecodeError as error:
            raise ProtocolBroken(
                f"{method} {path} was answered {answer.status_code} with what cannot be read"
            ) from error

    def _logged_in(self, told: LoggedIn) -> Player:
        self._token = told.token
        return told.player

    def _headers(self) -> dict[str, str]:
        return {} if self._token is None else {"Authorization": f"Bearer {self._token}"}
