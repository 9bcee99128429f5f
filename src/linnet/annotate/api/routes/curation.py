"""Disagreements of independent annotators: listing and settling them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from linnet.annotate.api.access import App, CurrentCurator
from linnet.annotate.api.schemas.base import Id, Offset
from linnet.annotate.api.schemas.curation import (
    CuratedDocument,
    Decision,
    Disagreement,
    DisagreementList,
    Places,
    Settled,
    Version,
    VersionMark,
)
from linnet.annotate.api.schemas.documents import Change
from linnet.annotate.api.sheet_changes import SheetChanges, Token
from linnet.annotate.domain.curation import settling
from linnet.annotate.domain.curation.decisions import decide
from linnet.annotate.domain.curation.places import ON, DisagreementKind, Mark, Place
from linnet.annotate.domain.curation.settling import list_disagreements
from linnet.annotate.domain.curation.versions import Versions, read_versions
from linnet.annotate.domain.projects.finding import find_document, find_project
from linnet.annotate.domain.sheets import Target
from linnet.annotate.domain.states import State
from linnet.annotate.store.tables import CURATED

__all__ = ["router"]

router = APIRouter(tags=["curation"])


@router.get("/projects/{project}/disagreements")
def disagreements(
    app: App,
    user: CurrentCurator,
    project: Id,
    kind: Annotated[list[DisagreementKind] | None, Query()] = None,
    state: Literal["open", "settled", "all"] = "open",
    offset: Annotated[Offset, Query()] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> DisagreementList:
    """List where the accepted sheets of independent annotators differ."""
    with app.database.read() as session:
        row = find_project(session, project)
        found = list_disagreements(
            session, project, kinds=kind or (), state=state, offset=offset, limit=limit
        )
    names = app.names_of(row)
    return DisagreementList(
        total=found.total,
        offset=offset,
        kinds={kind.value: count for kind, count in found.kinds.items()},
        settled=found.settled,
        documents=[_document(versions, places) for versions, places in found.documents],
        disagreements=[_disagreement(each, names) for each in found.page],
    )


@router.post("/projects/{project}/disagreements/agreed")
def accept_agreed(app: App, user: CurrentCurator, project: Id) -> Settled:
    """Accept the curated sheets of all documents on which several annotators agree, or whose disagreements are all settled; not those
    that somebody to whom they are assigned still annotates."""
    return Settled(documents=settling.accept_agreed(app.database, project, by=user.name))


@router.get("/documents/{document}/places")
def places(app: App, user: CurrentCurator, document: Id) -> Places:
    """The disagreements of a document, with each annotator's version."""
    with app.database.read() as session:
        row = find_document(session, document, text=True)
        project = find_project(session, row.project_id)
        found = read_versions(session, project.id, document=document)
    names = app.names_of(project)
    return Places(
        annotators=sorted(name for versions in found for name in versions.accepted),
        places=[
            _disagreement(settling.Disagreement(versions, place, is_open, row.text), names)
            for versions in found
            for place, is_open in versions.places()
        ],
    )


@router.post("/documents/{document}/decisions")
def decided(app: App, user: CurrentCurator, document: Id, body: Decision, token: Token = "") -> Change:
    """Settle a place on the curated sheet, which is made if missing. Replaces what that has there; undo takes it back."""
    return SheetChanges(app, Target(document, user.name, CURATED), token=token).make(
        body.revision,
        lambda editor: decide(editor, body.revision, body.start, body.end, body.how, body.annotator or ""),
    )


def _document(versions: Versions, places: Iterable[tuple[Place, bool]]) -> CuratedDocument:
    states = [is_open for _, is_open in places]
    return CuratedDocument.of(
        versions,
        annotators=sorted(versions.accepted),
        places=len(states),
        open=sum(states),
        state=State(versions.state) if versions.state else None,
    )


def _disagreement(found: settling.Disagreement, names: Callable[[str], str]) -> Disagreement:
    versions, place, is_open, text = found
    return Disagreement.of(
        place,
        document=versions.document,
        name=versions.name,
        text=text[place.start : place.end],
        open=is_open,
        versions=[
            Version(annotator=annotator, annotations=[_mark(mark, text, names) for mark in marks])
            for annotator, marks in place.versions.items()
        ],
    )


def _mark(mark: Mark, text: str, names: Callable[[str], str]) -> VersionMark:
    return VersionMark.of(
        mark,
        text=text[mark.start : mark.end],
        concepts=list(mark.concepts),
        names=[names(id) for id in mark.concepts],
        attributes={name: True if value == ON else value for name, value in mark.attributes},
    )
