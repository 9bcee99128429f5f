"""Sessions, and browsers known to an account: a random token in a cookie, its digest in the database."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.states import AccountRole, ProjectRole
from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import Device, SignIn, User

__all__ = [
    "KEPT",
    "SignedIn",
    "find_session",
    "forget_devices",
    "known_device",
    "prolong",
    "remember_device",
    "sign_in",
    "sign_out",
    "token_digest",
]

_IDLE = timedelta(hours=12)
_LONGEST = timedelta(days=30)
_NOTED = timedelta(minutes=5)  # how often a session's use is recorded
KEPT = timedelta(days=365)
_MOST_DEVICES = 50  # per account
# Runs for every request, so it is built once and reads columns, not objects.
_SESSION = (
    select(User.id, User.name, User.role, User.active, SignIn.csrf, SignIn.expires, SignIn.seen)
    .join(SignIn)
    .where(SignIn.digest == bindparam("digest"))
)


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A signed-in user.

    digest        of the session's token, or of the API token
    stale         its use has not been recorded lately
    project_role  of the user in the project that the request is about; None without a project
    token         name of the API token with which a script acts for the user; "" for the user in person
    reads_only    the API token may change nothing
    """

    id: int
    name: str
    role: AccountRole
    csrf: str
    digest: str
    expires: datetime
    stale: bool = False
    project_role: ProjectRole | None = None
    token: str = ""
    reads_only: bool = False

    @property
    def admin(self) -> bool:
        """Whether the user is an admin."""
        return self.role == AccountRole.ADMIN

    @property
    def curates(self) -> bool:
        """Whether the user may see everybody's work in the project, and settle disagreements."""
        return self.project_role in (ProjectRole.CURATOR, ProjectRole.MANAGER)

    @property
    def manages(self) -> bool:
        """Whether the user may change the project, its documents and its members."""
        return self.project_role == ProjectRole.MANAGER


def token_digest(token: str) -> str:
    """Digest of a token, as the database has it."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def sign_in(session: Session, user: User) -> tuple[str, SignedIn]:
    """Token and user of a new session. Expired sessions are deleted."""
    moment = now()
    session.execute(delete(SignIn).where(SignIn.expires < moment))
    token = secrets.token_urlsafe(32)
    row = SignIn(
        digest=token_digest(token),
        user_id=user.id,
        csrf=secrets.token_urlsafe(32),
        created=moment,
        seen=moment,
        expires=moment + _IDLE,
    )
    session.add(row)
    session.flush()
    return token, SignedIn(user.id, user.name, AccountRole(user.role), row.csrf, row.digest, row.expires)


def find_session(session: Session, token: str) -> SignedIn | None:
    """The user of a session token; None if it is unknown or expired, or the account is disabled."""
    digest = token_digest(token)
    row = session.execute(_SESSION, {"digest": digest}).one_or_none()
    moment = now()
    if row is None or row.expires < moment or not row.active:
        return None
    stale = moment - row.seen > _NOTED
    return SignedIn(row.id, row.name, AccountRole(row.role), row.csrf, digest, row.expires, stale=stale)


def prolong(session: Session, signed_in: SignedIn) -> None:
    """Record a session's use. It ends 12 hours after its last use and 30 days after its first."""
    row = session.get(SignIn, signed_in.digest)
    if row is not None:
        row.seen = now()
        row.expires = min(row.seen + _IDLE, row.created + _LONGEST)


def sign_out(session: Session, digest: str) -> None:
    """End a session."""
    session.execute(delete(SignIn).where(SignIn.digest == digest))


def known_device(session: Session, user: User | None, token: str) -> str:
    """Digest of a browser's token if the account has been used in that browser, else ""."""
    if user is None or not token:
        return ""
    row = session.get(Device, token_digest(token))
    return row.digest if row is not None and row.user_id == user.id and now() - row.seen < KEPT else ""


def remember_device(session: Session, user: User, token: str) -> str:
    """Record a sign-in; returns the token for the browser's cookie, unchanged for a known browser."""
    if digest := known_device(session, user, token):
        session.get_one(Device, digest).seen = now()
        return token
    token = secrets.token_urlsafe(32)
    session.add(Device(digest=token_digest(token), user_id=user.id, seen=now()))
    session.flush()
    newest = (
        select(Device.digest)
        .where(Device.user_id == user.id)
        .order_by(Device.seen.desc())
        .limit(_MOST_DEVICES)
    )
    kept = session.scalars(newest).all()
    session.execute(delete(Device).where(Device.user_id == user.id, Device.digest.not_in(kept)))
    return token


def forget_devices(session: Session, user: User) -> None:
    """Forget all browsers of the account, for a password that somebody else changed."""
    session.execute(delete(Device).where(Device.user_id == user.id))
