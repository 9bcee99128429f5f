"""Accounts and sessions."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from linnet.annotate.api.schemas.base import Body, Name, Password, Reply

__all__ = [
    "Account",
    "AccountChange",
    "Credentials",
    "NewAccount",
    "PasswordChange",
    "ReservedName",
    "Role",
    "Session",
    "Status",
]


class Role(StrEnum):
    """admin: everything. annotator: what their roles in projects allow."""

    ADMIN = "admin"
    ANNOTATOR = "annotator"


class Credentials(Body):
    """A name and its password."""

    name: Name
    password: Password


class NewAccount(Credentials):
    """An account to create. returning: of a reserved name, for the person whose work is under it."""

    role: Role = Role.ANNOTATOR
    returning: bool = False


class AccountChange(Body):
    """Changes of an account by an admin; omitted values stay. A new password ends the account's sessions and API tokens."""

    role: Role | None = None
    active: bool | None = None
    password: Password | None = None


class PasswordChange(Body):
    """A user's own new password, which ends all their other sessions."""

    old: Password
    new: Password


class Account(Reply):
    """An account, as admins see it."""

    name: str
    role: Role
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
    role: Role
    csrf: str
    expires: datetime


class Status(Reply):
    """Public information."""

    version: str
    set_up: bool
    session: Session | None
