"""Accounts, for admins."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from linnet.annotate.api.access import App, CurrentAdmin, in_person
from linnet.annotate.api.schemas.accounts import Account, AccountChange, NewAccount, ReservedName
from linnet.annotate.api.schemas.base import Name
from linnet.annotate.domain.accounts.passwords import hashed
from linnet.annotate.domain.accounts.reserved import list_reserved
from linnet.annotate.domain.accounts.users import change_user, create_user, list_users, remove_user

__all__ = ["router"]

router = APIRouter(prefix="/users", tags=["accounts"])


@router.get("")
def users(app: App, user: CurrentAdmin) -> list[Account]:
    """List all accounts by name."""
    with app.database.read() as session:
        return [Account.model_validate(account) for account in list_users(session)]


@router.post("", status_code=201, dependencies=[Depends(in_person)])
def new_user(app: App, user: CurrentAdmin, body: NewAccount) -> Account:
    """Create an account, or bring one back."""
    password = hashed(body.password)
    with app.database.write() as session:
        account = create_user(session, body.name, password, body.role, by=user.name, returning=body.returning)
        return Account.model_validate(account)


@router.get("/reserved")
def reserved_names(app: App, user: CurrentAdmin) -> list[ReservedName]:
    """List the names that no new account may take, because there is work under them."""
    with app.database.read() as session:
        return [ReservedName.model_validate(row) for row in list_reserved(session)]


@router.patch("/{name}", dependencies=[Depends(in_person)])
def changed_user(app: App, user: CurrentAdmin, name: Name, body: AccountChange) -> Account:
    """Change the role or password of an account, or disable it."""
    with app.database.write() as session:
        account = change_user(
            session, name, by=user.name, role=body.role, active=body.active, password=body.password
        )
        return Account.model_validate(account)


@router.delete("/{name}", status_code=204, dependencies=[Depends(in_person)])
def removed_user(app: App, user: CurrentAdmin, name: Name) -> None:
    """Remove an account. Its sheets, annotations and log entries stay under its name, which nobody else can take."""
    with app.database.write() as session:
        remove_user(session, name, by=user.name)
