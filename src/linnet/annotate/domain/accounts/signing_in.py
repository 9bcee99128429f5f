"""Signing in with a password, and the first account."""

from __future__ import annotations

from linnet.annotate.domain.accounts.names import account_key
from linnet.annotate.domain.accounts.passwords import hashed, matches, needs_rehash
from linnet.annotate.domain.accounts.sessions import SignedIn, known_device
from linnet.annotate.domain.accounts.throttle import Attempt, Throttle
from linnet.annotate.domain.accounts.users import any_user, create_user, find_user, set_password
from linnet.annotate.domain.states import AccountRole
from linnet.annotate.refusals import Conflict, Forbidden, NotSignedIn
from linnet.annotate.store import Database
from linnet.annotate.store.tables import User

__all__ = ["change_own_password", "check_password", "first_account"]


def first_account(database: Database, name: str, password: str) -> User:
    """The first account, an admin. Raises Conflict if there is one."""
    with database.read() as session:
        _refuse_second(any_user(session))
    password = hashed(password)
    with database.write() as session:
        _refuse_second(any_user(session))
        return create_user(session, name, password, AccountRole.ADMIN, by=name)


def check_password(
    database: Database, throttle: Throttle, name: str, password: str, *, address: str, device: str
) -> User:
    """The account of a name and its password. device: token of the browser's cookie, "" without one.

    Raises NotSignedIn, and TooMany after too many wrong passwords; a browser known to the account is counted separately.
    """
    with database.read() as session:
        user = find_user(session, name)
        kept = user.password if user is not None and user.active else None
        known = known_device(session, user, device)
    attempt = Attempt(account_key(name), address, known)
    throttle.check(attempt)
    # Checked first, so that an unknown name takes as long as a wrong password.
    if not matches(kept, password) or user is None:
        throttle.failed(attempt)
        raise NotSignedIn("Wrong name or password.")
    throttle.succeeded(attempt)
    if kept and needs_rehash(kept):
        with database.write() as session:
            session.merge(user).password = hashed(password)
    return user


def change_own_password(database: Database, throttle: Throttle, user: SignedIn, old: str, new: str) -> None:
    """Change one's own password; all other sessions end. Raises Forbidden for a wrong old password, and TooMany."""
    attempt = Attempt(account_key(user.name), "", user.digest)  # a stolen session cannot lock out others
    throttle.check(attempt)
    with database.read() as session:
        account = find_user(session, user.name)
    if account is None or not matches(account.password, old):
        throttle.failed(attempt)
        raise Forbidden("The old password is wrong.")
    with database.write() as session:
        set_password(session, session.merge(account), new, keep=user.digest)


def _refuse_second(there_is_one: bool) -> None:
    if there_is_one:
        raise Conflict("The first account exists already. Sign in, or ask an admin for an account.")
