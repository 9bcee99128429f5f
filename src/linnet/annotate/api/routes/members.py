"""Members of a project."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from linnet.annotate.api.access import App, CurrentCurator, CurrentManager, in_person
from linnet.annotate.api.schemas.base import Id, Name
from linnet.annotate.api.schemas.members import Member, MemberChange
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.projects.members import list_members, remove_member, set_member
from linnet.annotate.store import tables

__all__ = ["router"]

router = APIRouter(prefix="/projects/{project}/members", tags=["members"])


@router.get("")
def members(app: App, user: CurrentCurator, project: Id) -> list[Member]:
    """List the members of a project by name."""
    with app.database.read() as session:
        rows = list_members(session, find_project(session, project))
        return [_member(*row) for row in rows]


@router.put("/{name}", dependencies=[Depends(in_person)])
def changed_member(app: App, user: CurrentManager, project: Id, name: Name, body: MemberChange) -> Member:
    """Make an account a member of the project, or change its role."""
    with app.database.write() as session:
        row = find_project(session, project)
        return _member(*set_member(session, row, name, body.role, by=user.name, takes_part=body.takes_part))


@router.delete("/{name}", status_code=204, dependencies=[Depends(in_person)])
def removed_member(app: App, user: CurrentManager, project: Id, name: Name) -> None:
    """End a membership. What the member annotated stays."""
    with app.database.write() as session:
        remove_member(session, find_project(session, project), name, by=user.name)


def _member(member: tables.Member, user: tables.User) -> Member:
    return Member.of(member, name=user.name, active=user.active)
