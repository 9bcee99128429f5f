"""People of a restored project: members with an account here, and names of work without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.domain.accounts.names import account_key
from linnet.annotate.domain.accounts.reserved import reserve_unknown
from linnet.annotate.domain.accounts.users import find_user
from linnet.annotate.domain.projects.members import add_member
from linnet.annotate.domain.states import ProjectRole
from linnet.annotate.store.tables import CURATED, MAPPING_LOG, Annotation, Comment, Document, Project, Sheet

__all__ = ["RestoreReport", "reserve_names", "restore_members"]


@dataclass(slots=True)
class RestoreReport:
    """What was restored from a backup."""

    project: int = 0
    name: str = ""
    documents: int = 0
    annotations: int = 0
    log_entries: int = 0
    models: int = 0
    notes: list[str] = field(default_factory=list)


def restore_members(
    session: Session,
    wanted: Sequence[Mapping[str, Any]],
    people: Mapping[Any, str],
    project: Project,
    restored: RestoreReport,
    by: str,
) -> dict[Any, int]:
    """Accounts of this server with the members' names become members again; whoever restores becomes a manager.

    wanted  `name`, `role` and whether it `takes_part`, of each member
    people  id in the backup → name

    Returns id in the backup → id of the account, for members.
    """
    roles = {
        account_key(row["name"]): (row["name"], ProjectRole(row["role"]), bool(row["takes_part"]))
        for row in wanted
    }
    own = account_key(by)
    roles[own] = by, ProjectRole.MANAGER, roles[own][2] if own in roles else False
    members, missing = {}, []
    for key, (name, role, takes_part) in roles.items():
        if (user := find_user(session, name)) is not None:
            add_member(session, project, user.id, role, by=by).takes_part = takes_part
            members[key] = user.id
            if key != own:
                restored.notes.append(f"{user.name} is a member again ({role}).")
        elif name != by:
            missing.append(name)
    if missing:
        listed = ", ".join(missing)
        restored.notes.append(f"Members without an account on this server were left out: {listed}.")
    return {id: members[key] for id, name in people.items() if (key := account_key(name)) in members}


def reserve_names(session: Session, project: Project, restored: RestoreReport, by: str) -> None:
    """Whoever gets an account of a name later must not own somebody else's restored work by accident."""
    sheets = select(Sheet.id, Sheet.owner).join(Document).where(Document.project_id == project.id).subquery()
    authors = select(Annotation.author).join(sheets, sheets.c.id == Annotation.sheet_id).distinct()
    wrote = select(Comment.author).join(Document).where(Document.project_id == project.id).distinct()
    owners = select(sheets.c.owner).distinct()
    entry = MAPPING_LOG.columns
    decided = select(entry.who).where(entry.project_id == project.id)
    decided = decided.where(entry.event.not_in(("imported", "returned")))
    people = {name for query in (owners, authors, wrote, decided) for name in session.scalars(query)}
    people -= {"", CURATED}
    if unknown := reserve_unknown(session, people, by=by):
        restored.notes.append(
            f"The project has work of people without an account here: {', '.join(unknown)}. It stays under their names, which no new "
            "account gets by accident. On the page Accounts, an admin can give one of them an account."
        )
