"""Invitations: making them, and using them."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request, Response

from linnet.annotate.api.access import (
    App,
    CurrentAdmin,
    CurrentManager,
    CurrentUser,
    in_person,
    own_origin,
    same_origin,
)
from linnet.annotate.api.app_state import AppState
from linnet.annotate.api.routes.session import begun
from linnet.annotate.api.schemas.accounts import Session
from linnet.annotate.api.schemas.base import Id
from linnet.annotate.api.schemas.entrance import (
    Invitation,
    InvitationToken,
    InvitationView,
    InvitedAccount,
    Joined,
    NewInvitation,
    NewInvitationLink,
    NewProjectInvitation,
)
from linnet.annotate.domain.accounts.passwords import hashed
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.projects.invitations import (
    Listed,
    find_invitation,
    invite,
    join_project,
    join_server,
    list_invitations,
    open_invitation,
    withdraw_invitation,
)
from linnet.annotate.store import tables

__all__ = ["public", "router"]

public = APIRouter(tags=["invitations"], dependencies=[Depends(same_origin)])
router = APIRouter(tags=["invitations"], dependencies=[Depends(in_person)])


@router.get("/invitations")
def invitations(app: App, user: CurrentAdmin) -> list[Invitation]:
    """List the invitations to the server and to all its projects, newest first."""
    with app.database.read() as session:
        return [_view(listed) for listed in list_invitations(session)]


@router.post("/invitations", status_code=201)
def new_invitation(app: App, request: Request, user: CurrentAdmin, body: NewInvitation) -> NewInvitationLink:
    """Invite people to the server; the answer is the only one that has the link."""
    with app.database.write() as session:
        token, row = invite(session, None, body.role, days=body.days, uses=body.uses, by=user.name)
        return _link(request, token, row)


@router.delete("/invitations/{invitation}", status_code=204)
def withdrawn_invitation(app: App, user: CurrentAdmin, invitation: Id) -> None:
    """Withdraw any invitation. Whoever used it stays."""
    with app.database.write() as session:
        withdraw_invitation(session, invitation, by=user.name)


@router.get("/projects/{project}/invitations")
def project_invitations(app: App, user: CurrentManager, project: Id) -> list[Invitation]:
    """List the invitations to a project, newest first."""
    with app.database.read() as session:
        return [_view(listed) for listed in list_invitations(session, find_project(session, project))]


@router.post("/projects/{project}/invitations", status_code=201)
def new_project_invitation(
    app: App, request: Request, user: CurrentManager, project: Id, body: NewProjectInvitation
) -> NewInvitationLink:
    """Invite people to a project; the answer is the only one that has the link."""
    with app.database.write() as session:
        row = find_project(session, project)
        token, made = invite(session, row, body.role, days=body.days, uses=body.uses, by=user.name)
        return _link(request, token, made)


@router.delete("/projects/{project}/invitations/{invitation}", status_code=204)
def withdrawn_project_invitation(app: App, user: CurrentManager, project: Id, invitation: Id) -> None:
    """Withdraw an invitation to a project. Whoever used it stays."""
    with app.database.write() as session:
        withdraw_invitation(session, invitation, find_project(session, project), by=user.name)


@public.post("/invitation")
def opened_invitation(app: App, request: Request, body: InvitationToken) -> InvitationView:
    """Public: what an invitation is for. Refused if it can no longer be used."""
    row = _known(app, request, body.token)
    with app.database.read() as session:
        project = open_invitation(session, row)
        name = project.name if project else ""
        return InvitationView.of(row, project_name=name, invited_by=row.created_by)


@public.post("/invitation/account", status_code=201)
def invited_account(app: App, request: Request, response: Response, body: InvitedAccount) -> Session:
    """Public: create the account that an invitation is for, and sign in."""
    row = _known(app, request, body.token)
    with app.database.read() as session:
        open_invitation(session, row)
    password = hashed(body.password)
    with app.database.write() as session:
        account = join_server(session, row, body.name, password)
    return begun(request, response, app, account)


@router.post("/invitation/member")
def joined(app: App, request: Request, user: CurrentUser, body: InvitationToken) -> Joined:
    """Become a member of the project that an invitation is for, with the account that is signed in."""
    row = _known(app, request, body.token)
    with app.database.write() as session:
        project, role = join_project(session, row, user)
        return Joined(project=project, role=role)


def _known(app: AppState, request: Request, token: str) -> tables.Invitation:
    address = request.client.host if request.client else ""
    return find_invitation(app.database, app.throttle, token, address=address)


def _link(request: Request, token: str, row: tables.Invitation) -> NewInvitationLink:
    # Behind the # it reaches neither the logs of a proxy nor other sites.
    return NewInvitationLink(link=f"{own_origin(request)}/invitation#{token}", expires=row.expires)


def _view(listed: Listed) -> Invitation:
    row, name, state, used = listed
    return Invitation.of(row, project=row.project_id, project_name=name, used=list(used), state=state)
