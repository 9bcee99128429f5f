"""Members of projects: who sees a project, and what they may do there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Select, and_, bindparam, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.accounts.users import find_user
from linnet.annotate.domain.projects.begun import forget_unbegun
from linnet.annotate.domain.states import ProjectRole
from linnet.annotate.refusals import NotFound
from linnet.annotate.store.columns import LARGEST
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Document, Job, Member, Project, User

__all__ = [
    "add_member",
    "list_members",
    "member_of",
    "remove_member",
    "role_for",
    "seen_projects",
    "set_member",
]


def _role_query(project: Any, id: Any) -> Select[Any]:
    """Role of a user in the project of a row, None if they have none; no row if there is no such row."""
    member = and_(Member.project_id == project, Member.user_id == bindparam("user"))
    return select(Member.role).select_from(id.class_).outerjoin(Member, member).where(id == bindparam("id"))


# Run for every request, so they are built once. By the name of the path's parameter.
_ROLES = {
    "project": _role_query(Project.id, Project.id),
    "document": _role_query(Document.project_id, Document.id),
    "job": _role_query(Job.project_id, Job.id),
}


def role_for(session: Session, user: SignedIn, path: Mapping[str, Any]) -> ProjectRole | None:
    """Role of a user in the project, or in the project of the document or job, that a request's path names; None without one.

    Admins are managers of every project. Raises NotFound if the user has no role there, as if it did not exist.
    """
    name = next((name for name in _ROLES if name in path), None)
    if name is None:
        return None
    id = str(path[name])
    if user.admin or not (id.isascii() and id.isdigit() and 0 < int(id) <= LARGEST):
        return ProjectRole.MANAGER if user.admin else None  # the route refuses an invalid id
    role: str | None = session.scalar(_ROLES[name], {"id": int(id), "user": user.id})
    if role is None:
        removed = (
            "" if name == "job" else " It may have been removed, or you are not a member of its project."
        )
        raise NotFound(f"There is no {name} {id}.{removed}")
    return ProjectRole(role)


def seen_projects(session: Session, user: SignedIn) -> list[tuple[Project, ProjectRole]]:
    """Projects that a user sees, newest first, each with the user's role."""
    newest = Project.id.desc()
    if user.admin:
        return [(row, ProjectRole.MANAGER) for row in session.scalars(select(Project).order_by(newest))]
    query = select(Project, Member.role).join(Member)
    rows = session.execute(query.where(Member.user_id == user.id).order_by(newest)).all()
    return [(project, ProjectRole(role)) for project, role in rows]


def list_members(session: Session, project: Project) -> list[tuple[Member, User]]:
    """Members of a project by name."""
    query = select(Member, User).join(User).where(Member.project_id == project.id)
    return [(member, user) for member, user in session.execute(query.order_by(User.key))]


def add_member(session: Session, project: Project, user_id: int, role: ProjectRole, *, by: str) -> Member:
    """A new member; not logged."""
    member = Member(
        project_id=project.id,
        user_id=user_id,
        role=role,
        takes_part=role == ProjectRole.ANNOTATOR,
        created_by=by,
    )
    session.add(member)
    session.flush()
    return member


def set_member(
    session: Session,
    project: Project,
    name: str,
    role: ProjectRole,
    *,
    by: str,
    takes_part: bool | None = None,
) -> tuple[Member, User]:
    """Make an account a member, or change its role. takes_part: whether it gets documents; None leaves that, and new annotators do.

    Raises NotFound.
    """
    user = _account(session, name)
    member = member_of(session, project, user)
    if member is None:
        member = add_member(session, project, user.id, role, by=by)
        log(session, "member.add", by=by, project=project, changes={"name": user.name, "role": role})
    elif member.role != role:
        changes = {"name": user.name, "role": [member.role, role]}
        member.role = role
        log(session, "member.change", by=by, project=project, changes=changes)
    if takes_part is not None and takes_part != member.takes_part:
        before, member.takes_part = member.takes_part, takes_part
        taking = {"name": user.name, "takes part": [before, takes_part]}
        log(session, "member.change", by=by, project=project, changes=taking)
    return member, user


def remove_member(session: Session, project: Project, name: str, *, by: str) -> None:
    """End a membership; what the member annotated stays, and documents they have not begun become unassigned. Raises NotFound."""
    user = _account(session, name)
    member = member_of(session, project, user)
    if member is None:
        raise NotFound(f"{user.name} is not a member of this project.")
    forget_unbegun(session, project, user)
    session.delete(member)
    log(session, "member.remove", by=by, project=project, changes={"name": user.name, "role": member.role})


def member_of(session: Session, project: Project, user: User) -> Member | None:
    """The membership of an account, None without one."""
    query = select(Member).where(Member.project_id == project.id, Member.user_id == user.id)
    return session.scalars(query).one_or_none()


def _account(session: Session, name: str) -> User:
    user = find_user(session, name)
    if user is None:
        raise NotFound(f"There is no account '{name}'. Ask an admin to create it.")
    return user
