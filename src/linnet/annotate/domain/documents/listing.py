"""Documents of a project as one user sees them: on their own sheets, or on the shared ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, and_, case, func, literal, select
from sqlalchemy.orm import Session, aliased

from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.annotations.editor import Editor, owner_of
from linnet.annotate.domain.assignments.assignments import assigned_to, in_queue, names_by_document
from linnet.annotate.domain.projects.visibility import seen_by
from linnet.annotate.domain.states import Layer, Mode, State
from linnet.annotate.refusals import Invalid
from linnet.annotate.store.columns import unstorable
from linnet.annotate.store.tables import Annotation, Document, Project, Sheet

__all__ = [
    "Summary",
    "list_documents",
    "neighbours",
    "seen_documents",
    "summarise",
    "summary_of",
]

_LEAST = 5  # predictions in a summary


class Summary(NamedTuple):
    """A document with the state and revision of a sheet, its annotations by layer, its annotators, the lowest probability of a
    prediction, if any has one, and, in lists, the members to whom it is assigned, and the least probable predictions."""

    document: Document
    state: State
    revision: int
    counts: Counter[str]
    annotators: list[str]
    probability: float | None
    assigned: list[str]
    predictions: Sequence[Row[Any]] = ()


def list_documents(
    session: Session,
    project: Project,
    user: SignedIn,
    *,
    states: Sequence[State] = (),
    held_out: bool | None = None,
    search: str = "",
    assigned: str = "",
    order: str = "queue",
    offset: int = 0,
    limit: int = 50,
) -> tuple[int, list[Summary]]:
    """Number of matching documents, and those from `offset` on. Independent annotators do not learn who else annotates a document.

    search    in id and text; raises Invalid for characters that no text has
    assigned  only documents assigned to this member; "@nobody" for those without one, "@me" for those of a user who has a queue of
              their own
    order   queue, name, confidence, probability or id; ties by id, documents without confidence or probability last
    """
    if character := unstorable(search):
        raise Invalid("The search contains an invalid character.", fields={"search": character})
    query, sheet, state = seen_documents(project, user.name)
    if states:
        query = query.where(state.in_(states))
    if held_out is not None:
        query = query.where(Document.held_out == held_out)
    if search.strip():
        words = search.strip()
        query = query.where(
            Document.name.icontains(words, autoescape=True) | Document.text.icontains(words, autoescape=True)
        )
    if assigned:
        own = assigned == "@me"
        query = query.where(in_queue(session, project, user.name) if own else assigned_to(assigned))
    total = session.scalar(select(func.count()).select_from(query.order_by(None).subquery())) or 0
    first = {
        "queue": Document.rank,
        "name": Document.name,
        "confidence": Document.confidence.nulls_last(),
        "probability": _least_probable(sheet).nulls_last(),
        "id": Document.id,
    }[order]
    page = query.order_by(first, Document.id).offset(offset).limit(limit)
    summaries = summarise(session, project, [(document, own) for document, own in session.execute(page)])
    if seen_by(project, user) is not None:
        summaries = [
            each._replace(assigned=[name for name in each.assigned if name == user.name])
            for each in summaries
        ]
    return total, summaries


def summarise(session: Session, project: Project, pairs: Sequence[tuple[Document, Sheet]]) -> list[Summary]:
    """Summaries of documents and sheets. Order kept."""
    ids = [sheet.id for _, sheet in pairs]
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    authors: defaultdict[int, set[str]] = defaultdict(set)
    columns = (Annotation.sheet_id, Annotation.layer, Annotation.author)
    grouped = select(*columns, func.count()).where(Annotation.sheet_id.in_(ids)).group_by(*columns)
    for sheet, layer, author, count in session.execute(grouped):
        counts[sheet][layer] += count
        if author:
            authors[sheet].add(author)
    assigned = (
        names_by_document(session, [document.id for document, _ in pairs]) if project.per_document else {}
    )
    least_probable = _least_probable_of(session, ids)
    return [
        Summary(
            document,
            _state(project, sheet),
            sheet.revision,
            counts[sheet.id],
            sorted(authors[sheet.id]),
            least_probable[sheet.id][0].probability if least_probable[sheet.id] else None,
            assigned.get(document.id, []),
            least_probable[sheet.id],
        )
        for document, sheet in pairs
    ]


def _least_probable_of(session: Session, sheets: Sequence[int]) -> defaultdict[int, list[Row[Any]]]:
    """Text, link and probability of the least probable predictions, by sheet."""
    text = func.substr(Document.text, Annotation.start + 1, Annotation.end - Annotation.start).label("text")
    order = (Annotation.probability.nulls_last(), Annotation.start, Annotation.id)
    place = func.row_number().over(partition_by=Annotation.sheet_id, order_by=order).label("place")
    columns = [
        getattr(Annotation, name) for name in ("sheet_id", "concepts", "nil", "composite", "probability")
    ]
    query = select(*columns, text, place).join(Sheet, Sheet.id == Annotation.sheet_id).join(Document)
    ranked = query.where(Annotation.sheet_id.in_(sheets), Annotation.layer == Layer.PRED).subquery()
    found: defaultdict[int, list[Row[Any]]] = defaultdict(list)
    for row in session.execute(select(ranked).where(ranked.c.place <= _LEAST).order_by(ranked.c.place)):
        found[row.sheet_id].append(row)
    return found


def summary_of(editor: Editor, annotations: Sequence[Row[Any]]) -> Summary:
    """Summary of an open document from all its annotations."""
    counts = Counter(row.layer for row in annotations)
    authors = {row.author for row in annotations if row.author}
    state, revision = _state(editor.project, editor.sheet), editor.sheet.revision
    predicted = (row.probability for row in annotations if row.layer == Layer.PRED)
    least = min((probability for probability in predicted if probability is not None), default=None)
    return Summary(editor.document, state, revision, counts, sorted(authors), least, [])


def neighbours(editor: Editor) -> tuple[int | None, int | None]:
    """Ids of the open documents before and after this one in the queue."""
    query, _, state = seen_documents(editor.project, editor.by)
    ids = query.with_only_columns(Document.id).where(
        state == State.OPEN, in_queue(editor.session, editor.project, editor.by)
    )
    place, id = editor.document.rank, editor.document.id
    later = (Document.rank > place) | ((Document.rank == place) & (Document.id > id))
    earlier = (Document.rank < place) | ((Document.rank == place) & (Document.id < id))
    before = ids.where(earlier).order_by(Document.rank.desc(), Document.id.desc()).limit(1)
    after = ids.where(later).order_by(Document.rank, Document.id).limit(1)
    return editor.session.scalar(before), editor.session.scalar(after)


def _least_probable(sheet: type[Sheet]) -> ColumnElement[float | None]:
    """Lowest probability of the predictions on a sheet."""
    of = (Annotation.sheet_id == sheet.id) & (Annotation.layer == Layer.PRED)
    return select(func.min(Annotation.probability)).where(of).correlate(sheet).scalar_subquery()


def seen_documents(
    project: Project, by: str
) -> tuple[Select[Document, Sheet], type[Sheet], ColumnElement[str]]:
    """A query for (document, sheet), the sheet's entity, and its state as the user sees it."""
    owner = owner_of(project, by)
    base = aliased(Sheet)
    if not owner:
        query = select(Document, base).join(base, and_(base.document_id == Document.id, base.owner == ""))
        return query.where(Document.project_id == project.id), base, base.state.expression
    # The user's own sheet, or the base sheet if there is none yet.
    own = aliased(Sheet)
    mine = select(own.document_id).where(own.owner == owner)
    query = select(Document, base).join(
        base,
        and_(
            base.document_id == Document.id,
            (base.owner == owner) | ((base.owner == "") & Document.id.not_in(mine)),
        ),
    )
    state = case((base.owner == "", literal(State.OPEN.value)), else_=base.state)
    return query.where(Document.project_id == project.id), base, state


def _state(project: Project, sheet: Sheet) -> State:
    return State.OPEN if project.mode == Mode.INDEPENDENT and not sheet.owner else State(sheet.state)
