"""Browsers known to an account: a random token in a cookie, its digest in the database."""

from __future__ import annotations

import secrets
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.accounts.sessions import token_digest
from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import Device, User

__all__ = ["KEPT", "forget_devices", "known_device", "remember_device"]

KEPT = timedelta(days=365)
_MOST = 50  # per account


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
    newest = select(Device.digest).where(Device.user_id == user.id).order_by(Device.seen.desc()).limit(_MOST)
    kept = session.scalars(newest).all()
    session.execute(delete(Device).where(Device.user_id == user.id, Device.digest.not_in(kept)))
    return token


def forget_devices(session: Session, user: User) -> None:
    """Forget all browsers of the account, for a password that somebody else changed."""
    session.execute(delete(Device).where(Device.user_id == user.id))
