"""What the model has learnt, and corrections of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, Query

from linnet.active.learned_items import Blocked, read_names, read_stops
from linnet.annotate.api.access import App, CurrentManager, CurrentUser
from linnet.annotate.api.app_state import AppState
from linnet.annotate.api.schemas.base import Id, Offset
from linnet.annotate.api.schemas.learned import (
    LearnedName,
    LearnedNames,
    LearnedStop,
    LearnedStops,
    NewRemoval,
    Removal,
    Removed,
)
from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.learning.job_store import enqueue
from linnet.annotate.domain.learning.removals import allow, block, blocked_in, corrections_of
from linnet.annotate.domain.learning.versions import version_folder
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.projects.visibility import refuse_learned
from linnet.annotate.domain.states import JobKind
from linnet.annotate.store.tables import Correction, Project
from linnet.words.text import fold

__all__ = ["router"]

T = TypeVar("T")

router = APIRouter(prefix="/projects/{project}/learned", tags=["learning"])


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The query parameters of a list: search text, and which page of the matches."""

    search: Annotated[
        str, Query(max_length=200, description="Searched in the text and in the id and name of the concept.")
    ] = ""
    offset: Annotated[Offset, Query()] = 0
    limit: Annotated[int, Query(ge=1, le=500)] = 100

    def within(self, *texts: str) -> bool:
        """Whether one of the texts contains the search text."""
        return fold(self.search) in fold("\n".join(texts))

    def part(self, rows: Sequence[T]) -> Sequence[T]:
        return rows[self.offset : self.offset + self.limit]


_Listed = Annotated[_Wanted, Depends()]


@router.get("/names")
def learned_names(app: App, user: CurrentUser, project: Id, wanted: _Listed) -> LearnedNames:
    """List the names that the model has learnt, with what each was learnt from."""
    row, folder, blocked = _opened(app, user, project)
    name_of = app.names_of(row)
    learned = [
        entry
        for entry in (read_names(folder) if folder else ())
        if wanted.within(entry.text, entry.concept, name_of(entry.concept))
    ]
    names = [
        LearnedName.of(each, name=name_of(each.concept), removed=blocked.has_name(each.text, each.concept))
        for each in wanted.part(learned)
    ]
    return LearnedNames(total=len(learned), offset=wanted.offset, version=row.model, names=names)


@router.get("/stops")
def learned_stops(app: App, user: CurrentUser, project: Id, wanted: _Listed) -> LearnedStops:
    """List the names of the terminology that the model no longer looks for, and why."""
    row, folder, blocked = _opened(app, user, project)
    learned = [entry for entry in (read_stops(folder) if folder else ()) if wanted.within(entry.text)]
    stops = [LearnedStop.of(entry, removed=blocked.has_stop(entry.text)) for entry in wanted.part(learned)]
    return LearnedStops(total=len(learned), offset=wanted.offset, version=row.model, stops=stops)


@router.get("/removed")
def all_removals(app: App, user: CurrentUser, project: Id) -> list[Removal]:
    """List what people removed, newest first."""
    row, _, _ = _opened(app, user, project)
    with app.database.read() as session:
        return [_removal(app, row, correction) for correction in corrections_of(session, project)]


@router.post("/removed", status_code=201)
def new_removal(app: App, user: CurrentManager, project: Id, body: NewRemoval) -> Removed:
    """Remove a name or a stop: a job makes a version without it, and training does not learn it again."""
    with app.database.write() as session:
        row = find_project(session, project)
        removal = _removal(app, row, block(session, row, body.kind, body.text, body.concept, by=user.name))
        job = enqueue(session, row, JobKind.CORRECT, by=user.name).id
    return Removed(removal=removal, job=job)


@router.delete("/removed/{removal}", status_code=204)
def taken_back(app: App, user: CurrentManager, project: Id, removal: Id) -> None:
    """Take back a removal: the next training may learn it again."""
    with app.database.write() as session:
        allow(session, find_project(session, project), removal, by=user.name)


def _opened(app: AppState, user: SignedIn, project: int) -> tuple[Project, Path | None, Blocked]:
    """The project, the folder of its current version, and what was removed. Raises Forbidden."""
    with app.database.read() as session:
        row = find_project(session, project)
        blocked = blocked_in(session, project)
    refuse_learned(row, user)
    return row, version_folder(app.database, app.settings.data, project, row.model), blocked


def _removal(app: AppState, project: Project, row: Correction) -> Removal:
    return Removal.of(row, name=app.names_of(project)(row.concept) if row.concept else "")
