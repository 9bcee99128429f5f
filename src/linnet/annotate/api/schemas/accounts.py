"""Accounts and sessions."""

from __future__ import annotations

from datetime import datetime

from linnet.annotate.api.schemas.base import Body, Name, Password, Reply
from linnet.annotate.domain.states import AccountRole

__all__ = [
    "Account",
    "AccountChange",
    "Credentials",
    "NewAccount",
    "PasswordChange",
    "ReservedName",
    "Session",
    "Status",
]


class Credentials(Body):
    """A name and its password."""

    name: Name
    password: Password


class NewAccount(Credentials):
    """An account to create. returning: of a reserved name, for the person whose work is under it."""

    role: AccountRole = AccountRole.ANNOTATOR
    returning: bool = False


class AccountChange(Body):
    """Changes of an account by an admin; omitted values stay. A new password ends the account's sessions and API tokens."""

    role: AccountRole | None = None
    active: bool | None = None
    password: Password | None = None


class PasswordChange(Body):
    """A user's own new password, which ends all their other sessions."""

    old: Password
    new: Password


class Account(Reply):
    """An account, as admins see it."""

    name: str
    role: AccountRole
    active: bool
    created: datetime


class ReservedName(Reply):
    """A name under which there is work, though no account has it. reason: removed, or restored with a project."""

    name: str
    reason: str
    created: datetime
    created_by: str


class Session(Reply):
    """The signed-in user."""

    name: str
    role: AccountRole
    csrf: str
    expires: datetime


class Status(Reply):
    """Public information."""

    version: str
    set_up: bool
    session: Session | None
