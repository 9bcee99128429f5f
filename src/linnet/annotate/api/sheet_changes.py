"""What a request changes on one sheet of a document, and the answer that tells the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

from fastapi import Depends, Header, Query

from linnet.annotate.api.access import App, CurrentUser
from linnet.annotate.api.app_state import AppState
from linnet.annotate.api.schemas.base import Id
from linnet.annotate.api.schemas.documents import Change
from linnet.annotate.api.views import change_view
from linnet.annotate.domain.annotations.collisions import entry_with_token
from linnet.annotate.domain.annotations.editor import Editor
from linnet.annotate.domain.assignments.assignments import refuse_unassigned
from linnet.annotate.domain.sheets import Target, changeable
from linnet.annotate.refusals import Repeated
from linnet.annotate.store.tables import LogEntry

__all__ = ["ChangeableSheet", "SheetChanges", "SheetName", "Token"]

_Answer = TypeVar("_Answer", bound=Change)
_Limit = Annotated[
    int | None,
    Query(ge=1, le=100_000, description="If more annotations changed, the answer lists none of them."),
]
SheetName = Annotated[
    str | None,
    Query(
        max_length=64,
        description="In an independent project, for curators: the sheet of this annotator, or @curated. Without it, your own.",
    ),
]
Token = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[0-9A-Za-z-]{8,64}$",
        description="Invented by the client. Repeated with it after a lost answer, a change that was made is refused (`repeated`).",
    ),
]


class _Result(Protocol):
    """A named tuple with `entry`, of the log, and what else there is to tell."""

    def _asdict(self) -> dict[str, Any]: ...


class _Entry(NamedTuple):
    entry: LogEntry | None


class SheetChanges:
    """Changes one sheet, each change in one transaction."""

    def __init__(self, app: AppState, target: Target, *, limit: int | None = None, token: str = "") -> None:
        """limit: changed annotations that an answer lists; None: all"""
        self.app = app
        self._target, self._limit, self._token = target, limit, token

    def make(self, since: int, work: Callable[[Editor], LogEntry | None]) -> Change:
        """Make a change, and answer with what is different from a revision.

        since  the revision that the page has
        work   makes the change; returns its log entry, None if nothing changed
        """
        return self.make_and_tell(Change, since, lambda editor: _Entry(work(editor)))

    def make_and_tell(self, answer: type[_Answer], since: int, work: Callable[[Editor], _Result]) -> _Answer:
        """As `make`, with what else `work` returns beside the log entry. answer: has a field for each."""
        with self.app.database.write() as session:
            editor = replace(self._target.open(session, lock=True), token=self._token)
            if entry_with_token(editor, since, self._token):
                raise Repeated("This change is saved already.", context=editor.key)
            refuse_unassigned(session, editor.project, self._target.document, self._target.by)
            others = work(editor)._asdict()
            names = self.app.names_of(editor.project)
            change = change_view(editor, since, others.pop("entry"), names, limit=self._limit)
        return answer(**dict(change), **others)


async def changeable_sheet(
    app: App,
    user: CurrentUser,
    document: Id,
    limit: _Limit = None,
    sheet: SheetName = None,
    token: Token = "",
) -> SheetChanges:
    """The sheet that the path and the query name. Async because it never blocks. Raises Forbidden for the sheets of others."""
    return SheetChanges(app, changeable(user, document, sheet), limit=limit, token=token)


ChangeableSheet = Annotated[SheetChanges, Depends(changeable_sheet)]
