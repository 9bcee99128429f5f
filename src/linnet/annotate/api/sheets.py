"""Which sheet of a document a request is about."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from fastapi import Query
from sqlalchemy.orm import Session

from linnet.annotate.accounts.sessions import SignedIn
from linnet.annotate.curation.decisions import open_curated
from linnet.annotate.editing.editor import Editor, open_editor
from linnet.annotate.refusals import Forbidden
from linnet.annotate.store.tables import CURATED

__all__ = ["SheetName", "Target", "changeable", "readable"]

SheetName = Annotated[
    str | None,
    Query(
        max_length=64,
        description="In an independent project, for curators: the sheet of this annotator, or @curated. Without it, your own.",
    ),
]


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
