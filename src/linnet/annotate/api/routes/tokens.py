"""API tokens of the signed-in user."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from linnet.annotate.api.access import App, CurrentUser, in_person
from linnet.annotate.api.schemas.base import Id
from linnet.annotate.api.schemas.entrance import NewToken, NewTokenSecret, Token
from linnet.annotate.domain.accounts.tokens import list_tokens, make_token, withdraw_token

__all__ = ["router"]

router = APIRouter(prefix="/tokens", tags=["tokens"], dependencies=[Depends(in_person)])


@router.get("")
def tokens(app: App, user: CurrentUser) -> list[Token]:
    """List your API tokens, newest first."""
    with app.database.read() as session:
        return [Token.model_validate(row) for row in list_tokens(session, user)]


@router.post("", status_code=201)
def new_token(app: App, user: CurrentUser, body: NewToken) -> NewTokenSecret:
    """Make an API token; the answer is the only one that has it."""
    with app.database.write() as session:
        token, row = make_token(session, user, body.name, days=body.days, reads_only=body.reads_only)
        return NewTokenSecret.of(row, token=token)


@router.delete("/{token}", status_code=204)
def withdrawn_token(app: App, user: CurrentUser, token: Id) -> None:
    """Withdraw an API token: from now on it is refused."""
    with app.database.write() as session:
        withdraw_token(session, user, token)
