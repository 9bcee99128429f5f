"""What the members of a project see of each other's work."""

from __future__ import annotations

from sqlalchemy import Select, select

from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.states import Mode
from linnet.annotate.refusals import Forbidden
from linnet.annotate.store.tables import LogEntry, Project, Sheet

__all__ = ["entries_seen", "refuse_learned", "seen_by"]


def seen_by(project: Project, user: SignedIn) -> list[str] | None:
    """Owners of the sheets that a user may see, None for all. Of independent annotators, only curators see what others did."""
    return None if project.mode == Mode.SHARED or user.curates else ["", user.name]


def entries_seen(project: Project, user: SignedIn) -> Select[LogEntry]:
    """Log entries of a project that a user may see. Independent annotators learn nothing of each other's sheets and comments."""
    query = select(LogEntry).where(LogEntry.project_id == project.id)
    if (owners := seen_by(project, user)) is not None:
        seen = select(Sheet.id).where(Sheet.owner.in_(owners))
        query = query.where(LogEntry.sheet_id.is_(None) | LogEntry.sheet_id.in_(seen))
        is_comment = LogEntry.action.startswith("comment.")
        query = query.where(~is_comment | (LogEntry.by == user.name))
    return query


def refuse_learned(project: Project, user: SignedIn) -> None:
    """Raise Forbidden for an annotator of an independent project who asks what its model has learnt."""
    if seen_by(project, user) is not None:
        raise Forbidden(
            "In this project annotators work independently, and what was learnt would show the work of others. Ask a curator."
        )
