"""The wallet over REST."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from app.access import provided
from app.accounts.asker import Asker
from app.errors import documented
from app.schemas import PageRows
from app.wallet.schemas import EntriesBody, RefillBody, RefilledBody, WalletBody
from app.wallet.service import Wallets
from engine.limits import MAX_CHIPS

router = APIRouter(prefix="/api/wallet", tags=["wallet"])

WalletsHere = Annotated[Wallets, Depends(provided(Wallets))]


@router.get("", responses=documented("account/not_logged_in"))
async def my_wallet(asker: Asker, wallets: WalletsHere) -> WalletBody:
    return await wallets.wallet(asker.id)


@router.get("/entries", responses=documented("account/not_logged_in"))
async def my_entries(
    asker: Asker,
    wallets: WalletsHere,
    limit: PageRows = 50,
    before: Annotated[int | None, Query(ge=1, le=MAX_CHIPS)] = None,
) -> EntriesBody:
    """The lines of one's wallet in the ledger, the newest first; `before` is the last page's `next`."""
    return await wallets.entries(asker.id, before=before, limit=limit)


@router.post(
    "/refills",
    status_code=201,
    responses=documented("account/not_logged_in", "wallet/refill_not_needed", "wallet/refill_too_soon"),
)
async def refill(body: RefillBody, asker: Asker, wallets: WalletsHere) -> RefilledBody:
    """Ask for chips when one has run low."""
    return await wallets.refill(asker.id, body.id)
