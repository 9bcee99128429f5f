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
        ended = Counter(state for id, state in own.items() if wanted is None or id in wanted)
        total, done = documents if wanted is None else len(wanted), ended.total()
        left = total - done
        if project.mode == Mode.SHARED:
            left = len(open_ones if wanted is None else open_ones & wanted)
        hours, last = _work(session, project, user.name)
        made, unchanged = mentions[user.name]
        found.append(
            Person(
                name=user.name,
                role=ProjectRole(member.role),
                takes_part=member.takes_part,
                assigned=total,
                accepted=ended[State.ACCEPTED],
                skipped=ended[State.SKIPPED],
                left=left,
                curated=curated[user.name],
                mentions=made,
                unchanged=unchanged,
                hours=hours,
                mentions_per_hour=made / hours if hours > 1 / 60 else None,
                hours_left=left * hours / done if done >= _FEWEST and hours else None,
                last=last,
            )
        )
    return found


def _states(session: Session, project: Project) -> defaultdict[str, dict[int, str]]:
    """Name → document → "accepted" or "skipped". In a shared project, by whoever said so last."""
    found: defaultdict[str, dict[int, str]] = defaultdict(dict)
    query = select(Sheet.document_id, Sheet.owner, Sheet.state).join(Document)
    query = query.where(Document.project_id == project.id, Sheet.state != State.OPEN)
    if project.mode == Mode.INDEPENDENT:
        for document, owner, state in session.execute(query):
            found[owner][document] = state
        return found
    closed = {document: state for document, owner, state in session.execute(query) if not owner}
    closing = select(LogEntry.document_id, LogEntry.by).where(
        LogEntry.project_id == project.id, LogEntry.action.in_(("document.accept", "document.skip"))
    )
    last = dict(session.execute(closing.order_by(LogEntry.id)).all())
    for id, by in last.items():
        if id in closed:
            found[by][id] = closed[id]
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
    last = dict(session.execute(query.order_by(LogEntry.id)).all())
    return Counter(last.values())


def _assigned(session: Session, project: Project) -> defaultdict[str, set[int]]:
    found: defaultdict[str, set[int]] = defaultdict(set)
    query = select(User.name, Assignment.document_id).join(Assignment).join(Document)
    for name, document in session.execute(query.where(Document.project_id == project.id)):
        found[name].add(document)
    return found


def _open(session: Session, project: Project) -> set[int]:
    query = select(Sheet.document_id).join(Document)
    query = query.where(Document.project_id == project.id, Sheet.owner == "", Sheet.state == State.OPEN)
    return set(session.scalars(query))


def _mentions(session: Session, project: Project) -> defaultdict[str, tuple[int, int]]:
    """Name → number of annotations, and of those accepted unchanged."""
    unchanged = func.sum(case((Annotation.unchanged, 1), else_=0))
    query = select(Annotation.author, func.count(), unchanged).join(Sheet).join(Document)
    query = query.where(Document.project_id == project.id, Annotation.layer == Layer.USER)
    rows = session.execute(query.group_by(Annotation.author))
    found = {author: (count, of_them) for author, count, of_them in rows}
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
