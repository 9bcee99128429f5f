"""Corrections of the model: names and stops that users removed and training must not learn again."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from hashlib import blake2b

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.active.learned_items import Blocked
from linnet.annotate.refusals import Invalid, NotFound
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Correction, Project
from linnet.words.text import fold, simplify

__all__ = ["LearnedKind", "allow", "block", "blocked_in", "corrections_of"]


class LearnedKind(StrEnum):
    """name: a text learnt as a name of a concept. stop: a name that is no longer looked for."""

    NAME = "name"
    STOP = "stop"


def block(
    session: Session, project: Project, kind: LearnedKind, text: str, concept: str, *, by: str
) -> Correction:
    """Remove a learned name or stop for good; returns the existing correction if it was removed before.

    Raises Invalid for a name without a concept, and for a blank text.
    """
    form = fold(text) if kind == LearnedKind.NAME else simplify(text)
    if kind == LearnedKind.NAME and not concept:
        raise Invalid("To remove a learned name, give its concept.", fields={"concept": "missing"})
    concept = concept if kind == LearnedKind.NAME else ""
    if not form:
        raise Invalid("The text is blank. Give the name or stop to remove.", fields={"text": "blank"})
    digest = blake2b(repr((kind.value, form, concept)).encode(), digest_size=16).hexdigest()
    query = select(Correction).where(Correction.project_id == project.id, Correction.digest == digest)
    if (present := session.scalars(query).one_or_none()) is not None:
        return present
    row = Correction(
        project_id=project.id, kind=kind, text=text, form=form, concept=concept, digest=digest, created_by=by
    )
    session.add(row)
    session.flush()
    log(session, "learned.remove", by=by, project=project, changes=_changes(row))
    return row


def allow(session: Session, project: Project, id: int, *, by: str) -> None:
    """Take back a correction: the next training may learn the item again. Raises NotFound."""
    row = session.get(Correction, id)
    if row is None or row.project_id != project.id:
        raise NotFound(f"The project has no correction {id}. Somebody may have taken it back already.")
    log(session, "learned.allow", by=by, project=project, changes=_changes(row))
    session.delete(row)


def corrections_of(session: Session, project: int) -> Sequence[Correction]:
    """The corrections of a project, newest first."""
    query = select(Correction).where(Correction.project_id == project)
    return session.scalars(query.order_by(Correction.id.desc())).all()


def blocked_in(session: Session, project: int) -> Blocked:
    """The corrections of a project, as learners use them."""
    rows = corrections_of(session, project)
    return Blocked(
        frozenset((row.form, row.concept) for row in rows if row.kind == LearnedKind.NAME),
        frozenset(row.form for row in rows if row.kind == LearnedKind.STOP),
    )


def _changes(row: Correction) -> dict[str, str]:
    return {row.kind: row.text, **({"concept": row.concept} if row.concept else {})}
