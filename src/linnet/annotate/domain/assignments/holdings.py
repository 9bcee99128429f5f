"""Who has which documents of a project, and has finished which."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.domain.assignments.assignments import finished
from linnet.annotate.domain.states import Mode
from linnet.annotate.store.tables import CURATED, Assignment, Document, Member, Project, User

__all__ = ["Holdings", "read_holdings"]


@dataclass(slots=True)
class Holdings:
    """Who has what.

    people             names of those who take part → id
    holders, finishers document → names of those to whom it is assigned, and of those who have accepted or skipped it
    done               the latter as (document, name)
    closed             documents with nothing left to do for anybody
    order              documents as they come in the queue
    """

    people: dict[str, int]
    holders: dict[int, set[str]]
    finishers: dict[int, set[str]]
    done: set[tuple[int, str]]
    closed: set[int]
    order: list[int]

    def lacks(self, document: int, wanted: int) -> int:
        """How many people a document lacks. Whoever has finished it counts, also if the account is gone."""
        names = self.holders[document] | self.finishers[document]
        return max(wanted - len(names), 0)

    def waiting(self) -> list[int]:
        """Documents with something left to do, as they come in the queue."""
        return [document for document in self.order if document not in self.closed]

    def left(self) -> Counter[str]:
        """Name → number of assigned documents that are not finished."""
        counts = Counter(dict.fromkeys(self.people, 0))
        for document, names in self.holders.items():
            if document not in self.closed:
                counts.update(name for name in names if (document, name) not in self.done)
        return counts


def read_holdings(session: Session, project: Project) -> Holdings:
    """Who has what in a project, which is locked, so that two managers do not assign at once."""
    session.execute(select(Project.id).where(Project.id == project.id).with_for_update())
    query = select(User.name, User.id).join(Member)
    query = query.where(Member.project_id == project.id, Member.takes_part, User.active).order_by(User.key)
    people = {row.name: row.id for row in session.execute(query)}
    documents = select(Document.id).where(Document.project_id == project.id)
    order = session.scalars(documents.order_by(Document.rank, Document.id)).all()
    holders: defaultdict[int, set[str]] = defaultdict(set)
    held = select(Assignment.document_id, User.name).join(User).join(Document)
    for document, name in session.execute(held.where(Document.project_id == project.id)):
        holders[document].add(name)
    finishers: defaultdict[int, set[str]] = defaultdict(set)
    done, closed = set(), set()
    for document, owner in session.execute(finished(project)):
        if owner == CURATED or (not owner and project.mode == Mode.SHARED):
            closed.add(document)
        elif owner:
            done.add((document, owner))
            finishers[document].add(owner)
    return Holdings(people, holders, finishers, done, closed, list(order))
