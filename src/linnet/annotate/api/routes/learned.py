"""What the model has learnt: read, and corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, Query, Response

from linnet.annotate.accounts.sessions import SignedIn
from linnet.annotate.api.access import AdminOnly, Shared, Who
from linnet.annotate.api.schemas.base import Id, Offset
from linnet.annotate.api.schemas.learned import (
    Kind,
    LearnedName,
    LearnedNames,
    LearnedStop,
    LearnedStops,
    NewRemoval,
    Removal,
    Removed,
)
from linnet.annotate.jobs.board import post
from linnet.annotate.jobs.training import version_folder
from linnet.annotate.learning.corrections import allow, block, blocked_in, corrections_of
from linnet.annotate.learning.evidence import Blocked, read_names, read_stops
from linnet.annotate.projects import find_project
from linnet.annotate.refusals import Forbidden
from linnet.annotate.store.tables import Correction, Project
from linnet.annotate.tool import Tool
from linnet.text import fold

__all__ = ["router"]

T = TypeVar("T")

router = APIRouter(prefix="/projects/{project}/learned", tags=["learning"])


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The query parameters of a list: what its entries contain, and which part of it is wanted."""

    search: str
    offset: int
    limit: int

    def within(self, *texts: str) -> bool:
        """Whether one of the texts contains what is searched."""
        return fold(self.search) in fold("\n".join(texts))

    def part(self, rows: Sequence[T]) -> Sequence[T]:
        return rows[self.offset : self.offset + self.limit]


def _wanted(
    search: Annotated[
        str, Query(max_length=200, description="In the text, and in id and name of the concept.")
    ] = "",
    offset: Annotated[Offset, Query()] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> _Wanted:
    return _Wanted(search, offset, limit)


_Listed = Annotated[_Wanted, Depends(_wanted)]


@router.get("/names")
def learned_names(tool: Shared, who: Who, project: Id, wanted: _Listed) -> LearnedNames:
    """The names that the model has learnt, each with what it was learnt from."""
    row, folder, blocked = _opened(tool, who, project)
    name_of = tool.names_of(row)
    learned = [
        entry
        for entry in (read_names(folder) if folder else ())
        if wanted.within(entry.text, entry.concept, name_of(entry.concept))
    ]
    names = [
        LearnedName(
            text=entry.text,
            concept=entry.concept,
            name=name_of(entry.concept),
            mentions=entry.mentions,
            documents=entry.documents,
            removed=blocked.has_name(entry.text, entry.concept),
        )
        for entry in wanted.part(learned)
    ]
    return LearnedNames(total=len(learned), offset=wanted.offset, version=row.model, names=names)


@router.get("/stops")
def learned_stops(tool: Shared, who: Who, project: Id, wanted: _Listed) -> LearnedStops:
    """The names of the terminology that the model does not look for any more, and why."""
    row, folder, blocked = _opened(tool, who, project)
    learned = [entry for entry in (read_stops(folder) if folder else ()) if wanted.within(entry.text)]
    stops = [
        LearnedStop(
            text=entry.text,
            seen=entry.seen,
            annotated=entry.annotated,
            documents=entry.documents,
            removed=blocked.has_stop(entry.text),
        )
        for entry in wanted.part(learned)
    ]
    return LearnedStops(total=len(learned), offset=wanted.offset, version=row.model, stops=stops)


@router.get("/removed")
def all_removals(tool: Shared, who: Who, project: Id) -> list[Removal]:
    """What people have removed, the newest first."""
    row, _, _ = _opened(tool, who, project)
    with tool.database.read() as session:
        return [_removal(tool, row, one) for one in corrections_of(session, project)]


@router.post("/removed", status_code=201)
def new_removal(tool: Shared, who: AdminOnly, project: Id, body: NewRemoval) -> Removed:
    """Remove a name or a stop: no training learns it again, and a job makes a version without it."""
    with tool.database.write() as session:
        row = find_project(session, project)
        removal = _removal(tool, row, block(session, row, body.kind, body.text, body.concept, by=who.name))
        job = post(session, row, "correct", by=who.name).id
    tool.wake(job)
    return Removed(removal=removal, job=job)


@router.delete("/removed/{removal}", status_code=204)
def taken_back(tool: Shared, who: AdminOnly, project: Id, removal: Id) -> Response:
    """Take a removal back: the next training may learn it again."""
    with tool.database.write() as session:
        allow(session, find_project(session, project), removal, by=who.name)
    return Response(status_code=204)


def _opened(tool: Tool, who: SignedIn, project: int) -> tuple[Project, Path | None, Blocked]:
    """The project, the folder of its current version, and what was removed. Raises Forbidden."""
    with tool.database.read() as session:
        row = find_project(session, project)
        blocked = blocked_in(session, project)
    if row.mode == "independent" and not who.admin:
        raise Forbidden(
            "What was learnt shows what other annotators did, and in this project each works alone. Ask an admin."
        )
    return row, version_folder(tool.database, tool.settings.data, project, row.model), blocked


def _removal(tool: Tool, project: Project, row: Correction) -> Removal:
    return Removal(
        id=row.id,
        kind=Kind(row.kind),
        text=row.text,
        concept=row.concept,
        name=tool.names_of(project)(row.concept) if row.concept else "",
        created=row.created,
        created_by=row.created_by,
    )
