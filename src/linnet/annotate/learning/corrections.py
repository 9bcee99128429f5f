"""What people have removed from what the model learnt, kept so that training does not learn it again."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.learning.learned_items import Blocked
from linnet.annotate.refusals import Invalid, NotFound
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Correction, Project
from linnet.text import fold, simplify

__all__ = ["KINDS", "allow", "block", "blocked_in", "corrections_of"]

KINDS = ("name", "stop")


def block(session: Session, project: Project, kind: str, text: str, concept: str, *, by: str) -> Correction:
    """Remove a learned name of a concept, or a stop, for good; the correction that is there already where it was removed before.

    Raises Invalid for a name without a concept, and for a blank text.
    """
    form = fold(text) if kind == "name" else simplify(text)
    if kind == "name" and not concept:
        raise Invalid("A learned name is removed from a concept. Say which.", fields={"concept": "missing"})
    concept = concept if kind == "name" else ""
    if not form:
        raise Invalid("The text is blank. Name what to remove.", fields={"text": "blank"})
    digest = blake2b(repr((kind, form, concept)).encode(), digest_size=16).hexdigest()
    query = select(Correction).where(Correction.project_id == project.id, Correction.digest == digest)
    if (present := session.scalars(query).one_or_none()) is not None:
        return present
    row = Correction(
        project_id=project.id, kind=kind, text=text, form=form, concept=concept, digest=digest, created_by=by
    )
    session.add(row)
    session.flush()
    log(session, "learned.remove", by=by, project=project, changes=_told(row))
    return row


def allow(session: Session, project: Project, id: int, *, by: str) -> None:
    """Take a correction back: the next training may learn it again. Raises NotFound."""
    row = session.get(Correction, id)
    if row is None or row.project_id != project.id:
        raise NotFound(f"The project has no correction {id}. Somebody may have taken it back already.")
    log(session, "learned.allow", by=by, project=project, changes=_told(row))
    session.delete(row)


def corrections_of(session: Session, project: int) -> Sequence[Correction]:
    """All corrections of a project, the newest first."""
    query = select(Correction).where(Correction.project_id == project)
    return session.scalars(query.order_by(Correction.id.desc())).all()


def blocked_in(session: Session, project: int) -> Blocked:
    """The same as learners use them."""
    rows = corrections_of(session, project)
    return Blocked(
        frozenset((row.form, row.concept) for row in rows if row.kind == "name"),
        frozenset(row.form for row in rows if row.kind == "stop"),
    )


def _told(row: Correction) -> dict[str, str]:
    return {row.kind: row.text, **({"concept": row.concept} if row.concept else {})}
