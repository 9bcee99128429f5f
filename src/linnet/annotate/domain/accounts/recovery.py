"""Set a new password without the old one: for anybody who can write the server's data."""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

from linnet.annotate.domain.accounts.users import change_user, find_user, list_users
from linnet.annotate.settings import Settings
from linnet.annotate.store import open_database
from linnet.errors import RequestError

__all__ = ["FEWEST", "Account", "find_account", "reset_password"]


FEWEST = 10  # characters of a password
_COMMAND_LINE = "command line"  # the user in the log


class Account(NamedTuple):
    """An account. active: may sign in."""

    name: str
    role: str
    active: bool


def find_account(settings: Settings, name: str) -> Account:
    """The account of a name. Raises RequestError if database or account do not exist, StoreError or MismatchError if the
    database cannot be used."""
    settings.check_database()
    with closing(open_database(settings.database_url)) as database, database.read() as session:
        user = find_user(session, name)
        if user is None:
            names = ", ".join(account.name for account in list_users(session)) or "none yet"
            raise RequestError(f"There is no account '{name}'. Accounts: {names}.")
        return Account(user.name, user.role, user.active)


def reset_password(settings: Settings, name: str, password: str) -> None:
    """Set an account's password and end its sessions. The server may be running.

    Raises RequestError for a password that is too short, and what `find_account` raises.
    """
    if len(password) < FEWEST:
        raise RequestError(
            f"The password has {len(password)} characters; expected at least {FEWEST}. Choose a longer one."
        )
    account = find_account(settings, name)
    with closing(open_database(settings.database_url)) as database, database.write() as session:
        change_user(session, account.name, by=_COMMAND_LINE, password=password)
