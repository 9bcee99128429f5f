"""How far each person is, and how fast they work."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.projects.members import list_members
from linnet.annotate.domain.states import Layer, Mode, ProjectRole, State
from linnet.annotate.store.tables import (
    CURATED,
    Annotation,
    Assignment,
    Document,
    LogEntry,
    Project,
    Sheet,
    User,
)

__all__ = ["PAUSE", "Person", "TeamProgress", "read_progress"]

PAUSE = timedelta(minutes=5)
"""Between two changes of a person: a longer time is a pause, and does not count as work."""
_FEWEST = 5  # documents from which what is left is projected


class Person(NamedTuple):
    """What a member has done."""

    name: str
    role: ProjectRole
    takes_part: bool
    assigned: int
    accepted: int
    skipped: int
    left: int
    curated: int
    mentions: int
    unchanged: int
    hours: float
    mentions_per_hour: float | None
    hours_left: float | None
    last: datetime | None


class TeamProgress(NamedTuple):
    """Progress of the members that the user may see: curators see all, independent annotators themselves."""

    people: list[Person]
    lacking: int


def read_progress(session: Session, project: Project, names: Collection[str] | None = None) -> list[Person]:
    """Progress of the members by name. names: only these; None for all."""
    documents = session.scalar(select(func.count(Document.id)).where(Document.project_id == project.id)) or 0
    states = _states(session, project)
    assigned = _assigned(session, project) if project.per_document else None
    open_ones = _open(session, project)
    curated, mentions = _curated(session, project), _mentions(session, project)
    found = []
    for member, user in list_members(session, project):
        if names is not None and user.name not in names:
            continue
        own = states[user.name]
        wanted = assigned[user.name] if assigned is not None else None
        accepted = sum(state == State.ACCEPTED for id, state in own.items() if wanted is None or id in wanted)
        skipped = sum(state == State.SKIPPED for id, state in own.items() if wanted is None or id in wanted)
        if project.mode == Mode.SHARED:
            left = len(open_ones if wanted is None else open_ones & wanted)
        else:
            left = (documents if wanted is None else len(wanted)) - accepted - skipped
        hours, last = _work(session, project, user.name)
        total = documents if wanted is None else len(wanted)
        made, unchanged = mentions[user.name]
        found.append(
            Person(
                name=user.name,
                role=ProjectRole(member.role),
                takes_part=member.takes_part,
                assigned=total,
                accepted=accepted,
                skipped=skipped,
                left=left,
                curated=curated[user.name],
                mentions=made,
                unchanged=unchanged,
                hours=hours,
                mentions_per_hour=made / hours if hours > 1 / 60 else None,
                hours_left=left * hours / done if (done := accepted + skipped) >= _FEWEST and hours else None,
                last=last,
            )
        )
    return found


def _states(session: Session, project: Project) -> defaultdict[str, dict[int, str]]:
    """Name → document → "accepted" or "skipped". In a shared project, by whoever said so last."""
    found: defaultdict[str, dict[int, str]] = defaultdict(dict)
    query = select(Sheet.document_id, Sheet.owner, Sheet.state).join(
        Document, Document.id == Sheet.document_id
    )
    query = query.where(Document.project_id == project.id, Sheet.state != State.OPEN)
    if project.mode == Mode.INDEPENDENT:
        for document, owner, state in session.execute(query):
            found[owner][document] = state
        return found
    closed = {document: state for document, owner, state in session.execute(query) if not owner}
    closing = select(LogEntry.document_id, LogEntry.by).where(
        LogEntry.project_id == project.id, LogEntry.action.in_(("document.accept", "document.skip"))
    )
    last = {
        document: by
        for document, by in session.execute(closing.order_by(LogEntry.id))
        if document is not None
    }
    for document, by in last.items():
        if document in closed:
            found[by][document] = closed[document]
    return found


def _curated(session: Session, project: Project) -> Counter[str]:
    """Name → number of documents whose curated sheet is accepted, by whoever accepted it last."""
    query = select(LogEntry.sheet_id, LogEntry.by).join(Sheet, Sheet.id == LogEntry.sheet_id)
    query = query.where(
        LogEntry.project_id == project.id,
        LogEntry.action == "document.accept",
        Sheet.owner == CURATED,
        Sheet.state == State.ACCEPTED,
    )
    last = {sheet: by for sheet, by in session.execute(query.order_by(LogEntry.id))}  # noqa: C416
    return Counter(last.values())


def _assigned(session: Session, project: Project) -> defaultdict[str, set[int]]:
    found: defaultdict[str, set[int]] = defaultdict(set)
    query = select(User.name, Assignment.document_id).join(Assignment, Assignment.user_id == User.id)
    query = query.join(Document, Document.id == Assignment.document_id)
    for name, document in session.execute(query.where(Document.project_id == project.id)):
        found[name].add(document)
    return found


def _open(session: Session, project: Project) -> set[int]:
    query = select(Sheet.document_id).join(Document, Document.id == Sheet.document_id)
    query = query.where(Document.project_id == project.id, Sheet.owner == "", Sheet.state == State.OPEN)
    return set(session.scalars(query))


def _mentions(session: Session, project: Project) -> defaultdict[str, tuple[int, int]]:
    """Name → number of annotations, and of those accepted unchanged."""
    query = (
        select(Annotation.author, func.count(), func.sum(case((Annotation.unchanged, 1), else_=0)))
        .join(Sheet, Sheet.id == Annotation.sheet_id)
        .join(Document, Document.id == Sheet.document_id)
        .where(Document.project_id == project.id, Annotation.layer == Layer.USER)
        .group_by(Annotation.author)
    )
    found = {author: (count, unchanged) for author, count, unchanged in session.execute(query)}
    return defaultdict(lambda: (0, 0), found)


def _work(session: Session, project: Project, name: str) -> tuple[float, datetime | None]:
    """Hours of work, and the time of the last change."""
    query = select(LogEntry.at).where(
        LogEntry.project_id == project.id, LogEntry.by == name, LogEntry.sheet_id.is_not(None)
    )
    moments = session.scalars(query.order_by(LogEntry.at)).all()
    gaps = (later - earlier for earlier, later in pairwise(moments))
    worked = sum((gap for gap in gaps if gap <= PAUSE), timedelta())
    return worked / timedelta(hours=1), moments[-1] if moments else None
