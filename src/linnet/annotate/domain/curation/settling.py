"""Disagreements of a project: listed, and accepted where nothing is open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Literal, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.domain.annotations.edits import set_state
from linnet.annotate.domain.curation.decisions import open_curated
from linnet.annotate.domain.curation.places import DisagreementKind, Place
from linnet.annotate.domain.curation.versions import Versions, read_versions
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.states import State
from linnet.annotate.store import Database
from linnet.annotate.store.tables import Document

__all__ = ["Disagreement", "Disagreements", "accept_agreed", "list_disagreements"]


class Disagreement(NamedTuple):
    """A place of a document. is_open: the curated sheet says nothing there; text: of the document."""

    versions: Versions
    place: Place
    is_open: bool
    text: str


class Disagreements(NamedTuple):
    """total: of the wanted ones, of which `page` has some; kinds: number of the open ones; settled: number of the others; documents: all,
    each with its places."""

    total: int
    kinds: Counter[DisagreementKind]
    settled: int
    documents: list[tuple[Versions, list[tuple[Place, bool]]]]
    page: list[Disagreement]


def list_disagreements(
    session: Session,
    project: int,
    *,
    kinds: Collection[DisagreementKind],
    state: Literal["open", "settled", "all"],
    offset: int,
    limit: int,
) -> Disagreements:
    """Where the accepted sheets of a project differ, by document in the order of the queue, then by place. kinds: () for all."""
    documents = [(versions, versions.places()) for versions in read_versions(session, project)]
    every = [(versions, place, is_open) for versions, places in documents for place, is_open in places]
    wanted = [
        (versions, place, is_open)
        for versions, place, is_open in every
        if (not kinds or place.kind in kinds) and (state == "all" or is_open == (state == "open"))
    ]
    shown = wanted[offset : offset + limit]
    query = select(Document.id, Document.text).where(
        Document.id.in_({found.document for found, _, _ in shown})
    )
    texts = dict(session.execute(query).all())
    return Disagreements(
        len(wanted),
        Counter(place.kind for _, place, is_open in every if is_open),
        sum(not is_open for _, _, is_open in every),
        documents,
        [Disagreement(*found, texts[found[0].document]) for found in shown],
    )


def accept_agreed(database: Database, project: int, *, by: str) -> int:
    """Accept the curated sheets of all documents on which several annotators agree, or whose disagreements are all settled, but for
    documents that somebody to whom they are assigned still annotates; returns how many. Raises NotFound."""
    with database.read() as session:
        find_project(session, project)
        ready = [
            versions.document
            for versions in read_versions(session, project)
            if len(versions.accepted) > 1
            and not versions.waiting
            and versions.state in ("", State.OPEN)
            and not any(is_open for _, is_open in versions.places())
        ]
    count = 0
    for document in ready:
        with database.write() as session:
            editor = open_curated(session, document, by, lock=True)
            found = read_versions(session, project, document=document)
            if not any(is_open for versions in found for _, is_open in versions.places()):
                count += set_state(editor, editor.sheet.revision, State.ACCEPTED) is not None
    return count
