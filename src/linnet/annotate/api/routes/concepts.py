"""The annotation helper: candidates, search, browsing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query

from linnet.annotate.api.access import App, CurrentUser
from linnet.annotate.api.app_state import AppState
from linnet.annotate.api.concept_views import (
    candidate_view,
    children_view,
    concept_view,
    found_view,
    place_of,
    summary_view,
)
from linnet.annotate.api.schemas.base import ConceptId, Id, Offset
from linnet.annotate.api.schemas.concepts import Candidates, ConceptList, ConceptResults, ConceptView
from linnet.annotate.domain.concept_search import beyond, link_query, proposals, span_of
from linnet.annotate.domain.concept_uses import count_uses, learned_names
from linnet.annotate.domain.learning.versions import version_folder
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.refusals import Invalid
from linnet.annotate.store.tables import Project
from linnet.link import Linker
from linnet.terminology import Terminology

__all__ = ["router"]

router = APIRouter(tags=["concepts"])

_Count = Annotated[int, Query(ge=1, le=100)]


@router.get("/documents/{document}/candidates")
def candidates(
    app: App,
    user: CurrentUser,
    document: Id,
    start: Annotated[Offset, Query()],
    end: Annotated[Offset, Query()],
    k: _Count = 10,
) -> Candidates:
    """The linker's candidates for a span of a document, annotated or not."""
    with app.database.read() as session:
        project, span = span_of(session, document, start, end)
    text = span.text[start:end]
    link = link_query(_linker(app, project), text, span, k=k)
    terminology = app.terminologies.open(project.terminology)
    views = [candidate_view(terminology, candidate) for candidate in link.candidates[:k]]
    shown = [view for view in views if view is not None]
    return Candidates(text=text, concepts=list(link.concepts), probability=link.probability, candidates=shown)


@router.get("/projects/{project}/concepts")
def search(
    app: App,
    user: CurrentUser,
    project: Id,
    q: Annotated[str, Query(max_length=200)],
    k: _Count = 20,
    types: Annotated[list[str] | None, Query(max_length=100)] = None,
    document: Annotated[
        Id | None,
        Query(description="Document of the mention that the search is for, at `start` to `end`."),
    ] = None,
    start: Annotated[Offset, Query()] = 0,
    end: Annotated[Offset, Query()] = 0,
) -> ConceptResults:
    """Search as you type by words, word beginnings or id, among concepts of the project's types, or of `types` only.

    The linker's ranking comes first; with `document`, it knows the abbreviations defined there.
    """
    row, terminology = _opened(app, project)
    index = app.terminologies.search(row.terminology)
    span = None
    if document is not None:
        with app.database.read() as session:
            home, span = span_of(session, document, start, end)
        if home.id != project:
            raise Invalid(f"Document {document} is not in project {project}.")
    allowed = terminology.select(types=row.types or None)
    if types:
        narrowed = terminology.select(types=types)
        allowed = narrowed if allowed is None or narrowed is None else allowed & narrowed
    proposed = proposals(index, _linker(app, row), q, k=k, allowed=allowed, span=span)
    concepts = [found_view(terminology, proposal) for proposal in proposed]
    elsewhere = [summary_view(terminology, place) for place in beyond(index, q, allowed)]
    return ConceptResults(total=len(concepts), offset=0, concepts=concepts, elsewhere=elsewhere)


@router.get("/projects/{project}/concept")
def one_concept(app: App, user: CurrentUser, project: Id, id: Annotated[ConceptId, Query()]) -> ConceptView:
    """Details of a concept; a retired id gives the concept that replaced it."""
    row, terminology = _opened(app, project)
    place = place_of(terminology, id)
    concept = terminology.ids[place]
    with app.database.read() as session:
        annotations = count_uses(session, row, concept)
    learned = learned_names(_folder(app, row), concept)
    return concept_view(terminology, place, learned=learned, annotations=annotations)


@router.get("/projects/{project}/concept/children")
def children(
    app: App,
    user: CurrentUser,
    project: Id,
    id: Annotated[
        str, Query(max_length=200, description='A concept; "" for the concepts without a parent.')
    ] = "",
    offset: Annotated[Offset, Query()] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> ConceptList:
    """Page through the narrower concepts, by name."""
    _, terminology = _opened(app, project)
    return children_view(terminology, id, offset=offset, limit=limit)


def _linker(app: AppState, project: Project) -> Linker:
    """Linker of the current version. Raises Unavailable while the terminology is being prepared."""
    return app.linkers.get(project, _folder(app, project))


def _folder(app: AppState, project: Project) -> Path | None:
    return version_folder(app.database, app.settings.data, project.id, project.model)


def _opened(app: AppState, id: int) -> tuple[Project, Terminology]:
    with app.database.read() as session:
        project = find_project(session, id)
    return project, app.terminologies.open(project.terminology)
