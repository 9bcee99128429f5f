"""Names reserved for existing annotations. A sheet belongs to a name, so a new account of that name would own it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.domain.accounts.names import account_key
from linnet.annotate.refusals import Conflict, NotFound
from linnet.annotate.store.tables import ReservedName, User

__all__ = ["list_reserved", "refuse_reserved", "release", "reserve", "reserve_unknown"]

_WHY = {
    "removed": "an account of this name was removed, and its work stays under it",
    "restored": "a restored project has work of this name",
}


def list_reserved(session: Session) -> Sequence[ReservedName]:
    """All reserved names."""
    return session.scalars(select(ReservedName).order_by(ReservedName.key)).all()


def reserve(session: Session, name: str, reason: str, *, by: str) -> None:
    """Reserve a name, unless it is already."""
    key = account_key(name)
    if session.get(ReservedName, key) is None:
        session.add(ReservedName(key=key, name=name, reason=reason, created_by=by))
        session.flush()


def reserve_unknown(session: Session, names: Iterable[str], *, by: str) -> list[str]:
    """Reserve those of the names that no account has; returns them, also those that were reserved before."""
    unknown = []
    for name in sorted(set(names)):
        if session.scalar(select(User.id).where(User.key == account_key(name))) is None:
            reserve(session, name, "restored", by=by)
            unknown.append(name)
    return unknown


def refuse_reserved(session: Session, name: str) -> None:
    """Raise Conflict if the name is reserved."""
    if (row := session.get(ReservedName, account_key(name))) is not None:
        raise Conflict(
            f"The name '{row.name}' is taken: {_WHY[row.reason]}. Choose another name. For the same person, an admin can bring the "
            "account back on the page Accounts."
        )


def release(session: Session, name: str) -> str:
    """End a reservation for the person whose work it is; returns the name as their work has it. Raises NotFound."""
    row = session.get(ReservedName, account_key(name))
    if row is None:
        raise NotFound(f"No account '{name}' was removed. Create it as a new one.")
    session.delete(row)
    session.flush()
    return row.name
