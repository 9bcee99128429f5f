"""Sessions: a random token in the user's cookie, its digest in the database."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import SignIn, User

__all__ = ["SignedIn", "find_session", "prolong", "sign_in", "sign_out", "signed_in_by", "token_digest"]

_IDLE = timedelta(hours=12)
_LONGEST = timedelta(days=30)
_NOTED = timedelta(minutes=5)  # a session's use is written down this often
# Every request asks this: put together once, and columns rather than objects.
_SESSION = (
    select(User.name, User.role, User.active, SignIn.csrf, SignIn.expires, SignIn.seen)
    .join(SignIn, SignIn.user_id == User.id)
    .where(SignIn.digest == bindparam("digest"))
)


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Who asks. digest: of the session's token."""

    name: str
    role: str
    csrf: str
    digest: str
    expires: datetime
    stale: bool = False

    @property
    def admin(self) -> bool:
        """Whether they may do everything."""
        return self.role == "admin"


def token_digest(token: str) -> str:
    """By which a session is found."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def sign_in(session: Session, user: User) -> tuple[str, SignedIn]:
    """A new session's token, and who is signed in by it. Sessions that have ended are cleared away."""
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
    return token, SignedIn(user.name, user.role, row.csrf, row.digest, row.expires)


def find_session(session: Session, token: str) -> SignedIn | None:
    """Who is signed in by a token; None where it is unknown, has expired, or the account is switched off."""
    return signed_in_by(session, token_digest(token))


def signed_in_by(session: Session, digest: str) -> SignedIn | None:
    """The same, by the digest of the token."""
    found = session.execute(_SESSION, {"digest": digest}).one_or_none()
    moment = now()
    if found is None or found.expires < moment or not found.active:
        return None
    stale = moment - found.seen > _NOTED
    return SignedIn(found.name, found.role, found.csrf, digest, found.expires, stale=stale)


def prolong(session: Session, signed_in: SignedIn) -> None:
    """Note that a session was used: it ends 12 hours after its last use, 30 days after its first."""
    row = session.get(SignIn, signed_in.digest)
    if row is not None:
        row.seen = now()
        row.expires = min(row.seen + _IDLE, row.created + _LONGEST)


def sign_out(session: Session, digest: str) -> None:
    """End a session."""
    session.execute(delete(SignIn).where(SignIn.digest == digest))
