"""Who gets which documents: whoever has the least left to do, reproducibly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.assignments.holdings import Holdings, read_holdings
from linnet.annotate.domain.projects.begun import begun
from linnet.annotate.domain.states import Mode
from linnet.annotate.refusals import Invalid
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Assignment, Member, Project, User

__all__ = [
    "Assigning",
    "Moved",
    "assign",
    "distribute",
    "hand_over",
    "lacking",
    "lacks_people",
    "note_begun",
    "take",
]


class Assigning(StrEnum):
    """give: assign the documents. take: take them away, except from who has begun them."""

    GIVE = "give"
    TAKE = "take"


@dataclass(slots=True)
class Moved:
    """What became of documents.

    given, taken  name → number of documents
    kept          number of documents that stay with whoever has begun them
    """

    given: Counter[str] = field(default_factory=Counter)
    taken: Counter[str] = field(default_factory=Counter)
    kept: int = 0


def distribute(session: Session, project: Project, *, by: str) -> Moved:
    """Assign every open document to as many people as the project wants, those with the least left first. Who has begun a document
    counts as one of them.

    Raises Invalid if nobody takes part, or fewer people than a document needs.
    """
    if not project.per_document:
        raise Invalid(
            "In this project everybody annotates every document. Change that in its settings first."
        )
    mover = _Mover(session, project, by)
    state = mover.state
    _refuse_too_few(state.people, project.per_document)
    for document in state.waiting():
        missing = state.lacks(document, project.per_document)
        free = [
            name
            for name in state.people
            if name not in state.holders[document] and (document, name) not in state.done
        ]
        for name in mover.least(free, document)[:missing]:
            mover.give(document, name)
    return mover.noted()


def note_begun(session: Session, project: Project, *, by: str) -> None:
    """Assign documents to the members who have begun them, before others are assigned."""
    state = read_holdings(session, project)
    members = _members(session, project)
    for document, name in sorted(begun(session, project)):
        shared = project.mode == Mode.SHARED and state.holders[document]
        if name in members and name not in state.holders[document] and not shared:
            session.add(Assignment(document_id=document, user_id=members[name], created_by=by))
            state.holders[document].add(name)
    session.flush()


def hand_over(session: Session, project: Project, name: str, *, by: str) -> Moved:
    """Give the documents that somebody has not begun to the others who take part, those with the least left first.

    Raises Invalid if there is nobody else.
    """
    mover = _Mover(session, project, by)
    state = mover.state
    own = [document for document in state.order if name in state.holders[document]]
    started = {document for document, who in begun(session, project, own) if who == name}
    others = [other for other in state.people if other != name]
    mover.moved.kept = len(started.intersection(own))
    waiting = [document for document in own if document not in started and document not in state.closed]
    if waiting and not others:
        raise Invalid(f"Nobody but {name} takes part in this project. Let another member take part first.")
    for document in waiting:
        free = [other for other in others if other not in state.holders[document]]
        if free:
            mover.take([document], name)
            mover.give(document, mover.least(free, document)[0])
        else:
            mover.moved.kept += 1
    return mover.noted()


def assign(
    session: Session, project: Project, documents: Collection[int], names: Sequence[str], *, by: str
) -> Moved:
    """Assign documents to members. Raises Invalid for who is no member, and for documents of other projects."""
    mover = _Mover(session, project, by)
    state = mover.state
    wanted = _checked(state, documents)
    members = _members(session, project)
    if strangers := [name for name in names if name not in members]:
        raise Invalid(
            f"No members of this project: {', '.join(strangers)}. Add them on the page Members first."
        )
    if project.mode == Mode.SHARED and any(
        len(state.holders[document] | set(names)) > 1 for document in wanted
    ):
        raise Invalid(
            "In a shared project a document has one annotator at most, because all work on the same annotations. Take it from the other "
            "first."
        )
    state.people |= {name: members[name] for name in names}
    for document in wanted:
        for name in names:
            if name not in state.holders[document]:
                mover.give(document, name)
    return mover.noted()


def take(
    session: Session, project: Project, documents: Collection[int], names: Sequence[str], *, by: str
) -> Moved:
    """Take documents from people, except what they have begun. Raises Invalid for documents of other projects."""
    mover = _Mover(session, project, by)
    wanted = _checked(mover.state, documents)
    started = begun(session, project, wanted)
    for name in names:
        own = [document for document in wanted if name in mover.state.holders[document]]
        free = [document for document in own if (document, name) not in started]
        mover.moved.kept += len(own) - len(free)
        if free:
            mover.take(free, name)
    return mover.noted()


def lacks_people(session: Session, project: Project) -> bool:
    """Whether fewer people take part than a document needs."""
    return len(read_holdings(session, project).people) < project.per_document


def lacking(session: Session, project: Project) -> int:
    """Number of open documents with fewer people than the project wants."""
    if not project.per_document:
        return 0
    state = read_holdings(session, project)
    return sum(state.lacks(document, project.per_document) > 0 for document in state.waiting())


class _Mover:
    """Moves documents of a project from and to people, and notes what has moved."""

    def __init__(self, session: Session, project: Project, by: str) -> None:
        self._session, self._project, self._by = session, project, by
        self.state, self.moved = read_holdings(session, project), Moved()
        self._left = self.state.left()

    def least(self, names: Iterable[str], document: int) -> list[str]:
        """Names by what they have left; ties by a hash, which pairs everybody with everybody in the long run."""

        def key(name: str) -> tuple[int, bytes]:
            text = f"{self._project.id} {document} {name}"
            return self._left[name], blake2b(text.encode(), digest_size=8).digest()

        return sorted(names, key=key)

    def give(self, document: int, name: str) -> None:
        """Assign a document to somebody who takes part."""
        user = self.state.people[name]
        self._session.add(Assignment(document_id=document, user_id=user, created_by=self._by))
        self.state.holders[document].add(name)
        self.moved.given[name] += 1
        self._left[name] += 1

    def take(self, documents: Sequence[int], name: str) -> None:
        """Take documents from somebody."""
        user = self._session.scalar(select(User.id).where(User.name == name)) or 0
        own = delete(Assignment).where(Assignment.user_id == user)
        self._session.execute(own.where(Assignment.document_id.in_(documents)))
        self.moved.taken[name] += len(documents)

    def noted(self) -> Moved:
        """What has moved, which is logged if there is any."""
        self._session.flush()
        moves = {"given": dict(self.moved.given), "taken": dict(self.moved.taken)}
        if changes := {name: counts for name, counts in moves.items() if counts}:
            log(self._session, "documents.assign", by=self._by, project=self._project, changes=changes)
        return self.moved


def _members(session: Session, project: Project) -> dict[str, int]:
    query = select(User.name, User.id).join(Member)
    return {row.name: row.id for row in session.execute(query.where(Member.project_id == project.id))}


def _checked(state: Holdings, documents: Collection[int]) -> list[int]:
    wanted = set(documents)
    if strangers := wanted - set(state.order):
        raise Invalid(f"Not documents of this project: {', '.join(map(str, sorted(strangers)[:5]))}.")
    return [document for document in state.order if document in wanted]


def _refuse_too_few(people: Collection[str], needed: int) -> None:
    if len(people) >= needed:
        return
    who = "nobody" if not people else f"only {', '.join(people)}"
    raise Invalid(
        f"Each document needs {needed} {'person' if needed == 1 else 'people'}, but {who} takes part. Let more members take part on the "
        "page Members, or change the number in the settings."
    )
