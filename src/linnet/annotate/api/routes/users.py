"""Accounts, for admins."""

from __future__ import annotations

from fastapi import APIRouter

from linnet.annotate.accounts.passwords import hashed
from linnet.annotate.accounts.users import change_user, create_user, list_users
from linnet.annotate.api.access import AdminOnly, Shared
from linnet.annotate.api.schemas.accounts import Account, AccountChange, NewAccount
from linnet.annotate.api.schemas.base import Name

__all__ = ["router"]

router = APIRouter(prefix="/users", tags=["accounts"])


@router.get("")
def users(tool: Shared, who: AdminOnly) -> list[Account]:
    """All accounts by name."""
    with tool.database.read() as session:
        return [Account.model_validate(user) for user in list_users(session)]


@router.post("", status_code=201)
def new_user(tool: Shared, who: AdminOnly, body: NewAccount) -> Account:
    """Create an account."""
    password = hashed(body.password)
    with tool.database.write() as session:
        return Account.model_validate(create_user(session, body.name, password, body.role, by=who.name))


@router.patch("/{name}")
def changed_user(tool: Shared, who: AdminOnly, name: Name, body: AccountChange) -> Account:
    """Change the role or password of an account, or switch it off."""
    with tool.database.write() as session:
        user = change_user(
            session, name, by=who.name, role=body.role, active=body.active, password=body.password
        )
        return Account.model_validate(user)
