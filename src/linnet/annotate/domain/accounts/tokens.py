"""API tokens, with which scripts act for an account: shown once, their digests in the database."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.accounts.sessions import SignedIn, token_digest
from linnet.annotate.domain.states import AccountRole
from linnet.annotate.refusals import Conflict, NotFound, NotSignedIn
from linnet.annotate.store.columns import now
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import ApiToken, User

__all__ = [
    "end_tokens",
    "list_tokens",
    "make_token",
    "note_use",
    "token_user",
    "withdraw_token",
]

PREFIX = "linnet_"  # by which scanners of source code recognise a token
_MOST = 50  # per account
_NOTED = timedelta(minutes=5)  # how often a token's use is recorded
_TOKEN = (
    select(
        User.id, User.name, User.role, User.active, ApiToken.name.label("token"), ApiToken.reads_only,
        ApiToken.expires, ApiToken.seen,
    )
    .join(ApiToken)
    .where(ApiToken.digest == bindparam("digest"))
)  # fmt: skip


def make_token(
    session: Session, user: SignedIn, name: str, *, days: int, reads_only: bool
) -> tuple[str, ApiToken]:
    """A new token, and its row. Raises Conflict if the account has one of this name, or too many."""
    if session.scalar(select(ApiToken.id).where(ApiToken.user_id == user.id, ApiToken.name == name)):
        raise Conflict(f"You have a token '{name}' already. Choose another name, or withdraw that one.")
    if (session.scalar(select(func.count()).where(ApiToken.user_id == user.id)) or 0) >= _MOST:
        raise Conflict(f"You have {_MOST} tokens, the most that an account can have. Withdraw one first.")
    token, moment = PREFIX + secrets.token_urlsafe(32), now()
    row = ApiToken(
        digest=token_digest(token),
        user_id=user.id,
        name=name,
        reads_only=reads_only,
        created=moment,
        expires=moment + timedelta(days=days),
    )
    session.add(row)
    session.flush()
    changes = {"name": name, "reads_only": reads_only, "expires": f"{row.expires:%Y-%m-%d}"}
    log(session, "token.create", by=user.name, changes=changes)
    return token, row


def list_tokens(session: Session, user: SignedIn) -> Sequence[ApiToken]:
    """A user's tokens, newest first; expired ones too."""
    query = select(ApiToken).where(ApiToken.user_id == user.id)
    return session.scalars(query.order_by(ApiToken.id.desc())).all()


def withdraw_token(session: Session, user: SignedIn, id: int) -> None:
    """End a token of a user. Raises NotFound."""
    row = session.get(ApiToken, id)
    if row is None or row.user_id != user.id:
        raise NotFound(f"You have no token {id}. It may have been withdrawn already.")
    session.delete(row)
    log(session, "token.withdraw", by=user.name, changes={"name": row.name})


def end_tokens(session: Session, user: User) -> None:
    """End all tokens of an account."""
    session.execute(delete(ApiToken).where(ApiToken.user_id == user.id))


def token_user(session: Session, token: str) -> SignedIn:
    """The user that a token acts for. Raises NotSignedIn if the token is unknown or has expired."""
    digest, moment = token_digest(token), now()
    row = session.execute(_TOKEN, {"digest": digest}).one_or_none()
    if row is None or not row.active:
        raise NotSignedIn(
            "The API token is unknown: it was withdrawn, its account was disabled or removed, or it is incomplete. Check the header "
            "'Authorization: Bearer TOKEN', or make a new token on the page of your account."
        )
    if row.expires < moment:
        raise NotSignedIn(
            f"The API token expired on {row.expires:%d %B %Y}. Make a new one on the page of your account."
        )
    stale = row.seen is None or moment - row.seen > _NOTED
    return SignedIn(
        row.id, row.name, AccountRole(row.role), "", digest, row.expires, stale=stale, token=row.token, reads_only=row.reads_only
    )  # fmt: skip


def note_use(session: Session, user: SignedIn) -> None:
    """Record a token's use."""
    row = session.scalars(select(ApiToken).where(ApiToken.digest == user.digest)).one_or_none()
    if row is not None:
        row.seen = now()
