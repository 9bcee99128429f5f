"""Creating, changing and listing accounts. Accounts are disabled, never removed: the log refers to them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from linnet.annotate.accounts.devices import forget_devices
from linnet.annotate.accounts.names import account_key
from linnet.annotate.accounts.passwords import hashed
from linnet.annotate.refusals import Conflict, NotFound
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import SignIn, User

__all__ = ["ADMIN", "any_user", "change_user", "create_user", "find_user", "list_users", "set_password"]

ADMIN = "admin"


def any_user(session: Session) -> bool:
    """Whether any account exists."""
    return session.scalar(select(User.id).limit(1)) is not None


def find_user(session: Session, name: str) -> User | None:
    """The account of a name, in any case and any Unicode form."""
    return session.scalars(select(User).where(User.key == account_key(name))).one_or_none()


def list_users(session: Session) -> Sequence[User]:
    """All accounts by name."""
    return session.scalars(select(User).order_by(User.key)).all()


def create_user(session: Session, name: str, password_hash: str, role: str, *, by: str) -> User:
    """A new account. Raises Conflict if the name is taken."""
    if find_user(session, name):
        raise Conflict(f"An account '{name}' already exists. Choose another name.")
    user = User(key=account_key(name), name=name, role=role, active=True, password=password_hash)
    session.add(user)
    session.flush()
    log(session, "account.create", by=by, changes={"name": name, "role": role})
    return user


def change_user(
    session: Session,
    name: str,
    *,
    by: str,
    role: str | None = None,
    active: bool | None = None,
    password: str | None = None,
) -> User:
    """Change what is not None. A new password, or disabling the account, ends its sessions.

    Raises NotFound, and Conflict if no admin would be left.
    """
    user = find_user(session, name)
    if user is None:
        raise NotFound(f"There is no account '{name}'.")
    changes: dict[str, object] = {"name": user.name}
    if role is not None and role != user.role:
        changes["role"] = [user.role, role]
        user.role = role
    if active is not None and active != user.active:
        changes["active"] = [user.active, active]
        user.active = active
    if password is not None:
        changes["password"] = "new"
        user.password = hashed(password)
    session.flush()
    admins = select(func.count()).select_from(User).where(User.role == ADMIN, User.active)
    if not session.scalar(admins):
        raise Conflict("This is the last active admin. Make somebody else an admin first.")
    if password is not None or not user.active:
        session.execute(delete(SignIn).where(SignIn.user_id == user.id))
        forget_devices(session, user)
    if len(changes) > 1:
        log(session, "account.change", by=by, changes=changes)
    return user


def set_password(session: Session, user: User, password: str, *, keep: str) -> None:
    """Set a user's own new password; all sessions end but that of digest `keep`."""
    user.password = hashed(password)
    session.execute(delete(SignIn).where(SignIn.user_id == user.id, SignIn.digest != keep))
    log(session, "account.change", by=user.name, changes={"name": user.name, "password": "new"})
