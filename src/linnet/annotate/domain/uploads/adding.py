"""Adds uploaded documents to a project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from linnet.active.training_data import UNCHANGED
from linnet.annotate.domain.attributes.definitions import Values
from linnet.annotate.domain.attributes.uploaded import lifted
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.domain.uploads.reading import FileReport
from linnet.annotate.limits import DOCUMENTS
from linnet.annotate.refusals import TooLarge
from linnet.annotate.store import Database
from linnet.annotate.store.columns import now
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Annotation, Project, Sheet
from linnet.annotate.store.tables import Document as Row
from linnet.terminology import Terminology
from linnet.types import Document, Mention

__all__ = ["add_documents", "hold_out", "text_digest"]

_BATCH = 100  # documents per transaction; annotators write in between
_LAYERS = {"gold": Layer.GOLD, "user": Layer.USER, UNCHANGED: Layer.USER}


def add_documents(
    database: Database,
    project_id: int,
    documents: Iterable[Document],
    report: FileReport,
    *,
    by: str,
    terminology: Terminology,
    complete: bool = False,
) -> None:
    """Add the documents of a file with their annotations. The report lists what was left out.

    complete  every mention is annotated: accept the documents that come with annotations, unless a part of the file could
              not be read

    Leaves out documents whose id or text the project has already. Raises NotFound, and TooLarge for too many documents; those
    added before stay.
    """
    unknown: Counter[str] = Counter()
    annotated: list[tuple[int, str]] = []
    stream = iter(documents)
    while batch := list(islice(stream, _BATCH)):
        if report.documents > DOCUMENTS:
            raise TooLarge(f"The upload has more than {DOCUMENTS:,} documents. Divide it.")
        with database.write() as session:
            project = find_project(session, project_id)
            fresh = list(_fresh(session, project, batch, report))
            place = session.scalar(select(func.max(Row.rank)).where(Row.project_id == project.id)) or 0
            for rank, document in enumerate(fresh, start=place + 1):
                sheet = _add(session, project, document, rank)
                if any(mention.source in _LAYERS for mention in document.mentions):
                    annotated.append((sheet.id, document.id))
                for mention in document.mentions:
                    unknown.update(id for id in mention.concepts if not terminology.resolve(id))
            if fresh:
                changes = {"file": report.name, "documents": [document.id for document in fresh]}
                log(session, "document.upload", by=by, project=project, changes=changes)
        # Counted after the commit.
        report.documents += len(fresh)
        report.mentions += sum(len(document.mentions) for document in fresh)
    report.unknown = dict(unknown.most_common(100))
    # Only at the end: a reader may report a problem before or after the document it belongs to.
    if complete and not report.refused and not report.unread:
        _accept(database, project_id, annotated, report, by=by)


def hold_out(database: Database, project_id: int, after: int) -> int:
    """Hold out some of the documents with ids above `after`, so that the project's share of all its documents is held out, rounded, and at
    least one of several; returns how many. Which ones depends on their names alone. Documents added before stay as they are."""
    with database.write() as session:
        share = find_project(session, project_id).held_out
        of_project = select(func.count()).where(Row.project_id == project_id)
        total = session.scalar(of_project) or 0
        already = session.scalar(of_project.where(Row.held_out)) or 0
        wanted = max(round(share * total), 1 if share and total > 1 else 0) - already
        fresh = select(Row).where(Row.project_id == project_id, Row.id > after, Row.held_out.is_(False))
        rows = sorted(session.scalars(fresh), key=lambda row: blake2b(row.name.encode()).digest())
        for row in rows[: max(wanted, 0)]:
            row.held_out = True
        return min(max(wanted, 0), len(rows))


def text_digest(text: str) -> str:
    """Digest by which duplicates of a text are found."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _accept(
    database: Database, project_id: int, annotated: Sequence[tuple[int, str]], report: FileReport, *, by: str
) -> None:
    """Accept sheets, given as (id, name of the document), unless somebody has changed them since they were added."""
    for begin in range(0, len(annotated), _BATCH):
        names = dict(annotated[begin : begin + _BATCH])
        with database.write() as session:
            project = find_project(session, project_id)
            untouched = Sheet.id.in_(names), Sheet.revision == 0, Sheet.state == State.OPEN
            accepted = session.scalars(select(Sheet.id).where(*untouched)).all()
            these = update(Sheet).where(Sheet.id.in_(accepted))
            session.execute(these.values(state=State.ACCEPTED, accepted=now()))
            report.accepted += len(accepted)
            changes = {"file": report.name, "documents": [names[id] for id in accepted]}
            log(session, "document.accept", by=by, project=project, changes=changes)


def _fresh(
    session: Session, project: Project, batch: Sequence[Document], report: FileReport
) -> Iterator[Document]:
    """The documents whose id and text the project does not have."""
    digests = {id(document): text_digest(document.text) for document in batch}
    query = select(Row.name, Row.digest).where(
        Row.project_id == project.id,
        Row.name.in_([document.id for document in batch]) | Row.digest.in_(digests.values()),
    )
    names: set[str] = set()
    texts: dict[str, str] = {}
    for name, digest in session.execute(query):
        names.add(name)
        texts[digest] = name
    for document in batch:
        digest = digests[id(document)]
        if document.id in names:
            report.duplicates.append(document.id)
        elif digest in texts:
            report.duplicates.append(f"{document.id} (same text as {texts[digest]})")
        else:
            names.add(document.id)
            texts[digest] = document.id
            yield document


def _add(session: Session, project: Project, document: Document, rank: int) -> Sheet:
    home, read = lifted(document, project.attributes)
    row = Row(
        project_id=project.id,
        name=document.id,
        title=_title(document),
        text=document.text,
        digest=text_digest(document.text),
        characters=len(document.text),
        held_out=False,
        rank=rank,
        extra=home,
    )
    session.add(row)
    session.flush()
    sheet = Sheet(document_id=row.id, owner="", revision=0, state=State.OPEN)
    session.add(sheet)
    session.flush()
    linked = any(mention.concepts for mention in document.mentions)
    session.add_all(
        _annotation(mention, extra, values, sheet.id, linked)
        for mention, (extra, values) in zip(document.mentions, read, strict=True)
    )
    return sheet


def _annotation(
    mention: Mention, extra: dict[str, Any], attributes: Values, sheet: int, linked: bool
) -> Annotation:
    """linked: the document has concepts, so a mention without one is NIL."""
    layer = _LAYERS.get(mention.source, Layer.PRED)
    return Annotation(
        sheet_id=sheet,
        start=mention.start,
        end=mention.end,
        layer=layer,
        type=mention.type,
        concepts=list(mention.concepts),
        nil=linked and not mention.concepts and layer != Layer.PRED,
        composite=len(mention.concepts) > 1 and not mention.extra.get("combined"),
        confidence=mention.confidence if layer == Layer.PRED else None,
        probability=mention.confidence if mention.source == UNCHANGED else None,
        author="",
        model=None,
        revision=0,
        extra={name: value for name, value in extra.items() if name != "combined"},
        attributes=attributes,
        unchanged=mention.source == UNCHANGED,
    )


def _title(document: Document) -> str:
    known = document.extra.get("title")
    title = document.text[:known] if isinstance(known, int) and known else document.text.strip()
    line = title.strip().partition("\n")[0]
    return " ".join(line.split())[:200]
