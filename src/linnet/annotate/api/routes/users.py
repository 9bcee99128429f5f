"""Accounts, for admins."""

from __future__ import annotations

from fastapi import APIRouter

from linnet.annotate.accounts.passwords import hashed
from linnet.annotate.accounts.users import change_user, create_user, list_users
from linnet.annotate.api.access import App, CurrentAdmin
from linnet.annotate.api.schemas.accounts import Account, AccountChange, NewAccount
from linnet.annotate.api.schemas.base import Name

__all__ = ["router"]

router = APIRouter(prefix="/users", tags=["accounts"])


@router.get("")
def users(app: App, user: CurrentAdmin) -> list[Account]:
    """List all accounts by name."""
    with app.database.read() as session:
        return [Account.model_validate(account) for account in list_users(session)]


@router.post("", status_code=201)
def new_user(app: App, user: CurrentAdmin, body: NewAccount) -> Account:
    """Create an account."""
    password = hashed(body.password)
    with app.database.write() as session:
        return Account.model_validate(create_user(session, body.name, password, body.role, by=user.name))


@router.patch("/{name}")
def changed_user(app: App, user: CurrentAdmin, name: Name, body: AccountChange) -> Account:
    """Change the role or password of an account, or disable it."""
    with app.database.write() as session:
        account = change_user(
            session, name, by=user.name, role=body.role, active=body.active, password=body.password
        )
        return Account.model_validate(account)
