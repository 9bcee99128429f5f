"""Creating, changing, removing and listing accounts. What a removed account did stays under its name, which is reserved."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from linnet.annotate.domain.accounts.names import account_key
from linnet.annotate.domain.accounts.passwords import hashed
from linnet.annotate.domain.accounts.reserved import refuse_reserved, release, reserve
from linnet.annotate.domain.accounts.sessions import forget_devices
from linnet.annotate.domain.accounts.tokens import end_tokens
from linnet.annotate.domain.states import AccountRole
from linnet.annotate.refusals import Conflict, NotFound
from linnet.annotate.store.columns import now
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Invitation, Member, Project, SignIn, User

__all__ = [
    "any_user",
    "change_user",
    "create_user",
    "find_user",
    "list_users",
    "remove_user",
    "set_password",
]


def any_user(session: Session) -> bool:
    """Whether any account exists."""
    return session.scalar(select(User.id).limit(1)) is not None


def find_user(session: Session, name: str) -> User | None:
    """The account of a name, in any case and any Unicode form."""
    return session.scalars(select(User).where(User.key == account_key(name))).one_or_none()


def list_users(session: Session) -> Sequence[User]:
    """All accounts by name."""
    return session.scalars(select(User).order_by(User.key)).all()


def create_user(
    session: Session, name: str, password_hash: str, role: AccountRole, *, by: str, returning: bool = False
) -> User:
    """A new account. returning: of the person whose work is under this reserved name, which the account then owns.

    Raises Conflict if the name is taken or reserved, NotFound for a returning account whose name is not reserved.
    """
    if find_user(session, name):
        raise Conflict(f"An account '{name}' already exists. Choose another name.")
    if returning:
        name = release(session, name)
    else:
        refuse_reserved(session, name)
    user = User(key=account_key(name), name=name, role=role, active=True, password=password_hash)
    session.add(user)
    session.flush()
    action = "account.return" if returning else "account.create"
    log(session, action, by=by, changes={"name": name, "role": role})
    return user


def change_user(
    session: Session,
    name: str,
    *,
    by: str,
    role: AccountRole | None = None,
    active: bool | None = None,
    password: str | None = None,
) -> User:
    """Change what is not None. A new password, or disabling the account, ends its sessions and API tokens.

    Raises NotFound, and Conflict if no admin would be left.
    """
    _lock_admins(session)
    user = _existing(session, name)
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
    _refuse_without_admin(session)
    if password is not None or not user.active:
        session.execute(delete(SignIn).where(SignIn.user_id == user.id))
        forget_devices(session, user)
        end_tokens(session, user)
    if len(changes) > 1:
        log(session, "account.change", by=by, changes=changes)
    return user


def remove_user(session: Session, name: str, *, by: str) -> None:
    """Remove an account: password, sessions, API tokens, memberships and open invitations. Sheets, annotations and log entries stay
    under its name, which is reserved.

    Raises NotFound, and Conflict if no admin would be left, or for one's own account.
    """
    _lock_admins(session)
    user = _existing(session, name)
    if user.name == by:
        raise Conflict("You cannot remove your own account. Ask another admin.")
    made = update(Invitation).where(Invitation.created_by == user.name, Invitation.withdrawn.is_(None))
    session.execute(made.values(withdrawn=now()))
    memberships = select(Project, Member.role).join(Member)
    for project, role in session.execute(memberships.where(Member.user_id == user.id).order_by(Project.id)):
        log(session, "member.remove", by=by, project=project, changes={"name": user.name, "role": role})
    session.delete(user)
    session.flush()
    _refuse_without_admin(session)
    reserve(session, user.name, "removed", by=by)
    log(session, "account.remove", by=by, changes={"name": user.name, "role": user.role})


def set_password(session: Session, user: User, password: str, *, keep: str) -> None:
    """Set a user's own new password; all sessions end but that of digest `keep`. API tokens stay."""
    user.password = hashed(password)
    session.execute(delete(SignIn).where(SignIn.user_id == user.id, SignIn.digest != keep))
    log(session, "account.change", by=user.name, changes={"name": user.name, "password": "new"})


def _existing(session: Session, name: str) -> User:
    user = find_user(session, name)
    if user is None:
        raise NotFound(f"There is no account '{name}'.")
    return user


def _lock_admins(session: Session) -> None:
    """Of two transactions that each take one admin away, the second sees what the first did."""
    session.scalars(
        select(User.id).where(User.role == AccountRole.ADMIN).order_by(User.id).with_for_update()
    ).all()


def _refuse_without_admin(session: Session) -> None:
    if session.scalar(select(User.id).where(User.role == AccountRole.ADMIN, User.active).limit(1)) is None:
        raise Conflict("This is the last active admin. Make somebody else an admin first.")
