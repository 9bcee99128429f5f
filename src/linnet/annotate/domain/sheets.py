"""Which sheet of a document somebody reads or changes."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy.orm import Session

from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.annotations.editor import Editor, open_editor
from linnet.annotate.domain.curation.decisions import open_curated
from linnet.annotate.refusals import Forbidden
from linnet.annotate.store.tables import CURATED

__all__ = ["Target", "changeable", "readable"]


class Target(NamedTuple):
    """A sheet to open. owner: None for the one that the user annotates."""

    document: int
    by: str
    owner: str | None

    def open(self, session: Session, *, lock: bool) -> Editor:
        """The sheet; the user's own and the curated one are made if missing. Raises NotFound, Invalid."""
        if self.owner == CURATED:
            return open_curated(session, self.document, self.by, lock=lock)
        return open_editor(session, *self, lock=lock)


def readable(user: SignedIn, document: int, sheet: str | None) -> Target:
    """A sheet to read. Raises Forbidden for the sheets of others, unless the user is a curator."""
    if sheet is not None and not user.curates:
        raise Forbidden("Only curators and managers can open the sheets of others. Ask one of them.")
    return Target(document, user.name, sheet)


def changeable(user: SignedIn, document: int, sheet: str | None) -> Target:
    """A sheet to change. Raises Forbidden for the sheets of others."""
    if sheet not in (None, CURATED):
        raise Forbidden(f"Only {sheet} can change this sheet. Decide in the curated one.")
    return readable(user, document, sheet)
